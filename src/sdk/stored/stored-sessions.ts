import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { type FoundSession, findSession, listSessions, sessionSummary } from '../sessions/catalog.ts';
import type { ImportedSession } from '../sessions/import-session.ts';
import { isSessionId } from '../sessions/layout.ts';
import type { SessionMessage } from '../sessions/messages.ts';
import type { ReferenceSessionStore } from '../sessions/reference-store-types.ts';
import type { SessionStore } from '../sessions/store.ts';
import type { StoredSummary } from '../sessions/store-catalog.ts';
import { withWorktrees } from '../sessions/worktrees.ts';
import { findConfigHome } from '../util/config-home.ts';
import type { Branch, SessionTree } from '../wire/control/index.ts';
import { HeddleError } from '../wire/errors.ts';
import type {
  ForkSessionOptions,
  ImportSessionToStoreOptions,
  ListSessionsOptions,
  SessionMessagesOptions,
  SessionPlaceOptions,
} from './sessions.ts';
import type { StoreSession } from './store-sessions.ts';
import { checkStoredOptions } from './stored-options.ts';
import { ownEnv } from './subprocess-env.ts';

/** The bodies of the functions in `sessions.ts`. What a list does not need is loaded when it is: a list shall be quick. */
export async function list(options: ListSessionsOptions): Promise<StoredSummary[]> {
  checkStoredOptions(options);
  const { dir, includeWorktrees = true, limit, offset, sessionStore } = options;
  if (sessionStore) return (await listStore(sessionStore, options)).map(shown);
  const project = dir === undefined ? undefined : realPath(dir);
  const found = await listSessions({
    home: homeOf(options),
    ...(project !== undefined && { project: includeWorktrees ? withWorktrees(project) : project }),
    ...(limit !== undefined && { limit }),
    ...(offset !== undefined && { offset }),
  });
  return found.map(shown);
}

/** Whole milliseconds, as dates have them; and files say HEAD where there is no branch, or no repository at all. */
function shown({ gitBranch, ...summary }: StoredSummary): StoredSummary {
  const branch = gitBranch !== undefined && gitBranch !== 'HEAD' && { gitBranch };
  return { ...summary, lastModified: Math.trunc(summary.lastModified), ...branch };
}

/** A store of either kind, as we use it. */
async function ours(store: AnyStore): Promise<SessionStore> {
  return (await import('../sessions/any-store.ts')).toSessionStore(store);
}

type AnyStore = SessionStore | ReferenceSessionStore;

async function listStore(store: AnyStore, { dir = '.', limit, offset }: ListSessionsOptions): Promise<StoredSummary[]> {
  const { listStoreSessions } = await import('../sessions/store-catalog.ts');
  return listStoreSessions(await ours(store), {
    project: realPath(dir),
    ...(limit !== undefined && { limit }),
    ...(offset !== undefined && { offset }),
  });
}

/** The session in the store of the options; null when they name none. */
async function inStore(sessionId: string, options: SessionPlaceOptions): Promise<StoreSession | null> {
  checkStoredOptions(options);
  const { sessionStore, dir = '.' } = options;
  if (!sessionStore) return null;
  const { storeSession } = await import('./store-sessions.ts');
  return storeSession(await ours(sessionStore), { project: realPath(dir), sessionId });
}

export async function info(sessionId: string, options: SessionPlaceOptions): Promise<StoredSummary | undefined> {
  const stored = await inStore(sessionId, options);
  if (stored) {
    const told = await stored.info();
    return told && shown(told);
  }
  try {
    const summary = sessionSummary((await find(sessionId, options)).path);
    return summary ? shown(summary) : undefined;
  } catch (error) {
    if (HeddleError.isInstance(error) && error.code === 'session_not_found') return undefined;
    throw error;
  }
}

export async function messages(sessionId: string, options: SessionMessagesOptions): Promise<SessionMessage[]> {
  const stored = await inStore(sessionId, options);
  if (stored) return stored.messages(options);
  const { getSessionMessages } = await import('../sessions/messages.ts');
  return getSessionMessages((await find(sessionId, options)).path, options);
}

export async function subagents(sessionId: string, options: SessionPlaceOptions): Promise<string[]> {
  const stored = await inStore(sessionId, options);
  if (stored) return stored.subagents();
  const { listSubagents } = await import('../sessions/messages.ts');
  return listSubagents((await find(sessionId, options)).path);
}

export async function subagentMessages(
  sessionId: string,
  agentId: string,
  options: SessionMessagesOptions,
): Promise<SessionMessage[]> {
  const stored = await inStore(sessionId, options);
  if (stored) return stored.subagentMessages(agentId, options);
  const { getSubagentMessages } = await import('../sessions/messages.ts');
  return getSubagentMessages((await find(sessionId, options)).path, agentId, options);
}

export async function rename(sessionId: string, title: string, options: SessionPlaceOptions): Promise<void> {
  const { renameSession, titleEntry } = await import('../sessions/session-admin.ts');
  const stored = await inStore(sessionId, options);
  if (stored) return stored.append(titleEntry(sessionId, title));
  return renameSession(await find(sessionId, options), title);
}

export async function tag(sessionId: string, name: string | null, options: SessionPlaceOptions): Promise<void> {
  const { tagEntry, tagSession } = await import('../sessions/session-admin.ts');
  const stored = await inStore(sessionId, options);
  if (stored) return stored.append(tagEntry(sessionId, name));
  return tagSession(await find(sessionId, options), name);
}

export async function archive(
  sessionId: string,
  options: SessionPlaceOptions,
  { archived }: { archived: boolean },
): Promise<void> {
  const { archiveSession } = await import('../sessions/session-admin.ts');
  return archiveSession(await find(sessionId, options), { archived, now: Date.now });
}

export async function fork(sessionId: string, options: ForkSessionOptions): Promise<{ sessionId: string }> {
  const { upToMessageId, title } = options;
  const stored = await inStore(sessionId, options);
  if (stored) return stored.fork({ upToMessageId, title });
  const [{ forkSession }, { randomIds }] = await Promise.all([
    import('../sessions/fork-session.ts'),
    import('../util/system-runtime.ts'),
  ]);
  const copy = await forkSession(await find(sessionId, options), {
    ids: randomIds(),
    ...(upToMessageId !== undefined && { upToMessageId }),
    ...(title !== undefined && { title }),
  });
  return { sessionId: copy.sessionId };
}

export async function importTo(
  sessionId: string,
  store: AnyStore,
  options: ImportSessionToStoreOptions,
): Promise<ImportedSession> {
  const { dir, includeSubagents = true, batchSize = 500 } = options;
  const { importSession } = await import('../sessions/import-session.ts');
  const found = await find(sessionId, options);
  const project = dir === undefined ? sessionSummary(found.path)?.cwd : realPath(dir);
  if (project === undefined) {
    throw invalid('dir', `${found.path} does not say in which directory it was started: name it with dir`);
  }
  return importSession(found, await ours(store), { project, includeSubagents, batchSize });
}

/** What a store has deleted is nowhere. */
export async function remove(
  sessionId: string,
  options: SessionPlaceOptions,
): Promise<{ movedTo: string } | undefined> {
  const stored = await inStore(sessionId, options);
  if (stored) {
    await stored.remove();
    return undefined;
  }
  const { removeUnheld } = await import('./unheld-sessions.ts');
  return removeUnheld(await find(sessionId, options), homeOf(options));
}

export async function tree(sessionId: string, options: SessionPlaceOptions): Promise<SessionTree> {
  const stored = await inStore(sessionId, options);
  if (stored) return stored.tree();
  const [{ session, leaf }, { sessionTree }] = await Promise.all([
    whole(sessionId, options),
    import('../sessions/tree-report.ts'),
  ]);
  return sessionTree(session.tree, leaf);
}

export async function branches(sessionId: string, options: SessionPlaceOptions): Promise<Branch[]> {
  const stored = await inStore(sessionId, options);
  if (stored) return stored.branches();
  const [{ session, leaf }, { branchesOf }] = await Promise.all([
    whole(sessionId, options),
    import('../sessions/tree-report.ts'),
  ]);
  return branchesOf(session.tree, leaf, session.summaries);
}

export async function switchTo(
  sessionId: string,
  leaf: string,
  options: SessionPlaceOptions,
): Promise<{ leaf: string }> {
  const stored = await inStore(sessionId, options);
  if (stored) return stored.switchTo(leaf);
  const { switchUnheld } = await import('./unheld-sessions.ts');
  return switchUnheld(await find(sessionId, options), homeOf(options), leaf);
}

async function whole(sessionId: string, options: SessionPlaceOptions) {
  const [{ readStoredSession }, { activeLeaf }] = await Promise.all([
    import('../sessions/stored-session.ts'),
    import('../sessions/tree.ts'),
  ]);
  const session = await readStoredSession(await find(sessionId, options));
  return { session, leaf: activeLeaf(session.tree).leaf?.id ?? null };
}

/** Programs name sessions by their ids; titles and beginnings of ids are for people. */
function find(sessionId: string, options: SessionPlaceOptions): Promise<FoundSession> {
  checkStoredOptions(options);
  refuseStore(options);
  if (!isSessionId(sessionId)) {
    throw new HeddleError('invalid_option', `Not a session id: ${JSON.stringify(sessionId)}. It must be a UUID.`);
  }
  const { dir } = options;
  return findSession({
    home: homeOf(options),
    name: sessionId,
    ...(dir !== undefined && { project: realPath(dir) }),
  });
}

/** To look for its sessions on a disk instead would be a surprise. */
function refuseStore({ sessionStore }: SessionPlaceOptions): void {
  if (sessionStore === undefined) return;
  const message = 'sessionStore cannot be used here: this function works on the files of a config home';
  throw new HeddleError('not_supported', message, { facts: { option: 'sessionStore' } });
}

function invalid(option: string, message: string): HeddleError {
  return new HeddleError('invalid_option', message, { facts: { option } });
}

function homeOf({ home }: SessionPlaceOptions): string {
  if (home !== undefined) return home;
  const found = findConfigHome(ownEnv());
  if (!found) throw invalid('home', 'There is no place for sessions: set HEDDLE_HOME or HOME');
  if ('problem' in found) throw new HeddleError('invalid_settings', found.problem);
  return found.path;
}

/** A directory that is gone still has its sessions. */
function realPath(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return resolve(dir);
  }
}
