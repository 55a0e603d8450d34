#!/usr/bin/env node
// `npm run tarball`: packs the built package, installs it in an empty folder and uses it as a stranger would: the command,
// the SDK, every export and the types, with nothing but the declared dependencies. Part of `npm run test:rest`.
//
// The dependencies come from the configured registry, or from npm's cache. Where neither has them the exit code is 3:
// what can be seen in the tarball itself was checked, and the rest was not.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runCommand } from './lib/run-command.mjs';
import {
  checkFiles,
  checkMachinePaths,
  checkReproducible,
  checkSupplyChain,
  INSTALLED_CHECKS,
  openApp,
} from './lib/tarball-checks.mjs';
import { root } from './lib/tree.mjs';

const INSTALL_MS = 120_000;
const NO_REGISTRY = 3;

const temporary = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'heddle-tarball-')));
process.on('exit', () => fs.rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }));
let failed = 0;

const packed = await pack();
await check('the files of the tarball', () => checkFiles(packed));
await check('no install scripts, a licence and a hash for each package inside', checkSupplyChain);
await check('a second build in another folder gives the same bytes', () => checkReproducible(packed, temporary));
const folder = path.join(temporary, 'app');
const problem = await install(path.join(temporary, packed.filename));
if (problem === null) {
  await check('no paths of this machine', () => checkMachinePaths(path.join(folder, 'node_modules/heddle')));
  const app = openApp(folder);
  for (const { name, run } of INSTALLED_CHECKS) await check(name, () => run(app));
} else {
  console.log(`tarball: SKIPPED, the registry did not answer\n${problem.replace(/^/gm, '    ')}`);
}
process.exitCode = failed > 0 ? 1 : problem === null ? 0 : NO_REGISTRY;

async function check(name, run) {
  try {
    await run();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}\n${error.message.replace(/^/gm, '        ')}`);
  }
}

/** The build is done already; packing must not begin another one. */
async function pack() {
  const args = ['pack', '--ignore-scripts', '--json', '--silent', '--pack-destination', temporary];
  const { code, output } = await runCommand('npm', args, { cwd: root, limitMs: INSTALL_MS });
  const list = output.slice(output.indexOf('['), output.lastIndexOf(']') + 1); // npm may warn around it
  if (code !== 0) throw new Error(`npm pack ended with ${code}:\n${output}`);
  return JSON.parse(list)[0];
}

/** Null, or what npm said when it did not work. */
async function install(tarball) {
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  const { code, output } = await runCommand('npm', ['install', ...flags, tarball], {
    cwd: folder,
    limitMs: INSTALL_MS,
  });
  return code === 0 ? null : output.trim() || `npm was not done after ${INSTALL_MS / 1000} s`;
}
