// The packages of the reference SDK, for tests of interoperation: installed outside of the repository, executed, and
// never opened (PROVENANCE.md). Both versions share one folder, under names that tell them apart.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export const REFERENCE_VERSIONS = ['0.2.44', '0.3.325'];

export const nameOf = (version) => `reference-${version}`;

const INSTALL_MS = 60_000;
const FLAGS = [
  '--ignore-scripts',
  '--omit=optional',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--prefer-offline',
];

/** Installs what is not there yet. Resolves with null, or with what npm said when it did not work. */
export async function installReference(folder) {
  if (isComplete(folder)) return null;
  fs.mkdirSync(folder, { recursive: true });
  const dependencies = REFERENCE_VERSIONS.map((version) => [
    nameOf(version),
    `npm:@anthropic-ai/claude-agent-sdk@${version}`,
  ]);
  const manifest = { private: true, dependencies: Object.fromEntries(dependencies) };
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  const { code, output } = await runNpm(['install', ...FLAGS], folder);
  if (code === 0 && isComplete(folder)) return null;
  return output.trim() || `npm was not done after ${INSTALL_MS / 1000} s`;
}

function isComplete(folder) {
  return REFERENCE_VERSIONS.every((version) => {
    const manifest = path.join(folder, 'node_modules', nameOf(version), 'package.json');
    return fs.existsSync(manifest) && JSON.parse(fs.readFileSync(manifest, 'utf8')).version === version;
  });
}

/** In a process group of its own, so that nothing of it outlives the time limit. */
function runNpm(args, cwd) {
  return new Promise((resolve) => {
    const child = spawn('npm', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), INSTALL_MS);
    let output = '';
    const finish = (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    };
    const take = (data) => {
      output += data;
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', (error) => {
      take(error.message);
      finish(null);
    });
    child.on('close', finish);
  });
}
