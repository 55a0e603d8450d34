/**
 * Makes a value on first use, and only once. A failed attempt is forgotten, so that the next caller tries again: the
 * failure may have been a file that could not be opened at that moment.
 */
export function madeOnce<T>(make: () => Promise<T>): MadeOnce<T> {
  let making: Promise<T> | null = null;
  const get = () => {
    if (making) return making;
    const attempt = make();
    making = attempt;
    attempt.catch(() => {
      if (making === attempt) making = null;
    });
    return attempt;
  };
  return Object.assign(get, { begun: () => making });
}

export interface MadeOnce<T> {
  (): Promise<T>;
  /** The value, or the promise of it; null before the first use. */
  begun(): Promise<T> | null;
}
