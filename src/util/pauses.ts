import { setImmediate as giveWay } from 'node:timers/promises';

/** Milliseconds of work in one go. Other sessions of the process, and signals, wait for no longer than this. */
const GO_MS = 25;

/** For work that may be long: it looks in between whether others should have their turn. */
export interface Pauses {
  isDue(): boolean;
  /** Lets others have their turn. */
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

/** As `map` of a list, with pauses. */
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
