import { isSessionId } from '../../sessions/files/session-paths.ts';
import { withWorktrees } from '../../sessions/files/worktrees.ts';
import type { SessionStore } from '../../sessions/store.ts';
import {
  archiveSession,
  deleteSession,
  renameSession,
  switchLeaf,
  tagEntry,
  tagSession,
  titleEntry,
} from '../../sessions/stored/change-session.ts';
import { forkSession } from '../../sessions/stored/fork-session.ts';
import { type ImportedSession, importSession } from '../../sessions/stored/import-session.ts';
import { findSession, type LocatedSession, listSessions, sessionSummary } from '../../sessions/stored/list-sessions.ts';
import {
  getSessionMessages,
  getSubagentMessages,
  listSubagents,
  type SessionMessage,
} from '../../sessions/stored/messages.ts';
import { readStoredSession } from '../../sessions/stored/stored-session.ts';
import { branchesOf, sessionTree } from '../../sessions/stored/tree-pages.ts';
import { listStoreSessions, type StoredSummary } from '../../sessions/stores/list-store.ts';
import { toSessionStore } from '../../sessions/stores/reference-store.ts';
import type { ReferenceSessionStore } from '../../sessions/stores/reference-store-types.ts';
import { withLease } from '../../sessions/stores/with-lease.ts';
import { activeLeaf } from '../../sessions/tree/build-tree.ts';
import type { Branch, SessionTree } from '../../wire/control/index.ts';
import { HeddleError } from '../../wire/errors.ts';
import { homeOf, realPath } from '../subprocess/session-location.ts';
import { type StoreSession, storeSession } from './store-sessions.ts';
import {
  checkStoredOptions,
  type ForkSessionOptions,
  type ImportSessionToStoreOptions,
  type ListSessionsOptions,
  type SessionMessagesOptions,
  type SessionPlaceOptions,
} from './stored-options.ts';
import { randomIds, silentLogger } from './stored-runtime.ts';

/** The bodies of the functions in `sessions.ts`. */
export async function list(options: ListSessionsOptions): Promise<StoredSummary[]> {
  checkStoredOptions(options);
  const { dir, includeWorktrees = true, limit, offset, sessionStore } = options;
  if (sessionStore) return (await listStore(sessionStore, options)).map(shown);
  const project = dir === undefined ? undefined : realPath(dir);
  return listSessions({
    home: homeOf(options),
    ...(project !== undefined && { project: includeWorktrees ? withWorktrees(project) : project }),
    ...(limit !== undefined && { limit }),
    ...(offset !== undefined && { offset }),
  });
}

/**
 * Stores may have anything in a summary, unlike session files. Rounds to whole milliseconds, as dates have them, and leaves out the branch HEAD, which files record without a branch
 * or repository.
 */
function shown({ gitBranch, ...summary }: StoredSummary): StoredSummary {
  const branch = gitBranch !== undefined && gitBranch !== 'HEAD' && { gitBranch };
  return { ...summary, lastModified: Math.trunc(summary.lastModified), ...branch };
}

type AnyStore = SessionStore | ReferenceSessionStore;

async function listStore(store: AnyStore, { dir = '.', limit, offset }: ListSessionsOptions): Promise<StoredSummary[]> {
  return listStoreSessions(toSessionStore(store), {
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
  return storeSession(toSessionStore(sessionStore), { project: realPath(dir), sessionId });
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
  return getSessionMessages((await find(sessionId, options)).path, options);
}

export async function subagents(sessionId: string, options: SessionPlaceOptions): Promise<string[]> {
  const stored = await inStore(sessionId, options);
  if (stored) return stored.subagents();
  return listSubagents((await find(sessionId, options)).path);
}

export async function subagentMessages(
  sessionId: string,
  agentId: string,
  options: SessionMessagesOptions,
): Promise<SessionMessage[]> {
  const stored = await inStore(sessionId, options);
  if (stored) return stored.subagentMessages(agentId, options);
  return getSubagentMessages((await find(sessionId, options)).path, agentId, options);
}

export async function rename(sessionId: string, title: string, options: SessionPlaceOptions): Promise<void> {
  const stored = await inStore(sessionId, options);
  if (stored) return stored.append(titleEntry(sessionId, title));
  return renameSession(await find(sessionId, options), title);
}

export async function tag(sessionId: string, name: string | null, options: SessionPlaceOptions): Promise<void> {
  const stored = await inStore(sessionId, options);
  if (stored) return stored.append(tagEntry(sessionId, name));
  return tagSession(await find(sessionId, options), name);
}

export async function archive(
  sessionId: string,
  options: SessionPlaceOptions,
  { archived }: { archived: boolean },
): Promise<void> {
  return archiveSession(await find(sessionId, options), { archived, now: Date.now });
}

export async function fork(sessionId: string, options: ForkSessionOptions): Promise<{ sessionId: string }> {
  const { upToMessageId, title } = options;
  const stored = await inStore(sessionId, options);
  if (stored) return stored.fork({ upToMessageId, title });
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
  const located = await find(sessionId, options);
  const project = dir === undefined ? sessionSummary(located.path)?.cwd : realPath(dir);
  if (project === undefined) {
    throw invalid('dir', `${located.path} does not say in which directory it was started: name it with dir`);
  }
  return importSession(located, toSessionStore(store), { project, includeSubagents, batchSize });
}

/** Moves a session to the trash, unless another process holds it. A session that was deleted from a store is not in the trash. */
export async function remove(
  sessionId: string,
  options: SessionPlaceOptions,
): Promise<{ movedTo: string } | undefined> {
  const stored = await inStore(sessionId, options);
  if (stored) {
    await stored.remove();
    return undefined;
  }
  const located = await find(sessionId, options);
  const home = homeOf(options);
  return withLease(located.sessionId, { home, log: silentLogger }, () =>
    deleteSession(located, { home, now: Date.now }),
  );
}

export async function tree(sessionId: string, options: SessionPlaceOptions): Promise<SessionTree> {
  const stored = await inStore(sessionId, options);
  if (stored) return stored.tree();
  const { session, leaf } = await whole(sessionId, options);
  return sessionTree(session.tree, leaf);
}

export async function branches(sessionId: string, options: SessionPlaceOptions): Promise<Branch[]> {
  const stored = await inStore(sessionId, options);
  if (stored) return stored.branches();
  const { session, leaf } = await whole(sessionId, options);
  return branchesOf(session.tree, leaf, session.summaries);
}

/** Records the leaf that a session continues from, unless a process is about to resume it. */
export async function switchTo(
  sessionId: string,
  leaf: string,
  options: SessionPlaceOptions,
): Promise<{ leaf: string }> {
  const stored = await inStore(sessionId, options);
  if (stored) return stored.switchTo(leaf);
  const located = await find(sessionId, options);
  return withLease(located.sessionId, { home: homeOf(options), log: silentLogger }, () => switchLeaf(located, leaf));
}

async function whole(sessionId: string, options: SessionPlaceOptions) {
  const session = await readStoredSession(await find(sessionId, options));
  return { session, leaf: activeLeaf(session.tree).leaf?.id ?? null };
}

/** Programs name sessions by their ids; titles and prefixes of ids are for people. */
function find(sessionId: string, options: SessionPlaceOptions): Promise<LocatedSession> {
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

/** Refuses a store where only a disk works: looking at the disk instead would be a surprise. */
function refuseStore({ sessionStore }: SessionPlaceOptions): void {
  if (sessionStore === undefined) return;
  const message = 'sessionStore cannot be used here: this function works on the files of a config home';
  throw new HeddleError('not_supported', message, { facts: { option: 'sessionStore' } });
}

function invalid(option: string, message: string): HeddleError {
  return new HeddleError('invalid_option', message, { facts: { option } });
}
