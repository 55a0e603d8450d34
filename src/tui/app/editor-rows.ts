import type { EditorState } from '../editor/editor.ts';
import { type EditorRow, type EditorView, layOut, shownPart } from '../editor/layout.ts';
import { headRow } from '../rows/blocks/call-rows.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import { type Row, type Span, toRow } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import { safeLine } from '../rows/safe-text.ts';

/** A part of the text that the rows highlight. */
export interface Highlight {
  readonly from: number;
  readonly to: number;
}

/**
 * The prompt with its mark. A shell command has its `!` instead of the mark. `hint` follows the text in dim; `selected` is
 * highlighted.
 */
export function editorRows(
  editor: EditorState,
  { hint, selected }: { hint: string; selected: Highlight | null },
  context: RowContext,
): RowsWithCaret {
  const { palette, widths, width } = context;
  const view: EditorView = { columns: Math.max(1, width - 3), widths, safe: safeLine };
  const { rows, caret } = layOut(editor, view);
  const isShell = editor.text.startsWith('!');
  const spans = (index: number, text: string): Span[] => {
    if (index > 0) return [{ text: '  ' }, { text }];
    if (!isShell) return [{ text: '\u276f ', styles: ['strong'] }, { text }];
    return text === '' ? [] : [{ text: '! ', styles: ['warning'] }, { text: text.slice(1) }];
  };
  const shown = rows.map((row, index) => {
    const all = spans(index, row.text);
    const parts = selected && !(isShell && index === 0) ? highlighted(row, editor, selected, view) : null;
    return toRow(parts ? [...all.slice(0, -1), ...parts] : all, palette);
  });
  const last = rows.at(-1);
  if (hint !== '' && last) shown[shown.length - 1] = withHint(spans(rows.length - 1, last.text), hint, context);
  return { rows: shown, caret: { row: caret.row, before: toRow(spans(caret.row, caret.before), palette) } };
}

/** The row in three parts; null where nothing of it is selected. */
function highlighted(row: EditorRow, editor: EditorState, selected: Highlight, view: EditorView): Span[] | null {
  const [from, to] = [Math.max(row.start, selected.from), Math.min(row.end, selected.to)];
  if (from >= to) return null;
  return [
    { text: shownPart(editor, row.start, from, view) },
    { text: shownPart(editor, from, to, view), styles: ['inverse'] },
    { text: shownPart(editor, to, row.end, view) },
  ];
}

function withHint(spans: Span[], hint: string, context: RowContext): Row {
  return headRow(context, [...spans, { text: ` ${safeLine(hint)}`, styles: ['dim'] }]);
}
