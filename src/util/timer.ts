/** What setTimeout can hold; more would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** A timer that also takes very long times: what is longer than 24 days never comes in one process anyway. */
export function startTimer(ms: number, onTime: () => void): ReturnType<typeof setTimeout> {
  return setTimeout(onTime, Math.min(Math.ceil(ms), MAX_TIMER_MS));
}

/** Resolves as the promise does, or with null when that takes longer. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = startTimer(ms, () => resolve(null));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
