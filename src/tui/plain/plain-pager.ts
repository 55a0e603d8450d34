import { textOfRow } from '../rows/row.ts';
import type { Pager } from '../stage/pager.ts';
import type { Stage } from '../stage/stage.ts';

/** A long text may come in pieces: it is printed when nothing has changed for this long. */
const QUIET_MS = 250;
/** More is in the file of the session. */
const MOST_ROWS = 3000;

/** What fills the window elsewhere is printed here, and left at once. */
export class PlainPager {
  readonly #stage: Pick<Stage, 'print'>;
  readonly #columns: () => number;
  #open: { pager: Pager; timer: NodeJS.Timeout } | null = null;

  constructor(stage: Pick<Stage, 'print'>, columns: () => number) {
    this.#stage = stage;
    this.#columns = columns;
  }

  open(pager: Pager): { stop(): void } {
    this.#stop();
    this.#open = { pager, timer: this.#wait() };
    // Asks for what has to be read first.
    this.#rows(pager);
    return { stop: () => this.#stop() };
  }

  /** Something has changed: perhaps more of the text is there. */
  changed(): void {
    if (!this.#open) return;
    clearTimeout(this.#open.timer);
    this.#open.timer = this.#wait();
  }

  #wait(): NodeJS.Timeout {
    return setTimeout(() => {
      const { pager } = this.#open ?? {};
      this.#open = null;
      if (!pager) return;
      this.#stage.print(['', ...this.#rows(pager)]);
      pager.closed();
    }, QUIET_MS);
  }

  /** The last row tells where one is, and what keys do: here are none. */
  #rows(pager: Pager): string[] {
    const rows = pager.rows({ columns: this.#columns(), rows: MOST_ROWS }).map(textOfRow).slice(0, -1);
    // Rows below the end of the text.
    const end = rows.findLastIndex((row) => row.trim() !== '' && row !== '~');
    return rows.slice(0, end + 1);
  }

  #stop(): void {
    if (this.#open) clearTimeout(this.#open.timer);
    this.#open = null;
  }
}
