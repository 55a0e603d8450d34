import type { BlockContext } from '../rows/blocks/block-context.ts';
import { breakRow, EMPTY_ROW, outputRow, type Row, textOfRow } from '../rows/row.ts';
import { expandTabs, safeText } from '../rows/safe-text.ts';

/** A piece of what the pager shows. Its rows are made when it comes into view. */
export interface PagerPart {
  /** A prompt, or another place at which `{` and `}` stop. */
  readonly isHead: boolean;
  /** What `y` copies: the text as it was written. */
  readonly source: string;
  /** All of its rows; `short`: as few as tell what it is. */
  rows(context: BlockContext, length: 'whole' | 'short'): readonly Row[];
}

/** Foreign text, row by row as it is; long rows are broken at the edge of the window, nothing is left out. */
export function textPart(text: string, { isHead = false } = {}): PagerPart {
  return { isHead, source: text, rows: (context) => textRows(text, context) };
}

/** Rows of our own, made for a width. */
export function rowsPart(rows: (context: BlockContext) => readonly Row[], screen: BlockContext): PagerPart {
  return { isHead: false, rows, source: rows(screen).map(textOfRow).join('\n') };
}

export function textRows(text: string, context: BlockContext): Row[] {
  const lines = text.replaceAll('\r\n', '\n').replace(/\n+$/, '').split('\n');
  return lines.flatMap((line) => {
    const row = outputRow(line, context.palette, (part) => expandTabs(safeText(part)));
    return row === '' ? [EMPTY_ROW] : inWindow(row, context);
  });
}

export function inWindow(row: Row, { width, widths }: BlockContext): Row[] {
  return breakRow(row, width, widths);
}
