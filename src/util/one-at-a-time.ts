/** Does works one after the other, in the order in which they are given. One that fails does not hold up the next. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => {}); // told to the one who gave it
    return mine;
  };
}
