/** Lets some go on at a time; the others wait for their turn. */
export function createSlots(count: number) {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    async take<T>(work: () => Promise<T>): Promise<T> {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free++;
      }
    },
  };
}
