import type { Entry } from '../wire/entries.ts';

/** Names one transcript: a session of a project, or a subagent of that session. */
export interface SessionKey {
  /** The project's working directory, a real path. Stores derive their own key from it. */
  project: string;
  sessionId: string;
  /** Set for a subagent's transcript. */
  agentId?: string;
}

export interface SessionInfo {
  sessionId: string;
  /** Milliseconds since the epoch. */
  lastModified: number;
  /** Bytes, where the store knows. */
  size?: number;
}

/** A stretch of a stored session that is not an entry: torn, glued, not JSON. Reported, never thrown. */
export interface Damage {
  /** 1-based line number. */
  line: number;
  reason: string;
  /** Bytes concerned. */
  bytes: number;
}

export type Loaded = { entry: Entry; line: number } | { damage: Damage };

/**
 * Where sessions are kept. Entries are opaque and kept verbatim; uuid is the idempotency key: an entry whose uuid the
 * store already holds for that key is not stored twice.
 *
 * `append` is ordered per key and resolves when the entries would survive the death of this process; it rejects with
 * `storage_failed` otherwise, and then none of the group may be half visible. `load` yields in the order of storing;
 * a session that does not exist yields nothing.
 */
export interface SessionStore {
  append(key: SessionKey, entries: readonly Entry[]): Promise<void>;
  load(key: SessionKey): AsyncIterable<Loaded>;
  exists(key: SessionKey): Promise<boolean>;
  /** Sessions of a project, newest first. */
  list(project: string): Promise<SessionInfo[]>;
  /** The path or address of a transcript, for hosts that want to show it. */
  locate?(key: SessionKey): string;
  remove?(key: SessionKey): Promise<void>;
  /** Lets go of open files. */
  close?(): Promise<void>;
}
