import type { Block, LiveBlock } from './blocks.ts';
import type { Change } from './changes.ts';

/** What is live, in the order of the conversation. A block that is over waits until those before it are over. */
export class Order {
  readonly live: LiveBlock[] = [];
  #lastId = 0;

  /** An id for a block that has none of its own. */
  newId(): string {
    this.#lastId += 1;
    return `b${this.#lastId}`;
  }

  begin(block: LiveBlock): void {
    this.live.push(block);
  }

  /** Adds a block that is over. */
  add(block: Block): void {
    this.live.push({ kind: 'done', id: block.id, block });
  }

  /** Replaces the live block with the same id. Without one, the block comes last. */
  end(block: Block): void {
    const at = this.live.findIndex(({ id }) => id === block.id);
    if (at < 0) this.add(block);
    else this.live[at] = { kind: 'done', id: block.id, block };
  }

  /** Removes a live block of which nothing is left to show. */
  drop(id: string): void {
    const at = this.live.findIndex((each) => each.id === id);
    if (at >= 0) this.live.splice(at, 1);
  }

  /** The blocks that nothing is waiting for any more; they leave. */
  take(): Change[] {
    let count = 0;
    const done: Change[] = [];
    for (const each of this.live) {
      if (each.kind !== 'done') break;
      done.push({ type: 'done', block: each.block });
      count += 1;
    }
    if (count > 0) this.live.splice(0, count);
    return done;
  }
}
