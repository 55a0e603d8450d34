import type { Engine } from '../../host/engine/engine.ts';
import { type JoinableSession, openToOthers } from '../../host/hosts/joinable-session.ts';
import { type SharedSession, shareSession } from '../../host/hosts/share-session.ts';
import { terminalPolicies } from '../../host/hosts/terminal-settings.ts';
import { type HangupPolicy, type UnattendedLimits, whileUnattended } from '../../host/hosts/unattended.ts';
import type { Launch } from '../../wire/run-config.ts';

/** A session of this process that others can join, and that can do without its terminal. */
export interface OwnSession {
  readonly shared: SharedSession;
  /** Resolves when others can find the session, or cannot for good. */
  readonly found: Promise<unknown>;
  /**
   * The terminal is gone, or was left: the session continues without it, for as long as the policy says; without one, as
   * the settings say. Resolves with the exit code when the session is over.
   */
  outlive(policy?: HangupPolicy): Promise<number>;
}

/** The exit codes of signals that end a session without a terminal. */
const ENDING = { SIGTERM: 143, SIGINT: 130 } as const;

/** After a signal the turn has this long to end. */
const GRACE_MS = 4000;

export function ownSession(engine: Engine, launch: Launch): OwnSession {
  const shared = shareSession(engine, launch);
  const { hub } = shared;
  const joinable = makeJoinable(engine, launch, shared);
  const closed = shared.ended.then(async () => (await joinable)?.close());
  return {
    shared,
    found: joinable.then((each) => each?.found),
    async outlive(policy) {
      const signals = endOnSignals(() => shared.stop());
      const { clock } = engine.runtime;
      const loading = import('./background.ts').then(({ readWholeProgram }) => readWholeProgram(engine));
      const chosen = policy ?? (await terminalPolicies(hub)).hangup;
      const limits = limitsIn(process.env);
      const isOver = whileUnattended({ hub, policy: chosen, clock, stop: () => shared.stop(), limits });
      const { exitCode } = await shared.ended;
      isOver();
      await loading.catch(() => null);
      await closed;
      signals.dispose();
      return signals.exitCode() ?? exitCode;
    },
  };
}

/** Others can join sessions that are stored in the config home: their lease is there. */
async function makeJoinable(
  engine: Engine,
  launch: Launch,
  { hub, opened }: SharedSession,
): Promise<JoinableSession | null> {
  const sessionId = await opened;
  if (sessionId === null || launch.config.noSessionPersistence || !engine.hasOwnStore) return null;
  const { log } = engine.runtime;
  const policy = async () => (await terminalPolicies(hub)).attach;
  return openToOthers({ hub, sessionId, home: engine.homeOf(launch), cwd: engine.cwdOf(launch), policy, log });
}

/** HEDDLE_UNATTENDED_MS shortens how long a session waits for a host. */
function limitsIn({ HEDDLE_UNATTENDED_MS }: NodeJS.ProcessEnv): Partial<UnattendedLimits> {
  const ms = Number(HEDDLE_UNATTENDED_MS);
  return HEDDLE_UNATTENDED_MS && ms > 0 ? { finish: ms, idle: ms, grace: ms } : {};
}

/** SIGHUP is no news: the terminal is gone already. */
function endOnSignals(stop: () => void): { exitCode(): number | null; dispose(): void } {
  let code: number | null = null;
  const onHangup = () => {};
  process.on('SIGHUP', onHangup);
  const listeners = (['SIGTERM', 'SIGINT'] as const).map((signal) => {
    const listener = () => {
      if (code !== null) process.exit(code);
      code = ENDING[signal];
      stop();
      setTimeout(() => process.exit(ENDING[signal]), GRACE_MS).unref();
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    exitCode: () => code,
    dispose() {
      process.off('SIGHUP', onHangup);
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}
