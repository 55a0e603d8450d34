import type { JsonObject } from '../../util/json.ts';
import type { Unsubscribe } from './holding.ts';

/** A control line on its way from a connection to the run of its session. */
export interface Parcel {
  /** The connection, unique among all processes. */
  from: string;
  line: JsonObject;
}

/**
 * Carries control lines between the process that has a connection and the one that runs the session. In order per
 * connection, at most once, and not durable: what must not be lost is in the inbox, the log or the questions.
 */
export interface Courier {
  /**
   * Hands a line to the run of a session. It waits until there is one, up to `waitMs`. False: nobody took it in that time.
   */
  send(sessionId: string, parcel: Parcel, waitMs: number): Promise<boolean>;
  /** A run takes the lines for its session, also those that wait. */
  receive(sessionId: string, listener: (parcel: Parcel) => void): Unsubscribe;
  /** A run sends a line to one connection. Without effect when it is gone. */
  reply(connection: string, line: JsonObject): void;
  /** A connection takes its lines. */
  connect(connection: string, listener: (line: JsonObject) => void): Unsubscribe;
  /** Whether the connection is there. */
  isConnected(connection: string): boolean;
}
