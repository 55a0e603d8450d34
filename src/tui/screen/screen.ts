import { cutRow, EMPTY_ROW, partsOfRow, type Row, textOfRow } from '../rows/row.ts';
import type { Widths } from '../rows/widths.ts';
import { expectedColumn, type ReflowFamily, rowsAboveCursor } from './reflow.ts';

/** Everything that the screen ever sends besides rows. There is no sequence here that could touch a committed row. */
const BEGIN_FRAME = '\x1b[?2026h\x1b[?25l';
const END_FRAME = '\x1b[?25h\x1b[?2026l';
/** From the cursor to the end of its row. */
const ERASE_REST = '\x1b[K';
/** From the cursor to the end of the screen. */
const ERASE_BELOW = '\x1b[J';
const NEXT_ROW = '\r\n';

export interface Size {
  columns: number;
  rows: number;
}

/** What the screen shall show next. */
export interface Frame {
  /** Rows that are finished. They go above the live rows, once, and belong to the terminal from then on. */
  commit: readonly Row[];
  /** All live rows, at most one less than the screen has. */
  live: readonly Row[];
  caret: Caret;
}

/** Where the cursor stands: in which live row, and behind which beginning of it. */
export interface Caret {
  row: number;
  before: Row;
}

export interface ScreenOptions {
  size: Size;
  widths: Widths;
  family: ReflowFamily;
}

/**
 * Turns rows into bytes. Committed rows are written once and never touched; only the live rows below them are drawn
 * again, and of those only the ones that differ. It knows what it has written, and no more: it asks nothing of the
 * terminal, and addresses nothing above the first live row.
 */
export class Screen {
  readonly #family: ReflowFamily;
  #widths: Widths;
  #size: Size;
  /** The live rows as they stand in the terminal. */
  #shown: Row[] = [];
  /** The row of `#shown` that the cursor is in, and the text before it. */
  #cursor: Caret = { row: 0, before: EMPTY_ROW };

  constructor({ size, widths, family }: ScreenOptions) {
    this.#size = usable(size);
    this.#widths = widths;
    this.#family = family;
  }

  get size(): Size {
    return this.#size;
  }

  /** The terminal has told how it measures. */
  setWidths(widths: Widths): void {
    this.#widths = widths;
  }

  /** The bytes of one frame, for one write. */
  draw(frame: Frame): string {
    const { live, caret } = this.#fit(frame);
    let out = BEGIN_FRAME + up(this.#cursor.row);
    let shown: readonly Row[] = this.#shown;
    if (frame.commit.length > 0 || this.#cursor.row > 0) out += '\r';
    for (const row of frame.commit) {
      const isLong = this.#widths.of(textOfRow(row)) >= this.#size.columns;
      // The terminal wraps it over an unknown number of rows: nothing old may stand there.
      if (isLong && shown.length > 0) {
        out += ERASE_BELOW;
        shown = [];
      }
      out += row + (isLong || shown.length === 0 ? '' : ERASE_REST) + NEXT_ROW;
      shown = shown.slice(1);
    }
    for (const [index, row] of live.entries()) {
      if (index > 0) out += NEXT_ROW;
      const old = shown[index];
      if (row === old) continue;
      if (index === 0) out += '\r';
      out += old === undefined || old === EMPTY_ROW ? row : row + ERASE_REST;
    }
    let at = Math.max(live.length - 1, 0);
    if (shown.length > live.length) {
      const isBelow = live.length > 0;
      out += (isBelow ? NEXT_ROW : '\r') + ERASE_BELOW;
      if (isBelow) at++;
    }
    out += up(at - caret.row) + this.#goTo(caret, live);
    this.#shown = [...live];
    this.#cursor = caret;
    return out + END_FRAME;
  }

  /** Nothing of the live rows is taken for granted in the next frame: it draws all of them. */
  redraw(frame: Frame): string {
    const erase = `${BEGIN_FRAME}${up(this.#cursor.row)}\r${ERASE_BELOW}`;
    this.forget();
    return erase + this.draw(frame).slice(BEGIN_FRAME.length);
  }

  /**
   * The window has another size, and the terminal has moved rows as its family does. `column` is where it says that the
   * cursor stands, from 0: one that does not fit the family means that no row was wrapped.
   */
  resize(size: Size, frame: Frame, column?: number): string {
    const next = usable(size);
    const { row, before } = this.#cursor;
    const state = {
      above: this.#shown.slice(0, row).map(textOfRow),
      before: textOfRow(before),
      columns: next.columns,
    };
    let rows = rowsAboveCursor(this.#family, state, this.#widths);
    if (column !== undefined && column !== expectedColumn(this.#family, state, this.#widths)) {
      rows = Math.min(rows, rowsAboveCursor('none', state, this.#widths));
    }
    this.#size = next;
    this.forget();
    return `${BEGIN_FRAME}${up(rows)}\r${ERASE_BELOW}${this.draw(frame).slice(BEGIN_FRAME.length)}`;
  }

  /** Takes the live rows away; the cursor stands where the first of them was. For the end, and for other programs. */
  erase(): string {
    const bytes = `${BEGIN_FRAME}${up(this.#cursor.row)}\r${ERASE_BELOW}${END_FRAME}`;
    this.forget();
    return bytes;
  }

  /** Live rows that are on the screen stay there; the next frame begins where the cursor is. */
  forget(): void {
    this.#shown = [];
    this.#cursor = { row: 0, before: EMPTY_ROW };
  }

  /** Live rows that would wrap or scroll would be lost for good. The layout fits; this makes sure of it. */
  #fit({ live, caret }: Frame): { live: Row[]; caret: Caret } {
    const most = Math.max(this.#size.rows - 1, 1);
    const width = Math.max(this.#size.columns - 1, 1);
    const row = Math.min(Math.max(caret.row, 0), Math.max(live.length - 1, 0));
    const from = Math.max(0, Math.min(live.length - most, row));
    const rows = live.slice(from, from + most).map((each) => cutRow(each, width, this.#widths));
    return { live: rows, caret: { row: row - from, before: cutRow(caret.before, width, this.#widths) } };
  }

  /** By a number of columns only where every terminal agrees on it. */
  #goTo({ before }: Caret, live: readonly Row[]): string {
    const text = textOfRow(before);
    if (text === '' || live.length === 0) return '\r';
    if (ASCII.test(text)) return `\r${right(text.length)}`;
    return `\r${partsOfRow(before).join('')}`;
  }
}

const ASCII = /^[\x20-\x7e]*$/;

/** A size that nobody knows is that of the oldest terminals. */
export function usable({ columns, rows }: Size): Size {
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
}

function up(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : '';
}

function right(columns: number): string {
  return columns > 0 ? `\x1b[${columns}C` : '';
}
