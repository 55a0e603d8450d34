import type { SessionSummaryEntry } from '../store.ts';

/** Names one transcript in a store that was written for the reference's SDK. */
export interface ReferenceSessionKey {
  /** The path of the working directory with every character except letters and digits as a dash. */
  projectKey: string;
  sessionId: string;
  /** `subagents/agent-<id>` for the transcript of a subagent; absent for the session's own. */
  subpath?: string;
}

/** One entry of a transcript, as such a store sees it. */
export interface SessionStoreEntry {
  type: string;
  uuid?: string;
  timestamp?: string;
  [name: string]: unknown;
}

/**
 * A session store that was written for the reference's SDK, accepted wherever a `SessionStore` is. Heddle never
 * overlaps calls to `append` for one transcript, tries a rejected call three times in all, and does not pass on a uuid
 * that the transcript already has.
 */
export interface ReferenceSessionStore {
  append(key: ReferenceSessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** Null where nothing was written under the key. */
  load(key: ReferenceSessionKey): Promise<SessionStoreEntry[] | null>;
  /** Without it sessions cannot be listed, nor continued without their id. */
  listSessions?(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  /** Without it sessions cannot be deleted. */
  delete?(key: ReferenceSessionKey): Promise<void>;
  /** The `subpath`s of a session. Without it subagents cannot be listed, and stay when their session is deleted. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}

/**
 * When entries are passed to such a store; Heddle always waits for `append` before it reports them. `batched`: entries
 * that arrive during one `append` go together into the next; `eager`: every group gets its own call.
 */
export type SessionStoreFlush = 'batched' | 'eager';
