/** The longest time that setTimeout accepts; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** A timer that also accepts very long times: it shortens them to 24 days, which no process reaches. */
export function startTimer(ms: number, onTime: () => void): ReturnType<typeof setTimeout> {
  return setTimeout(onTime, Math.min(Math.ceil(ms), MAX_TIMER_MS));
}

/** Resolves as the promise does, or with null when that takes longer than `ms`. */
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
