import { type EditorAction, type EditorState, EMPTY_EDITOR, edit, promptOf } from '../editor/editor.ts';
import { layOut } from '../editor/layout.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import { type Span, toRow } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import { safeLine } from '../rows/safe-text.ts';

/** A text inside of a question. */
export class TextField {
  #state: EditorState;

  constructor(text = '') {
    this.#state = text === '' ? EMPTY_EDITOR : edit(EMPTY_EDITOR, { type: 'set', text });
  }

  /** What was written, pastes whole. */
  get text(): string {
    return promptOf(this.#state).text;
  }

  edit(action: EditorAction): void {
    this.#state = edit(this.#state, action);
  }

  /** `label` stands before the first row. */
  rows(label: Span, { palette, widths, width }: RowContext): RowsWithCaret {
    const indent = widths.of(label.text);
    const blanks = ' '.repeat(indent);
    const columns = Math.max(1, width - indent - 1);
    const { rows, caret } = layOut(this.#state, { columns, widths, safe: safeLine });
    const before = (index: number): Span => (index === 0 ? label : { text: blanks });
    return {
      rows: rows.map(({ text }, index) => toRow([before(index), { text }], palette)),
      caret: { row: caret.row, before: toRow([before(caret.row), { text: caret.before }], palette) },
    };
  }
}
