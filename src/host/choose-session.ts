import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isSessionId } from '../sessions/layout.ts';
import type { SessionKey, SessionStore } from '../sessions/store.ts';
import { HeddleError } from '../wire/errors.ts';
import type { RunConfig } from '../wire/run-config.ts';

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
  const { source, isFile, missing } = await findSource(config, options);
  if (source !== null && !config.forkSession && !isFile) {
    if (sessionId === undefined) return { sessionId: source.key.sessionId, source, missing };
    throw usage('--session-id can be used with --resume or --continue only together with --fork-session');
  }
  if (sessionId !== undefined && (await store?.exists({ project: cwd, sessionId }))) {
    const advice = 'resume it, or choose another one';
    throw new HeddleError('session_exists', `Error: Session ID ${sessionId} is already in use: ${advice}`);
  }
  // Whoever asks for a session by its id finds the one that was begun in its place under the same id.
  const asked = missing !== null && typeof config.resume === 'string' && isSessionId(config.resume);
  return { sessionId: sessionId ?? (asked ? String(config.resume) : newId()), source, missing };
}

interface FoundSource {
  source: SessionSource | null;
  /** A bare file is never written to: its conversation goes on in a new session. */
  isFile: boolean;
  missing: string | null;
}

const NOTHING: FoundSource = { source: null, isFile: false, missing: null };

async function findSource(config: RunConfig, options: ChooseOptions): Promise<FoundSource> {
  const { resume } = config;
  if (resume === true) throw usage('--resume needs a session ID here: heddle -p --resume <session-id> "prompt"');
  if (resume === undefined) return newestSource(config, options);
  try {
    return await namedSource(resume, options);
  } catch (error) {
    const isMissing = HeddleError.isInstance(error) && error.code === 'session_not_found';
    if (!isMissing || config.onMissing !== 'fresh') throw error;
    return { ...NOTHING, missing: error.message };
  }
}

async function newestSource(config: RunConfig, { store, cwd }: ChooseOptions): Promise<FoundSource> {
  if (!config.continue || !store) return NOTHING;
  const [newest] = await store.list(cwd);
  if (!newest) return NOTHING;
  return { ...NOTHING, source: { store, key: { project: cwd, sessionId: newest.sessionId } } };
}

async function namedSource(name: string, options: ChooseOptions): Promise<FoundSource> {
  const { store, home, cwd } = options;
  if (!store) throw notFound(name, options);
  if (isSessionId(name)) return { ...NOTHING, source: { store, key: await keyOf(store, name, options) } };
  const path = resolve(cwd, name);
  if (isFile(path)) {
    const { readOnlyTranscript } = await import('../sessions/read-only-transcript.ts');
    return { ...NOTHING, source: readOnlyTranscript(path, cwd), isFile: true };
  }
  if (home === null) throw usage(`--resume needs a session ID (a UUID) here, not '${name}'`);
  const { findSession } = await import('../sessions/catalog.ts');
  const { sessionId } = await findSession({ home, name, project: cwd, cwd });
  return { ...NOTHING, source: { store, key: await keyOf(store, sessionId, options) } };
}

/** In this project, or wherever else it is. */
async function keyOf(store: SessionStore, sessionId: string, options: ChooseOptions): Promise<SessionKey> {
  const key: SessionKey = { project: options.cwd, sessionId };
  if ((await store.exists(key)) || (await store.find?.(sessionId))) return key;
  throw notFound(sessionId, options);
}

/** The text is one that hosts match (ruling P5); where it was looked for is among the facts. */
function notFound(name: string, { cwd, home }: ChooseOptions): HeddleError {
  const facts = { cwd, ...(home !== null && { looked: [`${home}/projects`] }) };
  return new HeddleError('session_not_found', `No conversation found with session ID: ${name}`, { facts });
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function usage(message: string): HeddleError {
  return new HeddleError('invalid_option', `Error: ${message}`);
}
