import { readTree, type Tree } from '../../sessions/tree/build-tree.ts';
import type { Conversation } from './conversation.ts';

/** A large session fills much memory, so a reading is not held longer than a person turns pages. */
const HELD_MS = 20_000;

type TreeOwner = Pick<Conversation, 'transcript'> & { readonly events: Pick<Conversation['events'], 'written'> };

/**
 * The tree of the stored session, for requests that ask for it page by page. It is read once, and again when this process
 * has added something since, or after a while.
 */
export class StoredTree {
  #held: { tree: Promise<Tree>; written: number; timer: NodeJS.Timeout } | null = null;

  /** Rejects where the store cannot read it; then the next request reads again. */
  read({ transcript: { store, key }, events }: TreeOwner): Promise<Tree> {
    const { written } = events;
    if (this.#held?.written !== written) {
      this.#drop();
      const tree = readTree(store.load(key));
      tree.catch(() => this.#drop());
      this.#held = { tree, written, timer: setTimeout(() => this.#drop(), HELD_MS).unref() };
    }
    this.#held.timer.refresh();
    return this.#held.tree;
  }

  #drop(): void {
    clearTimeout(this.#held?.timer);
    this.#held = null;
  }
}
