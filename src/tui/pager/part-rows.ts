import type { BlockContext } from '../rows/blocks/block-context.ts';
import type { Row } from '../rows/row.ts';
import type { PagerPart } from './pager-part.ts';

/** A row of a list of parts: its part, counted from the first one, and which row of it. */
export interface RowPosition {
  part: number;
  row: number;
}

/** Rows that were made are kept for this many parts: those in view, and where one has just been. */
const KEPT = 400;

/** The parts of a pager as one long text of which only what is looked at has rows. */
export class PartRows {
  readonly parts: PagerPart[];
  /** Those that are shown the other way than all. */
  readonly #turned = new Set<PagerPart>();
  readonly #made = new Map<PagerPart, readonly Row[]>();
  #context: BlockContext;
  #length: 'whole' | 'short' = 'whole';

  constructor(parts: readonly PagerPart[], context: BlockContext) {
    this.parts = [...parts];
    this.#context = context;
  }

  get end(): RowPosition {
    return { part: this.parts.length, row: 0 };
  }

  /** Another width needs other rows. */
  use(context: BlockContext): void {
    if (context.width !== this.#context.width) this.#made.clear();
    this.#context = context;
  }

  /** Between all rows, and as few as tell what there is. */
  turn(part: PagerPart | null): void {
    if (part === null) {
      this.#length = this.#length === 'whole' ? 'short' : 'whole';
      this.#turned.clear();
      this.#made.clear();
      return;
    }
    if (!this.#turned.delete(part)) this.#turned.add(part);
    this.#made.delete(part);
  }

  rowsOf(index: number): readonly Row[] {
    const part = this.parts[index];
    if (!part) return [];
    const known = this.#made.get(part);
    if (known) return known;
    const other = this.#length === 'whole' ? 'short' : 'whole';
    const rows = part.rows(this.#context, this.#turned.has(part) ? other : this.#length);
    if (this.#made.size >= KEPT) this.#made.delete(this.#made.keys().next().value as PagerPart);
    this.#made.set(part, rows);
    return rows;
  }

  /** The place of a row that exists, `by` rows from here; at most at either end. */
  moved(from: RowPosition, by: number): RowPosition {
    let { part, row } = from;
    row += by;
    while (row < 0 && part > 0) row += this.rowsOf(--part).length;
    while (part < this.parts.length && row >= this.rowsOf(part).length) row -= this.rowsOf(part++).length;
    if (part >= this.parts.length) return this.end;
    return { part, row: Math.max(0, row) };
  }

  /** At most `count` rows from a place on. */
  slice(from: RowPosition, count: number): Row[] {
    const rows: Row[] = [];
    for (let { part, row } = from; part < this.parts.length && rows.length < count; part++, row = 0) {
      rows.push(...this.rowsOf(part).slice(row, row + count - rows.length));
    }
    return rows;
  }

  /** The last place from which a window of `count` rows is full. */
  lastTop(count: number): RowPosition {
    return this.moved(this.end, -count);
  }
}

export function isBefore(a: RowPosition, b: RowPosition): boolean {
  return a.part < b.part || (a.part === b.part && a.row < b.row);
}
