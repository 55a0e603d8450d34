/**
 * The right to write to a session. Every write of a run carries it: a store refuses a write whose epoch is not the
 * newest one of the session, with `session_taken`, and stores nothing of it.
 */
export interface Holding {
  sessionId: string;
  /** Rises with every run that gets the session. Opaque; only stores compare it. */
  epoch: string;
}

/** Stops listening. May be called twice. */
export type Unsubscribe = () => void;
