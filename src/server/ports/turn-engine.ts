import type { JsonObject } from '../../util/json.ts';
import type { Holding } from './holding.ts';

/** A message for a session, before it has a place in the inbox. */
export interface InboxMessage {
  sessionId: string;
  /** Made by the sender; names the message in the transcript, too. */
  uuid: string;
  /** The `user` line as the session gets it. */
  line: JsonObject;
  /** The token that sent it. Null: the server itself. */
  by: string | null;
}

export interface Posted {
  /** The place of the message among all messages of its session, from 1. */
  seq: number;
  /** False: the inbox had this message already. */
  isNew: boolean;
  /** How many messages of the session wait before it. */
  position: number;
}

/** A session that this process runs now. */
export interface Activation extends Holding {
  /**
   * The epoch of the run before this one; null: not known. A run that had that epoch, and has left the session open, may use
   * it again: nobody else has written since.
   */
  previous: string | null;
  /** Aborts when the session belongs to another run: stop, and write nothing more. */
  lost: AbortSignal;
  /** Aborts when the process is about to end: finish or interrupt the turn in the time that is left. */
  drain: AbortSignal;
}

/** Runs one activation. Resolves when nothing of the session is at work and nothing waits in its inbox. */
export type RunActivation = (activation: Activation) => Promise<void>;

/**
 * Who answers messages, one run per session at a time. The embedded engine and the one on Postgres implement it; one suite
 * (`turnEngineCases`) holds both.
 *
 * - Messages of a session are answered in the order of their numbers. A message that came while its session was run is
 *   either taken by that run, or begins the next one: none is forgotten.
 * - A run that ends with work left in the inbox, or whose process dies, is followed by another one.
 * - `run` rejects only by a fault of its own; the engine then tries again, a little later.
 */
export interface TurnEngine {
  /**
   * Durable when it resolves: inbox and queue in one commit. The same uuid and content: the first number again.
   * Rejects with `uuid_conflict` (the same uuid, another content), `queue_full` (facts: `limit`, `retryAfterMs`), or
   * `draining`.
   */
  post(message: InboxMessage): Promise<Posted>;
  /**
   * Asks for a run of the session without a message: a control request waits, or a question was answered. Not durable, and
   * without effect while the session is run.
   */
  wake(sessionId: string): Promise<void>;
  /** Runs activations until drained. Call it once. */
  start(run: RunActivation): Promise<void>;
  /** Claims nothing more; gives running turns `graceMs`, then hands them over. Resolves when no run is left. */
  drain(graceMs: number): Promise<void>;
}
