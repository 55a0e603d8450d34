import { isSessionId } from '../sessions/layout.ts';
import type { SessionKey, SessionStore } from '../sessions/store.ts';
import { HeddleError } from '../wire/errors.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { FoundPast } from './find-source.ts';

/** Which session a launch is about. */
export interface SessionChoice {
  /** The one to write to. */
  sessionId: string;
  /** The one whose past it goes on from; null for a new one. */
  source: SessionSource | null;
  /** Why it is a new one although another was asked for. */
  missing: string | null;
}

export interface SessionSource {
  key: SessionKey;
  store: SessionStore;
}

export interface ChooseOptions {
  /** Null: nothing is kept and nothing can be resumed. */
  store: SessionStore | null;
  /** Where sessions can be looked up by title; null when the store is not the folder of this home. */
  home: string | null;
  cwd: string;
  newId: () => string;
}

export function isResuming(config: RunConfig): boolean {
  return config.resume !== undefined || config.continue === true;
}

/** Rejects with a HeddleError that says what is missing, or which flags do not go together. */
export async function chooseSession(config: RunConfig, options: ChooseOptions): Promise<SessionChoice> {
  const { store, cwd, newId } = options;
  const { sessionId } = config;
  if (sessionId !== undefined && !isSessionId(sessionId)) {
    throw usage(`--session-id must be a UUID, not '${sessionId}'`);
  }
  if (!isResuming(config) && (config.forkSession || config.resumeSessionAt !== undefined)) {
    throw usage('--fork-session and --resume-session-at need --resume or --continue');
  }
  if (config.resumeDropsTurn !== undefined && config.resumeSessionAt === undefined) {
    throw usage('--resume-drops-turn needs --resume-session-at');
  }
  const { source, isFile, missing } = isResuming(config) ? await findPast(config, options) : NO_PAST;
  if (source !== null && !config.forkSession && !isFile) {
    if (sessionId === undefined) return { sessionId: source.key.sessionId, source, missing };
    throw usage('--session-id can be used with --resume or --continue only together with --fork-session');
  }
  if (sessionId !== undefined && store) {
    const { checkUnused } = await import('./check-unused.ts');
    await checkUnused(store, { project: cwd, sessionId });
  }
  // Whoever asks for a session by its id finds the one that was begun in its place under the same id.
  const asked = missing !== null && typeof config.resume === 'string' && isSessionId(config.resume);
  return { sessionId: sessionId ?? (asked ? String(config.resume) : newId()), source, missing };
}

const NO_PAST: FoundPast = { source: null, isFile: false, missing: null };

/** Most sessions are new; what looks for others is loaded only then. */
async function findPast(config: RunConfig, options: ChooseOptions): Promise<FoundPast> {
  const { findSource } = await import('./find-source.ts');
  return findSource(config, options);
}

function usage(message: string): HeddleError {
  return new HeddleError('invalid_option', `Error: ${message}`);
}
