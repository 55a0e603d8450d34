import type { JsonObject } from '../../util/json.ts';
import type { Holding } from './holding.ts';

/** One turn of a session. */
export interface TurnRecord {
  /** From 1. */
  no: number;
  /** `abandoned`: given up after several runs that died in it. */
  state: 'running' | 'ended' | 'abandoned';
  /** How many runs have worked on it. */
  attempts: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt: number | null;
  /** The messages that it answers, as far as they are known. */
  messages: string[];
  /** The result line; null while it runs. */
  result: JsonObject | null;
}

/** How a turn ended. */
export interface TurnEnd {
  /** The result line. */
  result: JsonObject;
  state: 'ended' | 'abandoned';
  /** The messages that it has answered. */
  messages: readonly string[];
}

/** The turns of sessions. Each has one result. */
export interface Turns {
  /** A turn begins; or, when the last one has no end, continues in another run (`attempts` + 1). Rejects with `session_taken`. */
  begin(holding: Holding, messages: readonly string[]): Promise<TurnRecord>;
  /**
   * Ends the turn that runs, and tells the inbox that its messages are answered, in one commit. Without a turn that runs,
   * one begins and ends. Rejects with `session_taken`.
   */
  end(holding: Holding, end: TurnEnd): Promise<TurnRecord>;
  /** The turn that has no end; null: none. */
  unfinished(sessionId: string): Promise<TurnRecord | null>;
  /** The newest first. */
  list(sessionId: string, page: { before?: number; limit: number }): Promise<TurnRecord[]>;
  get(sessionId: string, no: number): Promise<TurnRecord | null>;
}
