/**
 * Makes something when it is first wanted, and once. An attempt that fails is forgotten, so that whoever wants it next
 * has it tried again: what failed may have been a file that could not be opened at that moment.
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
  /** What was made, or is being made; null as long as nobody has wanted it. */
  begun(): Promise<T> | null;
}
