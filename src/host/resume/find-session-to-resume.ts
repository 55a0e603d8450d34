import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isSessionId } from '../../sessions/files/session-paths.ts';
import type { SessionKey, SessionStore } from '../../sessions/store.ts';
import { findSession } from '../../sessions/stored/list-sessions.ts';
import { readOnlyTranscript } from '../../sessions/stores/single-file-store.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import { type ChooseOptions, type ResumeSource, usage } from './resume-source.ts';

const NOTHING: ResumeSource = { source: null, isFile: false, missing: null };

/** Rejects with a HeddleError that names the missing session. */
export async function findSource(config: RunConfig, options: ChooseOptions): Promise<ResumeSource> {
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

async function newestSource(config: RunConfig, { store, cwd }: ChooseOptions): Promise<ResumeSource> {
  if (!config.continue || !store) return NOTHING;
  const [newest] = await store.list(cwd);
  if (!newest) return { ...NOTHING, missing: `There is no session of ${cwd} to continue` };
  return { ...NOTHING, source: { store, key: { project: cwd, sessionId: newest.sessionId } } };
}

async function namedSource(name: string, options: ChooseOptions): Promise<ResumeSource> {
  const { store, home, cwd } = options;
  if (!store) throw notFound(name, options);
  if (isSessionId(name)) return { ...NOTHING, source: { store, key: await keyOf(store, name, options) } };
  const path = resolve(cwd, name);
  if (isFile(path)) return { ...NOTHING, source: readOnlyTranscript(path, cwd), isFile: true };
  if (home === null) throw usage(`--resume needs a session ID (a UUID) here, not '${name}'`);
  const { sessionId } = await findSession({ home, name, project: cwd, cwd });
  return { ...NOTHING, source: { store, key: await keyOf(store, sessionId, options) } };
}

/** Finds the session in this project, or else in any other. */
async function keyOf(store: SessionStore, sessionId: string, options: ChooseOptions): Promise<SessionKey> {
  const key: SessionKey = { project: options.cwd, sessionId };
  const found = (await store.exists(key)) ? key : await store.find?.(sessionId);
  if (found) return found;
  throw notFound(sessionId, options);
}

/** Hosts match this text; its facts name the folders that were searched. */
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
