import { cutRow, type Row, toRow } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import type { Size } from '../screen/screen.ts';
import type { Pager } from '../stage/pager.ts';

export interface TextPagerOptions {
  title: string;
  context: RowContext;
  /** All rows at a width. */
  rows: (context: RowContext) => readonly Row[];
  onClosed: () => void;
}

/** A text or a change in the whole window. */
export class TextPager implements Pager {
  readonly takesText = false;
  readonly #options: TextPagerOptions;
  #rows: readonly Row[] = [];
  #width = 0;
  #from = 0;
  #room = 1;

  constructor(options: TextPagerOptions) {
    this.#options = options;
  }

  rows({ columns, rows }: Size): readonly Row[] {
    const { context, title } = this.#options;
    if (this.#width !== columns) {
      this.#width = columns;
      this.#rows = this.#options.rows({ ...context, width: Math.max(1, columns - 1) });
    }
    this.#room = Math.max(1, rows - 1);
    this.#go(this.#from);
    const last = Math.min(this.#rows.length, this.#from + this.#room);
    const where = `${title} \u00b7 ${this.#rows.length === 0 ? 0 : this.#from + 1}-${last} of ${this.#rows.length} \u00b7 j k space b g G \u00b7 q: back`;
    const status = toRow([{ text: where, styles: ['inverse'] }], context.palette);
    const shown = this.#rows.slice(this.#from, last);
    return [
      ...shown,
      ...Array.from({ length: this.#room - shown.length }, () => BLANK),
      cutRow(status, columns - 1, context.widths),
    ].slice(-rows);
  }

  take({ key }: { action: string | null; key: string }): void {
    const by = STEPS[key];
    if (by !== undefined) this.#go(this.#from + by(this.#room));
  }

  closed(): void {
    this.#options.onClosed();
  }

  #go(to: number): void {
    this.#from = Math.min(Math.max(0, to), Math.max(0, this.#rows.length - this.#room));
  }
}

const BLANK = '' as Row;

/** By how many rows a key moves, in a window with so many. */
const STEPS: Readonly<Record<string, (room: number) => number>> = {
  j: () => 1,
  down: () => 1,
  enter: () => 1,
  k: () => -1,
  up: () => -1,
  d: (room) => Math.ceil(room / 2),
  u: (room) => -Math.ceil(room / 2),
  ' ': (room) => room - 1,
  space: (room) => room - 1,
  f: (room) => room - 1,
  pagedown: (room) => room - 1,
  b: (room) => 1 - room,
  pageup: (room) => 1 - room,
  g: () => Number.NEGATIVE_INFINITY,
  home: () => Number.NEGATIVE_INFINITY,
  G: () => Number.POSITIVE_INFINITY,
  end: () => Number.POSITIVE_INFINITY,
};
