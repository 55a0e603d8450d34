import { raceAbort } from '../../util/abort.ts';

/** Wakes the caller that waits. A ring without a waiting caller is kept: the next wait returns at once. */
export interface WakeupSignal {
  ring(): void;
  /** Forgets that it has rung. */
  hush(): void;
  /** Rejects with the signal's reason when it aborts first. */
  wait(signal: AbortSignal): Promise<void>;
}

export function createWakeupSignal(): WakeupSignal {
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
