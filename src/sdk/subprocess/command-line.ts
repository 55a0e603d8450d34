import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { ownFileCandidates } from '../../util/own/own-files.ts';
import { CliNotFoundError } from '../../wire/errors.ts';
import type { Launch } from '../../wire/run-config.ts';
import type { GivenOptions } from '../options/options.ts';
import { toWords } from './command-words.ts';

export interface CommandLine {
  command: string;
  args: string[];
  /** Set when the agent was found on this machine, so that its version is unknown: the command that asks for it. */
  unknownVersion?: { command: string; args: string[] };
}

/**
 * The command to run: a script with `executable`, any other file directly. Throws CliNotFoundError when the file is
 * missing.
 */
export function commandLine(options: GivenOptions, launch: Launch): CommandLine {
  const flags = toWords(options, launch.config);
  const chosen = options.pathToHeddleExecutable ?? options.pathToClaudeCodeExecutable;
  if (chosen !== undefined) {
    // A runtime that cannot find its script would only fail with an exit code.
    if (isScript(chosen) && !existsSync(resolve(launch.cwd ?? '', chosen))) throw executableNotFound(chosen, options);
    const [command, ...before] = invocation(chosen, options);
    return { command, args: [...before, ...flags] };
  }
  const bundled = ownFileCandidates('heddle.cjs');
  const { path, isOurs } = findCli({ bundled, env: launch.env ?? process.env, home: homedir() });
  const [command, ...before] = invocation(path, options);
  const args = [...before, ...flags];
  return isOurs ? { command, args } : { command, args, unknownVersion: { command, args: before } };
}

/**
 * The error for a missing executable. Hosts that use the reference's option were written for the reference and may
 * compare its text; other hosts get Heddle's own text.
 */
export function executableNotFound(command: string, options: GivenOptions, cause?: unknown): CliNotFoundError {
  const { pathToHeddleExecutable, pathToClaudeCodeExecutable } = options;
  const because = { ...(cause !== undefined && { cause }) };
  if (pathToHeddleExecutable !== undefined) {
    return new CliNotFoundError(`${command} (correct options.pathToHeddleExecutable, or leave it out)`, because);
  }
  const program = pathToClaudeCodeExecutable === undefined ? {} : { program: 'Claude Code' };
  return new CliNotFoundError(command, { ...because, ...program });
}

export interface SearchPaths {
  /** Possible paths of the CLI of this package. */
  bundled: readonly string[];
  env: Record<string, string | undefined>;
  home: string;
}

/** This package's own CLI, else an installed one: on the PATH, or where installers put it. */
export function findCli({ bundled, env, home }: SearchPaths): { path: string; isOurs: boolean } {
  const own = bundled.find((place) => existsSync(place));
  if (own !== undefined) return { path: own, isOurs: true };
  const onPath = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const installed = [...onPath, ...knownFolders(home)].map((folder) => join(folder, 'heddle'));
  const found = installed.find(isProgram);
  if (found !== undefined) return { path: found, isOurs: false };
  const hint = 'install heddle, or set options.pathToHeddleExecutable; docs/bundlers.md tells what a bundle needs';
  throw new CliNotFoundError(`${bundled[0] ?? 'this bundle'} (neither there nor on the PATH: ${hint})`);
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

function invocation(path: string, options: GivenOptions): [string, ...string[]] {
  return isScript(path) ? [runtime(options.executable), ...(options.executableArgs ?? []), path] : [path];
}

function isScript(path: string): boolean {
  return /\.(js|mjs|cjs|ts)$/.test(path);
}

/** The runtime of this process where it is of the wanted kind, because it may not be on the PATH. */
function runtime(wanted: GivenOptions['executable']): string {
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
