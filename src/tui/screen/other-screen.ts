import { cutRow, type Row } from '../rows/row.ts';
import type { Widths } from '../rows/widths.ts';
import type { Size } from './screen.ts';

/** The terminal's other screen, which has no scrollback. The wheel sends arrow keys there; no mouse is taken. */
export const OTHER_SCREEN_ON = '\x1b[?1049h\x1b[?1007h';
export const OTHER_SCREEN_OFF = '\x1b[?1007l\x1b[?1049l';

const BEGIN_FRAME = '\x1b[?2026h\x1b[?25l';
const END_FRAME = '\x1b[?2026l';

/** Draws whole windows; only the rows that differ are written. */
export class OtherScreen {
  readonly #widths: Widths;
  #shown: readonly Row[] = [];
  #size: Size | null = null;

  constructor(widths: Widths) {
    this.#widths = widths;
  }

  /** The bytes of one window. Rows beyond it are left out. */
  draw(rows: readonly Row[], size: Size): string {
    const isNew = this.#size?.columns !== size.columns || this.#size.rows !== size.rows;
    const next = rows.slice(0, size.rows).map((row) => cutRow(row, Math.max(1, size.columns), this.#widths));
    let out = BEGIN_FRAME + (isNew ? '\x1b[H\x1b[J' : '');
    for (let at = 0; at < Math.max(next.length, this.#shown.length); at++) {
      const row = next[at];
      if (!isNew && row === this.#shown[at]) continue;
      if (row === undefined && isNew) continue;
      // Erased first: behind a row as wide as the window it would take the last character.
      out += `\x1b[${at + 1};1H\x1b[K${row ?? ''}`;
    }
    this.#shown = next;
    this.#size = size;
    return out + END_FRAME;
  }
}
