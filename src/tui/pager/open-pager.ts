import type { Stage } from '../stage/stage.ts';
import type { PagerPart } from './pager-part.ts';
import { type PagerContent, RowPager } from './row-pager.ts';

/** A pager that is open. */
export interface OpenPager {
  /** More at its end; who is there stays there. */
  append(parts: readonly PagerPart[]): void;
  stop(): void;
}

/** Fills the window with a text until the person leaves it. Calls `closed` at the end. */
export function openPager(stage: Stage, content: PagerContent, closed: () => void = () => {}): OpenPager {
  const pager = new RowPager(content, {
    context: () => stage.context,
    changed: () => stage.changed(),
    copy: (text) => stage.copy(text),
    print(rows) {
      shown.stop();
      stage.printRows(rows);
    },
    tree() {
      shown.stop();
      stage.command('/tree');
    },
    closed,
  });
  const shown = stage.page(pager);
  return { append: (parts) => pager.append(parts), stop: () => shown.stop() };
}
