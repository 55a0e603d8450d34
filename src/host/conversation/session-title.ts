/** The title of a session: the one on disk, and one that is still to be recorded. */
export class SessionTitle {
  /** Recorded with the next prompt; null: there is none. */
  pending: string | null;
  /** The title on disk; null: the session has none. */
  inForce: string | null;

  constructor({ pending, inForce }: { pending: string | null; inForce: string | null }) {
    this.pending = pending;
    this.inForce = inForce;
  }

  /** Called when this title is on disk. */
  recorded(title: string): void {
    this.inForce = title;
    this.pending = null;
  }
}
