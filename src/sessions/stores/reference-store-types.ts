import type { SessionSummaryEntry } from './store.ts';

/** Names one transcript in a store that was written for the reference's SDK. */
export interface ReferenceSessionKey {
  /** The path of the working directory with every character but letters and digits as a dash. */
  projectKey: string;
  sessionId: string;
  /** `subagents/agent-<id>` for the transcript of a subagent; the session's own has none. */
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
 * A session store that was written for the reference's SDK. It is taken wherever a `SessionStore` is, as it is: calls to
 * `append` for one transcript never overlap; one that rejects is tried three times in all; and a uuid that the transcript
 * has is not handed over again.
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
 * When entries are handed to such a store, each time awaited before anything is said of them. `batched`: what comes while
 * one `append` to the transcript runs goes together in the next; `eager`: every group in a call of its own.
 */
export type SessionStoreFlush = 'batched' | 'eager';
