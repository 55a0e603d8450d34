import type { Tokens } from 'marked';
import type { Span } from '../row.ts';
import type { RowContext } from '../row-context.ts';
import { wrapSpans } from '../wrap.ts';
import { inlineSpans } from './inline-spans.ts';

/** Below this, columns side by side cannot be read. */
const NARROW = 60;
const MOST_COLUMNS = 40;
const LEAST_WIDTH = 4;
const BETWEEN = 2;

/**
 * A table as lines. It fits the width: wide columns are broken at words. Where there is no room for columns, each row
 * becomes lines of the form `Header: value`.
 */
export function tableLines({ header, rows, align }: Tokens.Table, context: RowContext, withHead: boolean): Span[][] {
  const head = header.map((cell) => inlineSpans(cell.tokens).flat());
  const body = rows.map((row) => row.map((cell) => inlineSpans(cell.tokens).flat()));
  const least = header.length * (LEAST_WIDTH + BETWEEN) - BETWEEN;
  if (context.width < NARROW || least > context.width || header.length > MOST_COLUMNS)
    return listed(head, body, context);
  const widths = fitted([head, ...body], context);
  const lines: Span[][] = [];
  if (withHead) {
    const strong = head.map((cell) =>
      cell.map(({ text, styles = [] }): Span => ({ text, styles: [...styles, 'strong'] })),
    );
    lines.push(...sideBySide(strong, widths, align, context));
    lines.push([{ text: widths.map((width) => '\u2500'.repeat(width)).join('  '), styles: ['dim'] }]);
  }
  for (const row of body) lines.push(...sideBySide(row, widths, align, context));
  return lines;
}

function listed(head: readonly Span[][], body: readonly Span[][][], { width, widths }: RowContext): Span[][] {
  return body.flatMap((row) => [
    ...head.flatMap((name, index): Span[][] => {
      const label = name.map(({ text }): Span => ({ text, styles: ['strong'] }));
      return wrapSpans([...label, { text: ': ' }, ...(row[index] ?? [])], { width, widths, hang: 2 }).map((line, at) =>
        at === 0 ? line : [{ text: '  ' }, ...line],
      );
    }),
    [],
  ]);
}

/** Natural widths; as long as they do not fit, the widest column becomes narrower. */
function fitted(rows: readonly Span[][][], { width, widths }: RowContext): number[] {
  const columns = rows[0]?.length ?? 0;
  const natural = Array.from({ length: columns }, (_, index) =>
    Math.max(1, ...rows.map((row) => widths.of((row[index] ?? []).map(({ text }) => text).join('')))),
  );
  const room = width - BETWEEN * (columns - 1);
  let sum = natural.reduce((total, each) => total + each, 0);
  while (sum > room) {
    const widest = Math.max(...natural);
    if (widest <= 1) break;
    // All columns of this width, down to the next one, or as far as is needed.
    const next = Math.max(1, ...natural.filter((each) => each < widest));
    const count = natural.filter((each) => each === widest).length;
    const less = Math.max(1, Math.min(widest - next, Math.ceil((sum - room) / count)));
    for (const [index, each] of natural.entries()) if (each === widest) natural[index] = Math.max(1, each - less);
    sum = natural.reduce((total, each) => total + each, 0);
  }
  return natural;
}

function sideBySide(
  row: readonly Span[][],
  columns: readonly number[],
  align: Tokens.Table['align'],
  { widths }: RowContext,
): Span[][] {
  const cells = columns.map((width, index) => wrapSpans(row[index] ?? [], { width, widths }));
  const height = Math.max(...cells.map((cell) => cell.length));
  return Array.from({ length: height }, (_, at) => {
    const line: Span[] = [];
    let owed = 0; // blanks are written only before something: nothing is padded at the end
    for (const [index, cell] of cells.entries()) {
      const spans = cell[at] ?? [];
      const used = widths.of(spans.map(({ text }) => text).join(''));
      const free = Math.max((columns[index] ?? 0) - used, 0);
      const before = align[index] === 'right' ? free : align[index] === 'center' ? free >> 1 : 0;
      if (used > 0) {
        if (owed + before > 0) line.push({ text: ' '.repeat(owed + before) });
        line.push(...spans);
        owed = free - before + BETWEEN;
      } else owed += free + BETWEEN;
    }
    return line;
  });
}
