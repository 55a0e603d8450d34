import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TuiEnd } from '../tui/app/tui-options.ts';
import type { SessionTarget } from '../tui/stage/stage.ts';
import { Tty } from '../tui/term/tty.ts';
import { type RunTuiOptions, runTui } from '../tui/tui.ts';
import { isObject, tryParseJson } from '../util/json.ts';
import { once } from '../util/once.ts';
import { findConfigHome } from '../util/own/config-home.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { HEDDLE_VERSION } from '../wire/version.ts';
import { endWith } from './end-with.ts';
import { type ParsedArgs, parseArgs } from './flags/args.ts';
import { isInteractive, whyPlain } from './flags/is-interactive.ts';
import { sessionConfig } from './run/session-config.ts';

/**
 * `src/cli/start.ts` calls it where a person seems to sit at a terminal. Resolves with false where the words ask for
 * something else; never rejects.
 */
export async function main(argv: readonly string[]): Promise<boolean> {
  let isMeant = true;
  await endWith(async () => {
    const args = parseArgs(argv);
    isMeant = isInteractive(args) && !args.help && !args.version && !args.background;
    return isMeant ? runInteractive(args) : 0;
  }, argv);
  return isMeant;
}

/**
 * `heddle` in a terminal: the terminal is a host like any other, of a session in this process that others can join. It
 * paints before the engine is read. Resolves with the exit code when the session is over, which may be long after the
 * terminal was left.
 */
export async function runInteractive(args: ParsedArgs): Promise<number> {
  const { config: given, prompt } = args;
  const { stdin, stdout, env } = process;
  const cwd = process.cwd();
  const sessions = once(async () => (await import('./run/terminal-session.ts')).openTerminalSessions());
  const newId = env.HEDDLE_SEED ? (await sessions()).newId : process.getBuiltinModule('node:crypto').randomUUID;
  // The terminal shows the list of sessions, and the last turns of one, itself.
  const { replayHistory: _shown, ...config } = sessionConfig(withoutList(given), newId);
  // The end of the terminal is not the end of the session. The terminal itself listens, too.
  process.on('SIGHUP', () => {});
  try {
    const options: Omit<RunTuiOptions, 'tty'> = {
      ...{ env, cwd, version: HEDDLE_VERSION, newId, ...stored(config) },
      ...(await trustOf(cwd, config)),
      connect: async (stderr, target) =>
        (await sessions()).connect({ config: target ? otherSession(config, target) : config, stderr }),
      signIn,
      isContinued: typeof given.resume === 'string' || given.continue === true,
      ...(given.resume === true && { command: '/resume' }),
      ...(prompt !== undefined && { prompt }),
    };
    const reason = whyPlain(args, env) ?? whyOfSettings(options.home);
    const end =
      reason === null
        ? await runTui({ ...options, tty: new Tty({ stdin, stdout, env }) })
        : await plain(options, reason);
    return await (await sessions()).outlive(end);
  } finally {
    await (await sessions()).close();
  }
}

async function plain(options: Omit<RunTuiOptions, 'tty'>, reason: string): Promise<TuiEnd> {
  const { runPlain } = await import('../tui/plain/run-plain.ts');
  return runPlain({ ...options, reason, input: process.stdin, output: process.stdout, now: Date.now });
}

/** `axScreenReader` of the user's settings. A file that cannot be read is the session's to complain about. */
function whyOfSettings(home: string | null): string | null {
  const file = home === null ? null : join(home, 'settings.json');
  if (file === null || !existsSync(file)) return null;
  try {
    const settings = tryParseJson(readFileSync(file, 'utf8'));
    return isObject(settings) && settings.axScreenReader === true ? 'a screen reader (axScreenReader)' : null;
  } catch {
    return null;
  }
}

/** The question of trust, where the project brings files that may need it and the launch does not answer it. */
async function trustOf(cwd: string, config: RunConfig) {
  const { trust, settingSources, bare, safeMode, worktree } = config;
  const home = findConfigHome(process.env);
  const isAnswered = trust || settingSources !== undefined || bare || safeMode || worktree !== undefined;
  const hasFiles = ['.claude', '.mcp.json'].some((name) => existsSync(join(cwd, name)));
  if (isAnswered || !hasFiles || !home || !('path' in home)) return {};
  const { projectTrust } = await import('./run/terminal-trust.ts');
  return { trust: projectTrust(cwd, home.path, config) };
}

/** Lets `heddle auth login` ask for a key. Rejects where it has stored none. */
function signIn(): Promise<void> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const [, program = ''] = process.argv;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, 'auth', 'login'], { stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error('No key was stored.'))));
  });
}

/** Where the terminal stores what is typed. A config home that cannot be used stops the session, which says so. */
function stored({ noHistory, noSessionPersistence, sessionId }: RunConfig) {
  const home = findConfigHome(process.env);
  const isKept = !noHistory && !noSessionPersistence;
  return { home: home && 'path' in home ? home.path : null, isKept, sessionId: sessionId ?? null };
}

/** `-r` without a session: until one is chosen from the list, the session is a new one. */
function withoutList({ resume, ...others }: RunConfig): RunConfig {
  return resume === true || resume === undefined ? others : { ...others, resume };
}

/** The configuration for another session than that of the launch. */
function otherSession(ofLaunch: RunConfig, { resume }: SessionTarget): RunConfig {
  const config = { ...ofLaunch };
  for (const key of OF_LAUNCH) delete config[key];
  return { ...config, resume };
}

/** What says which session the launch means. */
const OF_LAUNCH = [
  'resume',
  'continue',
  'sessionId',
  'forkSession',
  'resumeSessionAt',
  'resumeDropsTurn',
  'continueTurn',
] as const satisfies (keyof RunConfig)[];
