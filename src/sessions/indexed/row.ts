/** What a part of a message is. */
export type RowPartKind = 'text' | 'thinking' | 'call' | 'result' | 'image' | 'document';

/** A block of a message in short. */
export interface RowPart {
  kind: RowPartKind;
  /** At most 90 characters, on one line. */
  label?: string;
  /** The name of the tool, for a call. */
  tool?: string;
  /** The id of the call that it is, or that it answers. */
  call?: string;
  isError?: boolean;
}

/** `note`: a text of the runtime. `boundary`: where a compaction began. `damage` is no entry: what was repaired or lost. */
export type RowKind = 'prompt' | 'answer' | 'result' | 'summary' | 'boundary' | 'note' | 'attachment' | 'other';

/** One entry of a session that has an id, in short: a page draws trees, times and costs from rows alone. */
export interface Row {
  /** Its number, in the order of the file. It stays as long as the session lives. */
  n: number;
  id: string;
  kind: RowKind;
  /** The number of the parent, after repair. Absent for a root. */
  parent?: number;
  /** The number of the first row of its step: a prompt, or one answer with its results. Absent for what belongs to none. */
  step?: number;
  /** The step that its step continues. Absent at the beginning. */
  up?: number;
  /** Milliseconds since the epoch. */
  at?: number;
  /** Bytes in the file. */
  size?: number;
  isSidechain?: boolean;
  /** The runtime wrote it for the model. */
  isMeta?: boolean;
  isError?: boolean;
  /** A checkpoint of files belongs to it. */
  hasCheckpoint?: boolean;
  /** The message of which this is a copy: in a fork. */
  copyOf?: string;
  parts: RowPart[];
  model?: string;
  /** Of the answer; only on the last row of a step. */
  tokens?: { input: number; output: number | null };
  /** The cost that the session recorded for the turn that ends here. */
  usd?: number;
}

export interface RowProblem {
  line: number;
  text: string;
}

/** A session as rows. */
export interface SessionRows {
  rows: Row[];
  /** The message from which the conversation continues. */
  leaf: number | null;
  problems: RowProblem[];
  /** Texts that summarise branches, by the row at which they end. */
  summaries: { n: number; text: string }[];
}
