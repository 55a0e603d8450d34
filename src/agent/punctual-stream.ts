import { within } from '../util/timer.ts';

/** How long something that is complete may wait for what comes next. */
const PATIENCE_MS = 250;

/**
 * Passes a stream on. While somebody waits for the next item, who cannot wait for long, it says null when none comes in
 * time.
 */
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
    // Not waited for: an item may still be on its way, and a source gives up only behind it.
    if (!isOver) items.return?.().catch(() => {});
  }
}
