import { patternOfText } from '../../util/text/pattern-of-text.ts';
import type { Row, Span } from '../rows/row.ts';
import { type Palette, textOfRow, toRow } from '../rows/row.ts';
import type { PartRows, RowPosition } from './part-rows.ts';

/** Where a text is found: small letters mean either case, as in less -i. */
export function matcherOf(text: string): RegExp {
  const flags = text === text.toLowerCase() ? 'giu' : 'gu';
  return new RegExp(patternOfText(text), flags);
}

/** The next row that holds it, in one direction; null: there is none. */
export function findRow(rows: PartRows, matcher: RegExp, from: RowPosition, by: 1 | -1): RowPosition | null {
  for (let { part } = from; part >= 0 && part <= rows.parts.length; part += by) {
    const all = rows.rowsOf(part);
    const isFirst = part === from.part;
    for (let row = isFirst ? from.row + by : by > 0 ? 0 : all.length - 1; row >= 0 && row < all.length; row += by) {
      if (textOfRow(all[row] as Row).match(matcher)) return { part, row };
    }
  }
  return null;
}

/** The row with what was searched for marked; without its own colours, so that the mark is seen. */
export function markedRow(row: Row, matcher: RegExp, palette: Palette): Row {
  const text = textOfRow(row);
  const spans: Span[] = [];
  let end = 0;
  for (const { index, 0: found } of text.matchAll(matcher)) {
    if (found === '') continue;
    spans.push({ text: text.slice(end, index) }, { text: found, styles: ['inverse'] });
    end = index + found.length;
  }
  return end === 0 ? row : toRow([...spans, { text: text.slice(end) }], palette);
}
