import { findProgram, unwritablePath } from '../../tools/sandbox/programs.ts';
import { printable } from '../../util/printable.ts';
import type { Processes } from '../../util/process.ts';
import type { HeddleError } from '../../wire/errors.ts';
import type { Env } from '../home.ts';
import { worktreeError } from './worktree-error.ts';

export interface GitOptions {
  run: Processes['run'];
  env: Env;
  /** Directories that are worked in: a program there is not taken for git. */
  roots: readonly string[];
  /** Whether programs that the repository's own configuration names may run: its filters, and what fetches objects. */
  isTrusted: boolean;
}

/** Runs git so that a repository makes it start nothing: no hook, no monitor, and no filter unless it is trusted. */
export interface Git {
  /** Rejects when git cannot be started or takes too long, and with the abort reason. */
  run(cwd: string, args: readonly string[], limits: GitLimits): Promise<GitAnswer>;
}

export interface GitLimits {
  signal: AbortSignal;
  timeoutMs?: number;
  /** Another checkout that the command looks into: its configuration may say more. */
  alsoIn?: string;
}

export interface GitAnswer {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

const TIMEOUT_MS = 10_000;
const MAX_CHARS = 1_000_000;

/** Variables like GIT_DIR would make it another repository, and credentials are nothing to it (ruling G4). */
const VARIABLES = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'USER', 'LOGNAME', 'LANG'];

/** In force over every file of configuration. */
const SETTINGS = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['submodule.recurse', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
] as const;

export function openGit({ run, env, roots, isTrusted }: GitOptions): Git {
  const program = findProgram('git', env.PATH, roots);
  const given = Object.fromEntries(VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  // What git starts is not to be found in them either.
  const base = { ...given, PATH: unwritablePath(env.PATH, roots) };
  const alone = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_PAGER: 'cat', LC_ALL: 'C' };
  const closed = isTrusted ? {} : { GIT_ALLOW_PROTOCOL: '', GIT_NO_LAZY_FETCH: '1' };

  async function start(
    cwd: string,
    args: readonly string[],
    settings: readonly (readonly [string, string])[],
    { signal, timeoutMs = TIMEOUT_MS }: GitLimits,
  ): Promise<GitAnswer> {
    if (program === null) throw worktreeError('no_git', 'A worktree needs git, which is not on PATH');
    const output = { stdout: '', stderr: '' };
    const outcome = await run(
      {
        command: program,
        args,
        cwd,
        env: { ...base, ...alone, ...closed, ...settingsEnv(settings) },
        timeoutMs,
        endsTree: true,
        onOutput(stream, data) {
          if (output[stream].length < MAX_CHARS) output[stream] += data.toString('utf8');
        },
      },
      signal,
    );
    if (!outcome.timedOut) return { exitCode: outcome.exitCode, ...output };
    throw worktreeError('git_failed', `git ${args[0]} took longer than ${timeoutMs / 1000} s and was ended`);
  }

  return {
    async run(cwd, args, limits) {
      if (isTrusted) return start(cwd, args, SETTINGS, limits);
      const checkouts = limits.alsoIn === undefined ? [cwd] : [cwd, limits.alsoIn];
      const lists = checkouts.map((checkout) => start(checkout, LIST_STARTERS, SETTINGS, limits));
      const filters = (await Promise.all(lists)).flatMap(filtersIn);
      return start(cwd, args, [...SETTINGS, ...filters], limits);
    },
  };
}

/** For messages: what git said, in one line that may be shown. */
export function saidBy({ stderr, exitCode }: GitAnswer): string {
  const line = stderr.split('\n').find((each) => /^(?:fatal|error):/.test(each));
  return printable((line ?? stderr.trim()).replace(/^fatal: /, '').slice(0, 500)) || `git ended with ${exitCode}`;
}

/** Filters, and what is included on a condition: that may hold where git works and not where it is asked. */
const LIST_STARTERS = [
  ...['config', '--null', '--show-scope', '--includes', '--name-only'],
  ...['--get-regexp', '^(filter\\..*\\.(clean|smudge|process)|includeif\\..*)$'],
];

/**
 * Filters are programs that run at every checkout. Those of the user stay; those that the repository names are none.
 * Throws where not all of them can be told: then git is not run at all.
 */
function filtersIn({ stdout, exitCode }: GitAnswer): (readonly [string, string])[] {
  // 1: there are none. What is no text cannot be named in a variable.
  const isWhole = (exitCode === 0 || exitCode === 1) && stdout.length < MAX_CHARS && !stdout.includes('\uFFFD');
  if (!isWhole) throw untrusted('its filters cannot be told');
  const words = stdout.split('\0');
  const own = words.flatMap((scope, at) => {
    const key = words[at + 1];
    return at % 2 === 0 && (scope === 'local' || scope === 'worktree') && key !== undefined ? [key] : [];
  });
  if (own.some((key) => key.startsWith('includeif.'))) throw untrusted('it includes other files on conditions');
  const names = new Set(own.map((key) => key.slice(0, key.lastIndexOf('.'))));
  return [...names].flatMap((name) => [
    [`${name}.clean`, ''],
    [`${name}.smudge`, ''],
    [`${name}.process`, ''],
    [`${name}.required`, 'false'],
  ]);
}

function untrusted(why: string): HeddleError {
  return worktreeError(
    'git_failed',
    `The project is not trusted, and the configuration of its git repository could start programs: ${why}`,
  );
}

/** As variables, because the name of a filter may hold anything, `=` included. */
function settingsEnv(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}
