import { HeddleError } from '../../wire/errors.ts';
import type { Holding } from '../ports/holding.ts';

/** The epochs of sessions that one process runs. They rise across restarts, because they begin at the time. */
export class Epochs {
  readonly #newest = new Map<string, string>();
  #last: number;

  constructor(now: number) {
    this.#last = now * 1000;
  }

  raise(sessionId: string): { epoch: string; previous: string | null } {
    const previous = this.#newest.get(sessionId) ?? null;
    const epoch = String(++this.#last);
    this.#newest.set(sessionId, epoch);
    return { epoch, previous };
  }

  /** Throws `session_taken` unless the run still has the session. */
  check({ sessionId, epoch }: Holding): void {
    if (this.#newest.get(sessionId) === epoch) return;
    throw new HeddleError(
      'session_taken',
      `Another run has session ${sessionId}: this one stops and writes nothing more`,
      {
        facts: { sessionId, epoch },
      },
    );
  }
}
