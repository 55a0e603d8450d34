/** Runs tasks one after the other, in the order of the calls. A failing task does not block the next. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => {}); // the caller of the task gets the error
    return mine;
  };
}
