import { raceAbort } from '../../util/abort.ts';

/** Wakes the one who waits. A ring is not lost when nobody waits yet: the next wait returns at once. */
export interface Bell {
  ring(): void;
  /** Forgets that it has rung. */
  hush(): void;
  /** Rejects with the signal's reason when it aborts first. */
  wait(signal: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  let hasRung = false;
  let wake: (() => void) | null = null;
  return {
    ring() {
      hasRung = true;
      wake?.();
    },
    hush() {
      hasRung = false;
    },
    async wait(signal) {
      if (hasRung) return;
      const rung = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await raceAbort(rung, signal);
    },
  };
}
