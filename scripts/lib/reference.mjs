// The packages of the reference SDK, for tests of interoperation: installed outside of the repository, executed, and
// never opened (PROVENANCE.md). Both versions share one folder, under names that tell them apart.
import fs from 'node:fs';
import path from 'node:path';
import { runCommand } from './run-command.mjs';

export const REFERENCE_VERSIONS = ['0.2.44', '0.3.325'];

export const nameOf = (version) => `reference-${version}`;

/** The command line of the second version, for the few cases in which our SDK drives it. */
export const REFERENCE_CLI = '2.1.325';

const INSTALL_MS = 60_000;
const INSTALL_CLI_MS = 300_000;
/** npm installs a package for a test, and runs nothing of it. */
export const INSTALL_FLAGS = [
  '--ignore-scripts',
  '--omit=optional',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--prefer-offline',
];

/**
 * Installs the command line, which is large, into a folder of its own. Resolves with the path of the program, or with
 * what npm said when it did not work.
 */
export async function installReferenceCli(folder) {
  const place = path.join(folder, 'cli');
  const program = path.join(place, 'node_modules', 'reference-cli', 'claude');
  if (fs.existsSync(program)) return { program };
  fs.mkdirSync(place, { recursive: true });
  const name = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  const manifest = { private: true, dependencies: { 'reference-cli': `npm:${name}@${REFERENCE_CLI}` } };
  fs.writeFileSync(path.join(place, 'package.json'), JSON.stringify(manifest));
  const { output } = await runCommand('npm', ['install', ...INSTALL_FLAGS], { cwd: place, limitMs: INSTALL_CLI_MS });
  return fs.existsSync(program) ? { program } : { problem: output.trim() };
}

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
  const { code, output } = await runCommand('npm', ['install', ...INSTALL_FLAGS], { cwd: folder, limitMs: INSTALL_MS });
  if (code === 0 && isComplete(folder)) return null;
  return output.trim() || `npm was not done after ${INSTALL_MS / 1000} s`;
}

function isComplete(folder) {
  return REFERENCE_VERSIONS.every((version) => {
    const manifest = path.join(folder, 'node_modules', nameOf(version), 'package.json');
    return fs.existsSync(manifest) && JSON.parse(fs.readFileSync(manifest, 'utf8')).version === version;
  });
}
