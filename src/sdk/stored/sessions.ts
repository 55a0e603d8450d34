import type { SessionStore } from '../../sessions/store.ts';
import type { ImportedSession } from '../../sessions/stored/import-session.ts';
import type { SessionMessage } from '../../sessions/stored/messages.ts';
import type { StoredSummary } from '../../sessions/stores/list-store.ts';
import type { ReferenceSessionStore } from '../../sessions/stores/reference-store-types.ts';
import type {
  ForkSessionOptions,
  ImportSessionToStoreOptions,
  ListSessionsOptions,
  SessionMessagesOptions,
  SessionPlaceOptions,
} from './stored-options.ts';
import { type Branch, type SessionTree, toBranches, toTree } from './tree-types.ts';

export type { ImportedSession } from '../../sessions/stored/import-session.ts';
export type { SessionMessage } from '../../sessions/stored/messages.ts';
export { foldSessionSummary } from '../../sessions/stores/summary-of-entries.ts';

/**
 * The description of a session: `summary` is its custom title, else its last prompt, else its first. A session in a
 * store has `path` and `fileSize` only where the store provides them.
 */
export type SDKSessionInfo = StoredSummary;

/**
 * The sessions of `dir`, or of all projects, newest first. Only the two ends of each file are read; a file that cannot
 * be read has an empty `summary`.
 *
 * @example
 * for (const { sessionId, summary } of await listSessions({ dir: '.', limit: 20 })) console.log(sessionId, summary);
 */
export async function listSessions(options: ListSessionsOptions = {}): Promise<SDKSessionInfo[]> {
  return (await stored()).list(options);
}

/**
 * The description of one session, in any project; undefined when the session does not exist.
 *
 * @example
 * const info = await getSessionInfo(sessionId);
 * console.log(info?.customTitle ?? info?.firstPrompt);
 */
export async function getSessionInfo(
  sessionId: string,
  options: SessionPlaceOptions = {},
): Promise<SDKSessionInfo | undefined> {
  return (await stored()).info(sessionId, options);
}

/**
 * The user and assistant messages of a session's active branch, oldest first; from the last compaction on, unless
 * `includeCompacted` asks for all. Rejects with `session_not_found`.
 *
 * @example
 * const page = await getSessionMessages(sessionId, { limit: 50, offset: 0 });
 */
export async function getSessionMessages(
  sessionId: string,
  options: SessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  return (await stored()).messages(sessionId, options);
}

/**
 * The ids of the subagents of a session.
 *
 * @example
 * for (const agentId of await listSubagents(sessionId)) console.log(await getSubagentMessages(sessionId, agentId));
 */
export async function listSubagents(sessionId: string, options: SessionPlaceOptions = {}): Promise<string[]> {
  return (await stored()).subagents(sessionId, options);
}

/**
 * The messages between a session and one of its subagents. Rejects with `session_not_found`.
 *
 * @example
 * const messages = await getSubagentMessages(sessionId, agentId);
 */
export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: SessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  return (await stored()).subagentMessages(sessionId, agentId, options);
}

/**
 * Sets the title of a session; the last one counts.
 *
 * @example
 * await renameSession(sessionId, 'Parser rewrite');
 */
export async function renameSession(
  sessionId: string,
  title: string,
  options: SessionPlaceOptions = {},
): Promise<void> {
  return (await stored()).rename(sessionId, title, options);
}

/**
 * Sets the tag of a session; the last one counts. Null removes it.
 *
 * @example
 * await tagSession(sessionId, 'release');
 */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionPlaceOptions = {},
): Promise<void> {
  return (await stored()).tag(sessionId, tag, options);
}

/**
 * Archives a session: `listSessions` still lists it, with `archived: true`. A later prompt removes it from the archive.
 * The transcript and a running agent are unaffected. Rejects with `session_not_found`.
 *
 * @example
 * await archiveSession(sessionId);
 * const shown = (await listSessions({ dir: '.' })).filter(({ archived }) => !archived);
 */
export async function archiveSession(sessionId: string, options: SessionPlaceOptions = {}): Promise<void> {
  return (await stored()).archive(sessionId, options, { archived: true });
}

/**
 * Removes a session from the archive: `listSessions` lists it with `archived: false`. Rejects with `session_not_found`.
 *
 * @example
 * await unarchiveSession(sessionId);
 */
export async function unarchiveSession(sessionId: string, options: SessionPlaceOptions = {}): Promise<void> {
  return (await stored()).archive(sessionId, options, { archived: false });
}

/**
 * Copies a branch to a new session in the same project. Messages get new uuids, and `forkedFrom` with the old ones; the
 * source stays unchanged.
 *
 * @example
 * const { sessionId: copy } = await forkSession(sessionId, { upToMessageId: uuid, title: 'Another way' });
 */
export async function forkSession(sessionId: string, options: ForkSessionOptions = {}): Promise<{ sessionId: string }> {
  return (await stored()).fork(sessionId, options);
}

/**
 * Copies a stored session and the transcripts of its subagents into a store, in batches. In the store it belongs to
 * `dir`, else to the directory in which it started; the source stays unchanged. Entries whose uuid the store already
 * has are skipped, so a failed import may be repeated.
 *
 * Rejects with `session_not_found`, and as the store's `append` does. Resolves with the number of copied entries, and
 * the damaged parts of the files that were skipped.
 *
 * @example
 * import { createMemoryStore } from 'heddle/stores/memory'; // in place of yours
 *
 * const store = createMemoryStore();
 * await importSessionToStore(sessionId, store, { batchSize: 100 });
 */
export async function importSessionToStore(
  sessionId: string,
  store: SessionStore | ReferenceSessionStore,
  options: ImportSessionToStoreOptions = {},
): Promise<ImportedSession> {
  return (await stored()).importTo(sessionId, store, options);
}

/**
 * Moves a session and its subagents to the trash of the home; `movedTo` is the folder. Rejects with `session_busy`
 * while an agent writes to it. With `sessionStore` it deletes the session from the store for good.
 *
 * @example
 * const { movedTo } = await deleteSession(sessionId);
 */
export async function deleteSession(
  sessionId: string,
  options: SessionPlaceOptions & Required<Pick<SessionPlaceOptions, 'sessionStore'>>,
): Promise<undefined>;
export async function deleteSession(
  sessionId: string,
  options?: SessionPlaceOptions & { sessionStore?: undefined },
): Promise<{ movedTo: string }>;
export async function deleteSession(
  sessionId: string,
  options?: SessionPlaceOptions,
): Promise<{ movedTo: string } | undefined>;
export async function deleteSession(
  sessionId: string,
  options: SessionPlaceOptions = {},
): Promise<{ movedTo: string } | undefined> {
  return (await stored()).remove(sessionId, options);
}

/**
 * Every message of a stored session with its parent, on all its branches, in the order of the file; `leafUuid` is the
 * message that a resume continues from. `Query.tree()` returns the same for a running session.
 *
 * @example
 * const { nodes, leaves } = await getSessionTree(sessionId);
 */
export async function getSessionTree(sessionId: string, options: SessionPlaceOptions = {}): Promise<SessionTree> {
  return toTree(await (await stored()).tree(sessionId, options));
}

/**
 * The branches of a stored session, one for each leaf.
 *
 * @example
 * const [active] = (await getSessionBranches(sessionId)).filter((branch) => branch.active);
 */
export async function getSessionBranches(sessionId: string, options: SessionPlaceOptions = {}): Promise<Branch[]> {
  return toBranches(await (await stored()).branches(sessionId, options));
}

/**
 * Records the message that a stored session continues from. Rejects with `session_busy` while an agent writes to the
 * session: use `Query.switch` then.
 *
 * @example
 * const [branch] = await getSessionBranches(sessionId);
 * if (branch) await switchSession(sessionId, branch.leafUuid);
 */
export async function switchSession(
  sessionId: string,
  leaf: string,
  options: SessionPlaceOptions = {},
): Promise<{ leaf: string }> {
  return (await stored()).switchTo(sessionId, leaf, options);
}

/** Loaded on first use: most programs only run an agent. */
function stored(): Promise<typeof import('./stored-sessions.ts')> {
  return import('./stored-sessions.ts');
}
