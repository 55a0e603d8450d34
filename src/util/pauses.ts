import { setImmediate as giveWay } from 'node:timers/promises';

/**
 * The longest stretch of work without a pause, in milliseconds. Other sessions of the process, and signals, wait no
 * longer than this.
 */
const GO_MS = 25;

/** For work that may take long: pauses so that other work can run. */
export interface Pauses {
  isDue(): boolean;
  /** Lets other work run. */
  take(): Promise<void>;
}

export function createPauses(): Pauses {
  let since = performance.now();
  return {
    isDue: () => performance.now() - since > GO_MS,
    async take() {
      await giveWay();
      since = performance.now();
    },
  };
}

/** Like `map` of a list, with pauses. */
export async function mapWithPauses<T, U>(
  items: readonly T[],
  pauses: Pauses,
  change: (item: T, index: number) => U,
): Promise<U[]> {
  const changed: U[] = [];
  for (const [index, item] of items.entries()) {
    if (pauses.isDue()) await pauses.take();
    changed.push(change(item, index));
  }
  return changed;
}
