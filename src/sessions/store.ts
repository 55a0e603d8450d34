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

/** What a store keeps of a session for lists, made by `foldSessionSummary`. */
export interface SessionSummaryEntry {
  sessionId: string;
  /** When the store has written it, by the clock of `lastModified` in its lists. Milliseconds since the epoch. */
  mtime: number;
  /** To be kept as it is; nobody but `foldSessionSummary` and lists reads it. */
  data: Record<string, unknown>;
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

export interface AppendOptions {
  /**
   * The caller vouches for the uuids: it has made them at random just now. A store need not look for them then, which in
   * a large session takes time.
   */
  areNew?: boolean;
}

/** Who writes to a session: told to others who want to. */
export interface LeaseHolder {
  pid: number;
  /** The name of the machine. */
  host: string;
}

export interface Lease {
  /** Never rejects, and may be called twice. */
  release(): Promise<void>;
}

/** A session from its last compaction boundary on, and what can be asked about the rest without reading it. */
export interface RecentPart {
  /** From the boundary, which is the first, to the end, in the order of storing. Lines are counted from the boundary. */
  loaded: Loaded[];
  /** The last entry of each of these types before the boundary, found in one pass; absent where there is none. */
  lastBefore(types: readonly string[]): Promise<Map<string, Entry>>;
  /** Whether the text stands anywhere before the boundary, as JSON writes it. May say yes when it does not. */
  mentionedBefore(text: string): Promise<boolean>;
}

/**
 * Where sessions are kept. Entries are opaque and kept verbatim; uuid is the idempotency key: an entry whose uuid the
 * store already holds for that key is not stored twice. An empty one, as damaged files have, is no uuid.
 *
 * `append` is ordered per key and resolves when the entries would survive the death of this process; it rejects with
 * `storage_failed` otherwise, and then none of the group may be half visible. `load` yields in the order of storing;
 * a session that does not exist yields nothing.
 */
export interface SessionStore {
  append(key: SessionKey, entries: readonly Entry[], options?: AppendOptions): Promise<void>;
  load(key: SessionKey): AsyncIterable<Loaded>;
  exists(key: SessionKey): Promise<boolean>;
  /** Whether a session holds an entry with this uuid, without reading all of it. */
  has?(key: SessionKey, uuid: string): Promise<boolean>;
  /** Sessions of a project, newest first. */
  list(project: string): Promise<SessionInfo[]>;
  /** The ids of a session's subagents that have a transcript, sorted. */
  subagents?(key: SessionKey): Promise<string[]>;
  /**
   * What the store keeps of each session of a project, so that a list need not load them. One that is older than its
   * session, or missing, is made by loading it.
   */
  listSessionSummaries?(project: string): Promise<SessionSummaryEntry[]>;
  /**
   * The key of a session in whatever project it is, by its id alone; null when the store holds none. Where several
   * projects have it, the one written to last.
   */
  find?(sessionId: string): Promise<SessionKey | null>;
  /**
   * The right to write to a session and its subagents, for one holder at a time. Rejects with a HeddleError
   * `session_busy` (facts: pid, host, since) while another one holds it, in this process, too. What a dead holder left
   * is taken over.
   */
  lease?(key: SessionKey, holder: LeaseHolder): Promise<Lease>;
  /**
   * What is needed to go on with a long session, without reading it all. Null when there is no such stretch: then
   * `load` is the way.
   */
  loadRecent?(key: SessionKey): Promise<RecentPart | null>;
  /**
   * What anybody appends from now on, in this process or another, until the signal aborts; then it just ends. Lines are
   * counted from there.
   */
  watch?(key: SessionKey, options: { signal: AbortSignal }): AsyncIterable<Loaded>;
  /** The path or address of a transcript, for hosts that want to show it. */
  locate?(key: SessionKey): string;
  remove?(key: SessionKey): Promise<void>;
  /** Lets go of open files. */
  close?(): Promise<void>;
}
