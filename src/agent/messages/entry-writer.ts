import type { AppendOptions, SessionKey, SessionStore } from '../../sessions/store.ts';
import type { Chain } from '../../sessions/tree/chain.ts';
import type { Entry } from '../../wire/entries.ts';

/** The session that entries are written to. */
export interface EntryDestination {
  key: SessionKey;
  /** Null when the session is not stored. */
  store: SessionStore | null;
  chain: Chain;
}

/** Appends entries, and takes entries that could not be stored off the chain again. */
export interface EntryWriter {
  /** `leafBefore`: the end of the chain before the entries were made; the next entry links to it when the store fails. */
  append(leafBefore: string | null, ...entries: Entry[]): Promise<void>;
  /** For entries whose uuids were made here, so that the store need not look for earlier ones. */
  appendNew(leafBefore: string | null, ...entries: Entry[]): Promise<void>;
  /** Forgets the entries of the last turn: only those of the running turn can still be rewound. */
  beginTurn(): void;
  /** Continues from the parent of the first of these entries. */
  rewind(uuids: readonly string[]): void;
  /** How many entries the store has taken so far, or failed to take. */
  readonly written: number;
}

export function createEntryWriter({ key, store, chain }: EntryDestination): EntryWriter {
  const parents = new Map<string, string | null>();
  let written = 0;
  const appendGroup = async (leafBefore: string | null, entries: readonly Entry[], options: AppendOptions) => {
    for (const { uuid, parentUuid } of entries) {
      if (typeof uuid === 'string') parents.set(uuid, (parentUuid as string | null | undefined) ?? null);
    }
    try {
      await store?.append(key, entries, options);
    } catch (error) {
      chain.moveTo(leafBefore);
      throw error;
    } finally {
      written += entries.length;
    }
  };
  return {
    append: (leafBefore, ...entries) => appendGroup(leafBefore, entries, {}),
    appendNew: (leafBefore, ...entries) => appendGroup(leafBefore, entries, { areNew: true }),
    beginTurn: () => parents.clear(),
    rewind(uuids) {
      const [first] = uuids;
      if (first !== undefined && parents.has(first)) chain.moveTo(parents.get(first) ?? null);
    },
    get written() {
      return written;
    },
  };
}
