import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SharedSession } from '../host/hosts/share-session.ts';
import type { SessionTarget } from '../tui/stage/stage.ts';
import { Tty } from '../tui/term/tty.ts';
import { runTui } from '../tui/tui.ts';
import { findConfigHome } from '../util/own/config-home.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { HEDDLE_VERSION } from '../wire/version.ts';
import type { ParsedArgs } from './flags/args.ts';
import { giveTerminalBack } from './run/give-terminal-back.ts';
import { type OwnSession, ownSession } from './run/own-session.ts';
import { openProcessEngine } from './run/run.ts';
import { sessionConfig } from './run/session-config.ts';

const HANGUP_CODE = 129;

/**
 * `heddle` in a terminal: the terminal is a host like any other, of a session in this process that others can join.
 * Resolves with the exit code when the session is over, which may be long after the terminal was left.
 */
export async function runInteractive({ config: given, prompt }: ParsedArgs): Promise<number> {
  const { stdin, stdout, env } = process;
  const cwd = process.cwd();
  // Warnings reach the terminal by the launch.
  const engine = openProcessEngine(() => {});
  const newId = () => engine.runtime.ids.uuid();
  // The terminal shows the list of sessions, and the last turns of one, itself.
  const { replayHistory: _shown, ...config } = sessionConfig(withoutList(given), newId);
  const own: { session: OwnSession | null } = { session: null };
  // The end of the terminal is not the end of the session. The terminal itself listens, too.
  process.on('SIGHUP', () => {});
  try {
    const { exitCode, lines } = await runTui({
      ...{ tty: new Tty({ stdin, stdout, env }), env, cwd, version: HEDDLE_VERSION, newId, ...stored(config) },
      ...(await trustOf(cwd, config)),
      async connect(stderr, target) {
        own.session = ownSession(engine, { config: target ? otherSession(config, target) : config, stderr });
        return own.session.shared.own({ role: 'drive', name: `the terminal of process ${process.pid}` });
      },
      isContinued: typeof given.resume === 'string' || given.continue === true,
      ...(given.resume === true && { command: '/resume' }),
      ...(prompt !== undefined && { prompt }),
    });
    const { session } = own;
    const isHungUp = exitCode === HANGUP_CODE;
    if (!isHungUp) for (const line of lines) stdout.write(`${line}\n`);
    if (!session || isOver(session.shared)) return exitCode;
    if (!isHungUp && !(await giveTerminalBack())) stdout.write(`${KEPT}\n`);
    const end = await session.outlive(isHungUp ? undefined : 'detach');
    return isHungUp ? HANGUP_CODE : end;
  } finally {
    await engine.close();
  }
}

const KEPT = 'No shell has taken this terminal back. Close it: the session continues without it.';

function isOver({ hub }: SharedSession): boolean {
  return !hub.isReady() || hub.hosts.some((host) => host.isAwaited);
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
