#!/usr/bin/env node
// `npm run interop`: the reference SDK drives our command line, in two versions, through the behaviours of
// test/interop/behaviours.md; host programs that are typed against it compile against ours; clients of editors drive
// `heddle acp`, and clients of model providers the fake servers of the tests.
//
//   node scripts/interop.mjs               everything
//   node scripts/interop.mjs --only mcp-   the cases whose id holds this
//   node scripts/interop.mjs --quiet       says only what failed, and the numbers
//   node scripts/interop.mjs --reference-cli   the other way round: our SDK drives the reference's command line
//
// The packages go to a temporary folder, or to HEDDLE_INTEROP_CACHE, where they stay. Without a registry nothing can be
// tested: that is said aloud, and is no failure.
import { fork } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';
import { checkEditorClients } from './lib/editor-clients.mjs';
import { checkProviderClients } from './lib/provider-clients.mjs';
import { installReference, installReferenceCli, REFERENCE_CLI, REFERENCE_VERSIONS } from './lib/reference.mjs';
import { checkSamples } from './lib/samples.mjs';
import { root } from './lib/tree.mjs';

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    quiet: { type: 'boolean', default: false },
    'reference-cli': { type: 'boolean', default: false },
  },
});
const temporary = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'heddle-interop-')));
process.on('exit', () => fs.rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }));
const installed = process.env.HEDDLE_INTEROP_CACHE || path.join(temporary, 'packages');

const { program, problem } = await install();
if (problem) console.log(`interop: SKIPPED, the registry did not answer\n${problem.replace(/^/gm, '    ')}`);
else await test();

/** The SDKs are needed both ways: their folder has the packages that cases import. */
async function install() {
  const problem = await installReference(installed);
  if (problem !== null || !flags['reference-cli']) return { problem };
  return installReferenceCli(installed);
}

async function test() {
  const runner = await bundleCases();
  const cli = path.join(root, 'dist/cli.js');
  const sdk = path.join(root, 'dist/index.js');
  const tallies = flags['reference-cli']
    ? [await runCases(runner, { version: REFERENCE_CLI, cli: program, sdk })]
    : await Promise.all(REFERENCE_VERSIONS.map((version) => runCases(runner, { version, cli, sdk: '' })));
  if (!flags.only && !flags['reference-cli']) {
    tallies.push(...(await typeChecks()), ...(await editorClients()), ...(await providerClients()));
  }
  const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((key) =>
    tallies.reduce((sum, tally) => sum + tally[key], 0),
  );
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

/** The cases are TypeScript, which Node 20 does not run. */
async function bundleCases() {
  const outfile = path.join(temporary, 'run.mjs');
  await esbuild.build({
    entryPoints: [path.join(root, 'test/interop/run.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return outfile;
}

/** One process per version, side by side, with a home of its own and nothing of this environment. */
function runCases(runner, { version, cli, sdk }) {
  const home = path.join(temporary, `home-${version}`);
  fs.mkdirSync(home);
  const args = [
    `--version=${version}`,
    `--folder=${installed}`,
    `--cli=${cli}`,
    `--sdk=${sdk}`,
    `--only=${flags.only}`,
  ];
  if (flags.quiet) args.push('--quiet');
  const env = { PATH: process.env.PATH, TMPDIR: temporary, HOME: home, HEDDLE_HOME: home, CLAUDE_CONFIG_DIR: home };
  return new Promise((resolve) => {
    let tally = { passed: 0, failed: 1, skipped: 0 };
    const execArgv = ['--enable-source-maps'];
    const child = fork(runner, args, { cwd: home, env, execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child.on('message', (message) => {
      tally = message;
    });
    child.on('close', () => resolve(tally));
  });
}

async function typeChecks() {
  return tally(await checkSamples({ installed, temporary }));
}

/** Clients and adapters of editors; left out where only some cases are asked for. */
async function editorClients() {
  return tally(await checkEditorClients({ installed, temporary, tell: (text) => console.log(text) }));
}

/** Clients of model providers, against the fake servers of the tests; left out where only some cases are asked for. */
async function providerClients() {
  return tally(await checkProviderClients({ installed, temporary, tell: (text) => console.log(text) }));
}

function tally(checks) {
  return checks.map(({ name, ok, output }) => {
    if (!ok) console.log(`FAILED  ${name}\n${output.replace(/^/gm, '        ')}`);
    else if (!flags.quiet) console.log(`ok      ${name}`);
    return { passed: Number(ok), failed: Number(!ok), skipped: 0 };
  });
}
