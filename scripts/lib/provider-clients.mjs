// The clients that providers publish on npm, run against the fake servers that our tests use, and one prompt of the
// reference and of Heddle against one recording server for each cloud. The packages are installed outside of the
// repository, executed, and never opened.
import { fork } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { INSTALL_FLAGS, nameOf } from './reference.mjs';
import { runCommand } from './run-command.mjs';
import { root } from './tree.mjs';

const PACKAGES = {
  openai: '7.55.0',
  '@aws-sdk/client-bedrock-runtime': '3.1162.0',
  '@aws-sdk/credential-provider-node': '3.972.97',
  'google-auth-library': '11.3.4',
  aws4: '1.13.2',
};
/** The version whose package has a command line in it. */
const WITH_COMMAND_LINE = '0.2.44';
const INSTALL_MS = 240_000;

/**
 * Resolves with the outcome of each check: `{ name, ok, output }`. Empty where the packages could not be installed; `tell`
 * then says why.
 */
export async function checkProviderClients({ installed, temporary, tell }) {
  const clients = path.join(installed, 'providers');
  const problem = await install(clients);
  if (problem) {
    tell(`providers: SKIPPED, the registry did not answer\n${problem.replace(/^/gm, '    ')}`);
    return [];
  }
  const runner = path.join(temporary, 'providers.mjs');
  await esbuild.build({
    entryPoints: [path.join(root, 'test/interop/providers/run.ts')],
    outfile: runner,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  const reference = path.join(installed, 'node_modules', nameOf(WITH_COMMAND_LINE), 'cli.js');
  return run(runner, { clients, reference, cli: path.join(root, 'dist/cli.js') }, temporary);
}

async function install(folder) {
  if (fs.existsSync(path.join(folder, 'node_modules/aws4'))) return null;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
  const { code, output } = await runCommand('npm', ['install', ...INSTALL_FLAGS], { cwd: folder, limitMs: INSTALL_MS });
  return code === 0 ? null : output.trim() || `npm was not done after ${INSTALL_MS / 1000} s`;
}

function run(runner, places, temporary) {
  const args = Object.entries(places).map(([name, value]) => `--${name}=${value}`);
  const env = { PATH: process.env.PATH, TMPDIR: temporary, HOME: temporary };
  return new Promise((resolve) => {
    let outcomes = [{ name: 'the checks of providers', ok: false, output: 'They ended without a word.' }];
    const child = fork(runner, args, { cwd: temporary, env, execArgv: ['--enable-source-maps'] });
    child.on('message', (message) => {
      outcomes = message;
    });
    child.on('close', () => resolve(outcomes));
  });
}
