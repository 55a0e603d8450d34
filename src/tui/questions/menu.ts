import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import { type Row, type Span, toRow } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import type { DialogInput } from '../stage/dialog.ts';
import { spanRows } from './shown-text.ts';

/** One of several answers. */
export interface MenuItem {
  readonly id: string;
  readonly text: string;
  /** Stands behind the text, such as the rule that it adds. */
  readonly detail?: string;
  /** Its key instead of a digit, such as `v`. */
  readonly key?: string;
}

/** Numbered answers: digits choose, arrows and Enter choose. */
export class Menu<Item extends MenuItem> {
  #items: readonly Item[];
  #at = 0;

  constructor(items: readonly Item[], selected?: string) {
    this.#items = items;
    if (selected !== undefined) this.select(selected);
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  get selected(): Item | undefined {
    return this.#items[this.#at];
  }

  select(id: string): void {
    this.#at = Math.max(
      0,
      this.#items.findIndex((item) => item.id === id),
    );
  }

  /** Other answers; what was selected stays selected where it is among them. */
  set(items: readonly Item[]): void {
    const { selected } = this;
    this.#items = items;
    if (selected) this.select(selected.id);
  }

  move(by: -1 | 1): void {
    this.#at = (this.#at + this.#items.length + by) % Math.max(1, this.#items.length);
  }

  /** The answer that a key chooses; null: none. Arrows move. */
  take({ action, text = '' }: DialogInput): { item: Item; by: 'enter' | 'digit' } | null {
    if (action === 'confirm:previous' || action === 'confirm:next') this.move(action === 'confirm:next' ? 1 : -1);
    if (action === 'confirm:yes' && this.selected) return { item: this.selected, by: 'enter' };
    const item = action === 'key' && /^\d$/.test(text) ? this.#numbered()[Number(text) - 1] : undefined;
    return item ? { item, by: 'digit' } : null;
  }

  /** The cursor stands at the selected answer, unless something else has it. */
  rows(context: RowContext, { isActive = true } = {}): RowsWithCaret {
    const rows: Row[] = [];
    let caret = 0;
    const numbered = this.#numbered();
    for (const [index, item] of this.#items.entries()) {
      const isSelected = isActive && index === this.#at;
      if (isSelected) caret = rows.length;
      const sign = item.key ?? String(numbered.indexOf(item) + 1);
      const head: Span = {
        text: `${isSelected ? '\u276f' : ' '} ${sign} ${item.text}`,
        ...(isSelected && { styles: ['strong'] as const }),
      };
      const detail: Span[] = item.detail ? [{ text: '  ' }, { text: item.detail, styles: ['code'] }] : [];
      rows.push(...spanRows([head, ...detail], { context, indent: 0 }));
    }
    return { rows, caret: { row: caret, before: toRow([{ text: '\u276f ' }], context.palette) } };
  }

  #numbered(): readonly Item[] {
    return this.#items.filter(({ key }) => key === undefined);
  }
}
