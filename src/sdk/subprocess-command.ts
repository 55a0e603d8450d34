import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliNotFoundError } from '../wire/errors.ts';
import type { Launch } from '../wire/run-config.ts';
import { toWords } from './args.ts';
import type { Options } from './options.ts';

export interface CommandLine {
  command: string;
  args: string[];
  /** Set when the agent was found on this machine, so that nobody has chosen its version: how to ask for it. */
  unknownVersion?: { command: string; args: string[] };
}

/** What is to be run: a script on `executable`, anything else as it is. Throws CliNotFoundError when nothing is there. */
export function commandLine(options: Options, launch: Launch): CommandLine {
  const flags = toWords(options, launch.config);
  const chosen = options.pathToHeddleExecutable ?? options.pathToClaudeCodeExecutable;
  if (chosen !== undefined) {
    const [command, ...before] = invocation(chosen, options, launch.cwd);
    return { command, args: [...before, ...flags] };
  }
  const { path, isOurs } = findCli({ bundled: bundledPlaces(), env: launch.env ?? process.env, home: homedir() });
  const [command, ...before] = invocation(path, options, launch.cwd);
  const args = [...before, ...flags];
  return isOurs ? { command, args } : { command, args, unknownVersion: { command, args: before } };
}

export interface Places {
  /** Where the CLI of this package may lie. */
  bundled: readonly string[];
  env: Record<string, string | undefined>;
  home: string;
}

/** This package's own CLI, else one that is installed: on the PATH, or where installers put it. */
export function findCli({ bundled, env, home }: Places): { path: string; isOurs: boolean } {
  const own = bundled.find((place) => existsSync(place));
  if (own !== undefined) return { path: own, isOurs: true };
  const onPath = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const installed = [...onPath, ...knownFolders(home)].map((folder) => join(folder, 'heddle'));
  const found = installed.find(isProgram);
  if (found !== undefined) return { path: found, isOurs: false };
  const hint = 'build the package, install heddle, or set pathToHeddleExecutable';
  throw new CliNotFoundError(`${bundled[0]} (neither there nor on the PATH: ${hint})`);
}

function knownFolders(home: string): string[] {
  return [
    join(home, '.npm-global/bin'),
    '/usr/local/bin',
    join(home, '.local/bin'),
    join(home, 'node_modules/.bin'),
    join(home, '.yarn/bin'),
    join(home, '.heddle/local'),
  ];
}

/** Beside the bundle, or one folder up when this code sits in a shared chunk. */
function bundledPlaces(): string[] {
  return ['./heddle.cjs', '../heddle.cjs', '../../dist/heddle.cjs'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
}

function invocation(path: string, options: Options, cwd: string | undefined): [string, ...string[]] {
  if (!/\.(js|mjs|cjs|ts)$/.test(path)) return [path];
  // A runtime that cannot find its script would only fail with an exit code.
  if (!existsSync(resolve(cwd ?? '', path))) throw new CliNotFoundError(path);
  return [runtime(options.executable), ...(options.executableArgs ?? []), path];
}

/** The very program that runs this one where it is the wanted kind; it may not be on the PATH. */
function runtime(wanted: Options['executable']): string {
  const own = process.versions.bun ? 'bun' : process.versions.deno ? 'deno' : 'node';
  return wanted === undefined || wanted === own ? process.execPath : wanted;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
