import type { ImportedSession } from '../sessions/import-session.ts';
import type { MessagesOptions, SessionMessage } from '../sessions/messages.ts';
import type { ReferenceSessionStore } from '../sessions/reference-store-types.ts';
import type { SessionStore } from '../sessions/store.ts';
import type { StoredSummary } from '../sessions/store-catalog.ts';
import { type Branch, type SessionTree, toBranches, toTree } from './tree-types.ts';

export { foldSessionSummary } from '../sessions/fold-summary.ts';
export type { ImportedSession } from '../sessions/import-session.ts';
export type { SessionMessage } from '../sessions/messages.ts';

/**
 * What is known of a session: `summary` is its custom title, else its last prompt, else its first. One in a store has
 * `path` and `fileSize` only where the store tells.
 */
export type SDKSessionInfo = StoredSummary;

/** Where sessions are looked for. */
export interface SessionPlaceOptions {
  /** The directory of a project. Without it, all projects count alike. */
  dir?: string;
  /** The config home. Default: HEDDLE_HOME, else CLAUDE_CONFIG_DIR, else ~/.heddle. */
  home?: string;
  /**
   * Has the sessions instead of a config home: those of `dir`, by default the current directory. Archives, and imports from
   * a store, are `not_supported`.
   */
  sessionStore?: SessionStore | ReferenceSessionStore;
}

export interface ListSessionsOptions extends SessionPlaceOptions {
  limit?: number;
  offset?: number;
  /** With `dir`: also the sessions of the other worktrees of its git repository. Default true. */
  includeWorktrees?: boolean;
}

export interface ImportSessionToStoreOptions extends SessionPlaceOptions {
  /** The transcripts of its subagents, too. Default true. */
  includeSubagents?: boolean;
  /** Entries in one `append`, at the most. Default 500. */
  batchSize?: number;
}

export interface SessionMessagesOptions extends SessionPlaceOptions, MessagesOptions {}

export interface ForkSessionOptions extends SessionPlaceOptions {
  /** Copies the branch that ends in this message. Default: the active one. */
  upToMessageId?: string;
  /** Default: what the source is called, with `(fork)`. */
  title?: string;
}

/**
 * The sessions of `dir`, or of all projects, newest first. Of each file on the page only the two ends are read; one that
 * cannot be read has an empty `summary`.
 *
 * @example
 * for (const { sessionId, summary } of await listSessions({ dir: '.', limit: 20 })) console.log(sessionId, summary);
 */
export async function listSessions(options: ListSessionsOptions = {}): Promise<SDKSessionInfo[]> {
  return (await stored()).list(options);
}

/**
 * What is known of one session, in whatever project it is; undefined when there is no such session.
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
 * What was said between a session and one of its subagents. Rejects with `session_not_found`.
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
 * Gives a session a title; the last one counts.
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
 * Gives a session a tag; the last one counts. Null takes it away.
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
 * Archives a session: `listSessions` still has it, with `archived: true`, and a prompt that is sent later takes it out
 * again. The transcript stays as it is, and so does an agent that runs it. Rejects with `session_not_found`.
 *
 * @example
 * await archiveSession(sessionId);
 * const shown = (await listSessions({ dir: '.' })).filter(({ archived }) => !archived);
 */
export async function archiveSession(sessionId: string, options: SessionPlaceOptions = {}): Promise<void> {
  return (await stored()).archive(sessionId, options, { archived: true });
}

/**
 * Takes a session out of the archive: `listSessions` has it with `archived: false`. Rejects with `session_not_found`.
 *
 * @example
 * await unarchiveSession(sessionId);
 */
export async function unarchiveSession(sessionId: string, options: SessionPlaceOptions = {}): Promise<void> {
  return (await stored()).archive(sessionId, options, { archived: false });
}

/**
 * Copies a branch to a session of its own, in the same project. Messages get new uuids, and `forkedFrom` with the old
 * ones; the source is not touched.
 *
 * @example
 * const { sessionId: copy } = await forkSession(sessionId, { upToMessageId: uuid, title: 'Another way' });
 */
export async function forkSession(sessionId: string, options: ForkSessionOptions = {}): Promise<{ sessionId: string }> {
  return (await stored()).fork(sessionId, options);
}

/**
 * Copies a stored session, and the transcripts of its subagents, into a store, in batches. There it belongs to `dir`, else
 * to the directory in which it was started. The source is not touched. An entry whose uuid the store holds is not stored
 * again, so what has failed half way may be tried again.
 *
 * Rejects with `session_not_found`, and as the store's `append` does. Resolves with what was handed over, and what is
 * damaged in the files and stayed behind.
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
 * Moves a session and its subagents to the trash of the home; `movedTo` is the folder. Rejects with `session_busy` while
 * an agent writes to it. With `sessionStore` it is deleted from the store, and gone.
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
 * Every message of a stored session with its parent, on all its branches, in the order of the file; `leafUuid` is where
 * a resume goes on. For a running session `Query.tree()` tells the same.
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
 * Records the message from which a stored session goes on. Rejects with `session_busy` while an agent writes to it:
 * then `Query.switch` is the way.
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

/** Loaded when first used: most programs only run an agent. */
function stored(): Promise<typeof import('./stored-sessions.ts')> {
  return import('./stored-sessions.ts');
}
