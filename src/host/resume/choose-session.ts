import { isSessionId } from '../../sessions/files/session-paths.ts';
import type { SessionKey, SessionStore } from '../../sessions/store.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import { findSource } from './find-session-to-resume.ts';
import { type ChooseOptions, type ResumeSource, type SessionSource, usage } from './resume-source.ts';

/** The session that a launch opens. */
export interface SessionChoice {
  /** The session to write to. */
  sessionId: string;
  /** The session whose history it continues; null for a new one. */
  source: SessionSource | null;
  /** Why a new session is opened although the launch asked for a stored one. */
  missing: string | null;
}

export function isResuming(config: RunConfig): boolean {
  return config.resume !== undefined || config.continue === true;
}

/** Rejects with a HeddleError that names the missing session, or the flags that exclude each other. */
export async function chooseSession(config: RunConfig, options: ChooseOptions): Promise<SessionChoice> {
  const { store, cwd, newId } = options;
  const { sessionId } = config;
  if (sessionId !== undefined && !isSessionId(sessionId)) {
    throw usage(`--session-id must be a UUID, not '${sessionId}'`);
  }
  if (!isResuming(config) && (config.forkSession || config.resumeSessionAt !== undefined)) {
    throw usage('--fork-session and --resume-session-at need --resume or --continue');
  }
  if (!isResuming(config) && config.continueTurn) throw usage('--continue-turn needs --resume or --continue');
  if (config.resumeDropsTurn !== undefined && config.resumeSessionAt === undefined) {
    throw usage('--resume-drops-turn needs --resume-session-at');
  }
  const { source, isFile, missing } = isResuming(config) ? await findSource(config, options) : NO_HISTORY;
  if (source !== null && !config.forkSession && !isFile) {
    if (sessionId === undefined) return { sessionId: source.key.sessionId, source, missing };
    throw usage('--session-id can be used with --resume or --continue only together with --fork-session');
  }
  if (sessionId !== undefined && store) await checkUnused(store, { project: cwd, sessionId });
  // The new session takes the id that the launch asked for, so that the next resume by this id finds it.
  const asked = missing !== null && typeof config.resume === 'string' && isSessionId(config.resume);
  return { sessionId: sessionId ?? (asked ? String(config.resume) : newId()), source, missing };
}

/**
 * Rejects with `session_exists` when a session of this or another project has the id. Two sessions with one id would hide
 * each other from a lookup by id.
 */
async function checkUnused(store: SessionStore, key: SessionKey): Promise<void> {
  const { sessionId } = key;
  if (await store.exists(key)) {
    const advice = 'resume it, or choose another one';
    throw new HeddleError('session_exists', `Error: Session ID ${sessionId} is already in use: ${advice}`);
  }
  const elsewhere = await store.find?.(sessionId);
  if (!elsewhere) return;
  const location = store.locate?.(elsewhere) ?? elsewhere.project;
  const advice = `resume it (--resume ${sessionId}), fork it (and --fork-session), or choose another id`;
  throw new HeddleError(
    'session_exists',
    `Error: Session ID ${sessionId} is already in use, by a session of another directory (${location}): ${advice}`,
    { facts: { sessionId, place: location } },
  );
}

const NO_HISTORY: ResumeSource = { source: null, isFile: false, missing: null };
