import { findProgram, unwritablePath } from '../../tools/sandbox/programs.ts';
import type { Processes } from '../../util/process/process.ts';
import { printable } from '../../util/text/printable.ts';
import type { HeddleError } from '../../wire/errors.ts';
import type { Env } from '../engine/environment.ts';
import { worktreeError } from './worktree-error.ts';

export interface GitOptions {
  run: Processes['run'];
  env: Env;
  /** The directories of the session: a program in them is never run as git. */
  roots: readonly string[];
  /** Whether programs of the repository's own configuration may run: its filters, and what fetches objects. */
  isTrusted: boolean;
}

/**
 * Runs git so that a repository cannot make it start programs: no hook, no monitor, and no filter unless it is trusted.
 */
export interface Git {
  /** Rejects when git cannot be started or takes too long, and with the abort reason. */
  run(cwd: string, args: readonly string[], limits: GitLimits): Promise<GitAnswer>;
}

export interface GitLimits {
  signal: AbortSignal;
  timeoutMs?: number;
  /** Another checkout that the command reads: its configuration counts as well. */
  alsoIn?: string;
}

export interface GitAnswer {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

const TIMEOUT_MS = 10_000;
const MAX_CHARS = 1_000_000;

/** Variables like GIT_DIR would select another repository, and git needs no credentials. */
const VARIABLES = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'USER', 'LOGNAME', 'LANG'];

/** Overrides every configuration file. */
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
  // Programs that git starts must not come from these directories either.
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

/** The output of git as one printable line, for messages. */
export function saidBy({ stderr, exitCode }: GitAnswer): string {
  const line = stderr.split('\n').find((each) => /^(?:fatal|error):/.test(each));
  return printable((line ?? stderr.trim()).replace(/^fatal: /, '').slice(0, 500)) || `git ended with ${exitCode}`;
}

/** Filters, and conditional includes, which may apply where git works and not where it is asked. */
const LIST_STARTERS = [
  ...['config', '--null', '--show-scope', '--includes', '--name-only'],
  ...['--get-regexp', '^(filter\\..*\\.(clean|smudge|process)|includeif\\..*)$'],
];

/**
 * Filters are programs that run at every checkout. Those of the user stay, those of the repository are turned off.
 * Throws when not all of them can be found: then git does not run at all.
 */
function filtersIn({ stdout, exitCode }: GitAnswer): (readonly [string, string])[] {
  // 1: there are none. A name that is not text cannot be put into a variable.
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

/** As variables, because the name of a filter may contain anything, even `=`. */
function settingsEnv(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}
