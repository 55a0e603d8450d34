import type { JsonObject } from '../../util/json.ts';
import type { Holding, Unsubscribe } from './holding.ts';

/** A line of a session that was stored, with its number. */
export interface NumberedLine {
  /** From 1, without gaps, in the order of storing. The same number over SSE, WebSocket and long poll. */
  seq: number;
  /** The type of the line: `assistant`, `result`, `system`, … */
  type: string;
  /** The JSON of the line, with `seq` as its last field. */
  text: string;
}

export interface LogBounds {
  /** The number of the oldest line that can be read; one more than `newest` when there is none. */
  oldest: number;
  /** The number of the newest line; 0: there was none yet. */
  newest: number;
}

export interface LogReader {
  /** New lines, in order, each once. Called soon after they were stored. */
  onLines(lines: readonly NumberedLine[]): void;
  /** A line that is not stored: a piece of an answer while it is written. Best effort. */
  onPreview?(line: JsonObject): void;
}

/**
 * The lines of sessions, for readers that come and go. A line is stored before any reader gets it. Lines with a uuid are
 * stored once, also when another run appends them again.
 */
export interface EventLog {
  /** Resolves when the lines would survive the death of this process. Rejects with `session_taken`, `storage_failed`. */
  append(holding: Holding, lines: readonly JsonObject[]): Promise<void>;
  /** Hands a line that is not stored to those who listen now. Never rejects. */
  preview(holding: Holding, line: JsonObject): void;
  bounds(sessionId: string): Promise<LogBounds>;
  /**
   * Lines behind the number `after`, the oldest first. Rejects with `cursor_gone` (facts: `oldest`, `newest`) when a line
   * behind it was deleted, and `cursor_unknown` when no line has that number yet.
   */
  read(sessionId: string, query: { after: number; limit: number }): Promise<NumberedLine[]>;
  /** Which of these uuids have a line. */
  known(sessionId: string, uuids: readonly string[]): Promise<Set<string>>;
  /** Follows a session from now on. To miss nothing: subscribe first, then read, and drop what is not newer. */
  subscribe(sessionId: string, reader: LogReader): Unsubscribe;
}
