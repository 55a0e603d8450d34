/** Queues appends, so that the calls for each name run one after the other. */
export interface AppendQueue<Key, Item> {
  /** Resolves when these items, and all that were added before under the same name, have been appended. */
  add(key: Key, items: readonly Item[], areNew: boolean): Promise<void>;
}

export interface AppendQueueOptions<Key, Item> {
  nameOf(key: Key): string;
  /** Each group gets its own call. Otherwise groups that arrive during a call are joined. */
  isEager: boolean;
  append(key: Key, items: readonly Item[], areNew: boolean): Promise<void>;
}

interface Group<Key, Item> {
  key: Key;
  items: readonly Item[];
  areNew: boolean;
  settle(trouble: { error: unknown } | null): void;
}

export function createAppendQueue<Key, Item>(options: AppendQueueOptions<Key, Item>): AppendQueue<Key, Item> {
  const { nameOf, isEager, append } = options;
  /** The waiting groups by name; a name is present as long as a call for it runs. */
  const waiting = new Map<string, Group<Key, Item>[]>();

  async function work(name: string, groups: Group<Key, Item>[]): Promise<void> {
    while (groups.length > 0) {
      const taken = groups.splice(0, isEager ? 1 : groups.length);
      const [first] = taken;
      if (!first) break;
      const items = taken.flatMap((group) => group.items);
      const areNew = taken.every((group) => group.areNew);
      const trouble = await append(first.key, items, areNew).then(
        () => null,
        (error: unknown) => ({ error }),
      );
      for (const { settle } of taken) settle(trouble);
    }
    waiting.delete(name);
  }

  return {
    add: (key, items, areNew) =>
      new Promise((resolve, reject) => {
        const settle = (trouble: { error: unknown } | null) => (trouble ? reject(trouble.error) : resolve());
        const name = nameOf(key);
        const groups = waiting.get(name);
        const group = { key, items, areNew, settle };
        if (groups) {
          groups.push(group);
          return;
        }
        const begun = [group];
        waiting.set(name, begun);
        void work(name, begun);
      }),
  };
}
