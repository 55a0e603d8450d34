import type { JsonObject } from '../../util/json.ts';
import type { Holding, Unsubscribe } from './holding.ts';

/** `taken`: a run has given it to the session. */
export type InboxState = 'waiting' | 'taken' | 'answered' | 'cancelled';

export interface InboxRow {
  seq: number;
  uuid: string;
  line: JsonObject;
  state: InboxState;
  by: string | null;
  /** Milliseconds since the epoch. */
  at: number;
}

/** The messages of sessions, from their acknowledgement to their answer. `TurnEngine.post` fills it. */
export interface Inbox {
  /** The messages that have no answer yet (`waiting` and `taken`), by their number. */
  open(sessionId: string): Promise<InboxRow[]>;
  /** Null: unknown, or answered long ago. */
  get(sessionId: string, uuid: string): Promise<InboxRow | null>;
  /** A run gives a message to its session. False: it is not waiting any more. Rejects with `session_taken`. */
  take(holding: Holding, uuid: string): Promise<boolean>;
  /** A run tells the fate of messages that it has taken. Unknown uuids are ignored. Rejects with `session_taken`. */
  settle(holding: Holding, uuids: readonly string[], state: 'answered' | 'cancelled'): Promise<void>;
  /** Withdraws a message that waits. `taken` also when it is answered; `unknown` when the inbox has none. */
  cancel(sessionId: string, uuid: string): Promise<'cancelled' | 'taken' | 'unknown'>;
  /** Called after a message of the session was posted, by any process. A hint: read `open`. */
  onPosted(sessionId: string, listener: () => void): Unsubscribe;
}
