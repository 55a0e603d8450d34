/** An iterable that is made when the first value is wanted: what makes it can be loaded then. */
export function later<T>(make: () => Promise<AsyncIterable<T>>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator](): AsyncIterator<T, void> {
      let made: AsyncIterator<T> | null = null;
      const begin = async () => {
        made = (await make())[Symbol.asyncIterator]();
        return made.next();
      };
      return {
        next: () => made?.next() ?? begin(),
        return: async () => (await made?.return?.()) ?? { value: undefined, done: true },
      };
    },
  };
}
