import type { Completion, CompletionItem } from '../focus/focus-state.ts';
import { headRow } from '../rows/blocks/call-rows.ts';
import { type Row, type Span, toRow } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import { safeLine } from '../rows/safe-text.ts';

const MOST_ROWS = 8;
const WIDEST_LABEL = 40;

/** The rows of a menu around its highlighted choice. */
export function menuRows({ items }: Completion, index: number, context: RowContext): Row[] {
  const chosen = Math.min(index, items.length - 1);
  const from = Math.max(0, Math.min(chosen - Math.floor(MOST_ROWS / 2), items.length - MOST_ROWS));
  const shown = items.slice(from, from + MOST_ROWS);
  const widest = Math.max(...shown.map(({ label }) => context.widths.of(safeLine(label))));
  const column = Math.min(widest, WIDEST_LABEL, Math.max(8, context.width - 20));
  const rows = shown.map((item, at) => itemRow(item, { isChosen: from + at === chosen, column }, context));
  const left = items.length - shown.length;
  if (left > 0) {
    const place = `  ${chosen + 1} of ${items.length}`;
    rows.push(toRow([{ text: place, styles: ['dim'] }], context.palette));
  }
  return rows;
}

function itemRow(
  { label, detail = '', positions = [] }: CompletionItem,
  { isChosen, column }: { isChosen: boolean; column: number },
  context: RowContext,
): Row {
  const gap = ' '.repeat(Math.max(0, column - context.widths.of(safeLine(label))) + 2);
  const description = safeLine(detail.split('\n')[0] ?? '');
  return headRow(context, [
    { text: isChosen ? '\u25b8 ' : '  ', styles: ['accent'] },
    ...labelSpans(label, new Set(positions), isChosen),
    ...(description === '' ? [] : [{ text: `${gap}${description}`, styles: ['dim'] } satisfies Span]),
  ]);
}

/** What matched is set off from the rest of the label. */
function labelSpans(label: string, matched: ReadonlySet<number>, isChosen: boolean): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (let at = 1; at <= label.length; at++) {
    if (at < label.length && matched.has(at) === matched.has(from)) continue;
    // A surrogate pair is not parted.
    if (at < label.length && /[\udc00-\udfff]/.test(label[at] ?? '')) continue;
    const styles = [...(matched.has(from) ? (['strong'] as const) : []), ...(isChosen ? (['accent'] as const) : [])];
    spans.push({ text: safeLine(label.slice(from, at)), styles });
    from = at;
  }
  return spans;
}
