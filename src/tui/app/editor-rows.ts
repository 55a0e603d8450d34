import type { EditorState } from '../editor/editor.ts';
import { layOut } from '../editor/layout.ts';
import { headRow } from '../rows/blocks/call-rows.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import { type Row, type Span, toRow } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import { safeLine } from '../rows/safe-text.ts';

/** The prompt with its mark. A shell command has its `!` instead of the mark. `hint` follows the text in dim. */
export function editorRows(editor: EditorState, hint: string, context: RowContext): RowsWithCaret {
  const { palette, widths, width } = context;
  const { rows, caret } = layOut(editor, { columns: Math.max(1, width - 3), widths, safe: safeLine });
  const isShell = editor.text.startsWith('!');
  const spans = (index: number, text: string): Span[] => {
    if (index > 0) return [{ text: '  ' }, { text }];
    if (!isShell) return [{ text: '\u276f ', styles: ['strong'] }, { text }];
    return text === '' ? [] : [{ text: '! ', styles: ['warning'] }, { text: text.slice(1) }];
  };
  const shown = rows.map(({ text }, index) => toRow(spans(index, text), palette));
  const last = rows.at(-1);
  if (hint !== '' && last) shown[shown.length - 1] = withHint(spans(rows.length - 1, last.text), hint, context);
  return { rows: shown, caret: { row: caret.row, before: toRow(spans(caret.row, caret.before), palette) } };
}

function withHint(spans: Span[], hint: string, context: RowContext): Row {
  return headRow(context, [...spans, { text: ` ${safeLine(hint)}`, styles: ['dim'] }]);
}
