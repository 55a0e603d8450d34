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

/** The data that a store keeps of a session for lists, made by `foldSessionSummary`. */
export interface SessionSummaryEntry {
  sessionId: string;
  /** When the store wrote it, by the clock of `lastModified` in its lists. Milliseconds since the epoch. */
  mtime: number;
  /** Stored unchanged; only `foldSessionSummary` and lists read it. */
  data: Record<string, unknown>;
}

/** A part of a stored session that is not an entry: torn, glued, not JSON. Reported, never thrown. */
export interface Damage {
  /** 1-based line number. */
  line: number;
  reason: string;
  /** The number of damaged bytes. */
  bytes: number;
}

export type Loaded = { entry: Entry; line: number } | { damage: Damage };

export interface AppendOptions {
  /**
   * The caller has just made the uuids at random, so a store need not check for duplicates, which takes time in a large
   * session.
   */
  areNew?: boolean;
}

/** The process that writes to a session: shown to others that want to write. */
export interface LeaseHolder {
  pid: number;
  /** The name of the machine. */
  host: string;
}

export interface Lease {
  /**
   * Aborts when the lease is another holder's: this one must stop its work and write nothing more. From then on the store
   * refuses its appends with `session_taken`. Absent: the store cannot lose a lease.
   */
  readonly lost?: AbortSignal;
  /** Never rejects, and may be called twice. */
  release(): Promise<void>;
}

/** How far a tool call has come: the model has asked for it, or it is about to run. */
export type CallMark = 'asked' | 'started';

/** A session from its last compaction boundary on, with queries about the part before it. */
export interface RecentPart {
  /**
   * From the boundary, which is the first, to the end, in the order of storing. Lines are counted from the boundary.
   */
  loaded: Loaded[];
  /** The last entry of each of these types before the boundary, found in one pass; absent where there is none. */
  lastBefore(types: readonly string[]): Promise<Map<string, Entry>>;
  /** Whether the text occurs anywhere before the boundary, as JSON writes it. May return true when it does not. */
  mentionedBefore(text: string): Promise<boolean>;
}

/**
 * Stores sessions. Entries are opaque and kept verbatim; uuid is the idempotency key: an entry whose uuid the store
 * already holds for that key is not stored twice. An empty uuid, as damaged files have, does not count as one.
 *
 * `append` is ordered per key and resolves when the entries would survive the death of this process; it rejects with
 * `storage_failed` otherwise, or with `session_taken` when another holder has taken the lease since, and then none of the
 * group may be half visible. `load` yields in the order of storing;
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
   * The stored summary of each session of a project, so that a list need not load them. If a summary is older than its
   * session, or missing, Heddle makes one by loading the session.
   */
  listSessionSummaries?(project: string): Promise<SessionSummaryEntry[]>;
  /**
   * The key of a session in any project, by its id alone; null when the store holds none. If several projects have it,
   * the one written to last.
   */
  find?(sessionId: string): Promise<SessionKey | null>;
  /**
   * The exclusive right to write to a session and its subagents. Rejects with a HeddleError `session_busy` (facts: pid,
   * host, since) while another holder has it, in this process, too. A lease that a dead holder left is taken over.
   */
  lease?(key: SessionKey, holder: LeaseHolder): Promise<Lease>;
  /**
   * Notes how far tool calls have come. Resolves when the note would survive the death of this process, at the latest
   * before such a call has its first effect; rejects with `session_taken` when the session is another holder's.
   */
  mark?(key: SessionKey, calls: readonly string[], mark: CallMark): Promise<void>;
  /** Which of these calls were certainly never started. A call of which nothing is known is not among them. */
  neverStarted?(key: SessionKey, calls: readonly string[]): Promise<string[]>;
  /**
   * The part of a long session that a resume needs, without reading it all. Null when there is no such part: the caller
   * then uses `load`.
   */
  loadRecent?(key: SessionKey): Promise<RecentPart | null>;
  /**
   * Yields entries that any process appends from now on, until the signal aborts; then it ends without an error. Lines
   * are counted from the start of the watch.
   */
  watch?(key: SessionKey, options: { signal: AbortSignal }): AsyncIterable<Loaded>;
  /** The path or address of a transcript, for hosts that show it. */
  locate?(key: SessionKey): string;
  remove?(key: SessionKey): Promise<void>;
  /** Closes open files. */
  close?(): Promise<void>;
}
