import { within } from '../util/timer.ts';

/** How long a complete item may wait for the next one. */
const PATIENCE_MS = 250;

/** Passes a stream through. While `isWaiting()` is true, it yields null when the next item does not come in time. */
export async function* punctual<T>(source: AsyncIterable<T>, isWaiting: () => boolean): AsyncGenerator<T | null> {
  const items = source[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const next = items.next();
      if (isWaiting() && (await within(PATIENCE_MS, next)) === null) yield null;
      const { done, value } = await next;
      isOver = done === true;
      if (isOver) return;
      yield value;
    }
  } catch (error) {
    isOver = true;
    throw error;
  } finally {
    // Not awaited: an item may still be on its way, and the source stops only after it.
    if (!isOver) items.return?.().catch(() => {});
  }
}
