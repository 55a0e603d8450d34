import { printable } from '../../util/text/printable.ts';
import { type Row, type Span, type Style, toRow } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import { assertSafe, expandTabs } from '../rows/safe-text.ts';
import { wrapSpans } from '../rows/wrap.ts';

/** A line that the person approves: nothing of it is dropped, what is hidden or acts on a terminal is an escape. */
export function visible(line: string): string {
  return assertSafe(printable(expandTabs(line)));
}

/** The lines of a text that the person approves. */
export function visibleLines(text: string): string[] {
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n').map(visible);
}

export interface TextRowsOptions {
  context: RowContext;
  style?: Style;
  /** Blanks before each row. */
  indent?: number;
}

/** All of a text, wrapped. */
export function textRows(text: string, options: TextRowsOptions): Row[] {
  return visibleLines(text).flatMap((line) => spanRows([span(line, options.style)], options));
}

/** Spans on as many rows as they need; the rows after the first stand a bit further right. */
export function spanRows(
  spans: readonly Span[],
  { context, indent = 2 }: Pick<TextRowsOptions, 'context' | 'indent'>,
): Row[] {
  const hang = indent + 2;
  const blanks = (count: number) => ' '.repeat(Math.min(count, Math.max(0, context.width - 8)));
  return wrapSpans(spans, { ...context, first: blanks(indent).length, hang: blanks(hang).length }).map((line, at) =>
    toRow([{ text: blanks(at === 0 ? indent : hang) }, ...line], context.palette),
  );
}

export function span(text: string, style?: Style): Span {
  return { text, ...(style && { styles: [style] }) };
}
