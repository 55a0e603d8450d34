import { cutToWidth, displayWidth, padToWidth } from '../../util/text/display-width.ts';

/** A column of a table for a terminal. */
export interface Column {
  title: string;
  /** Plain texts, one for each row; colours are added after the cut. */
  cells: readonly string[];
  align?: 'right';
  /** Keeps the end of a cell that is too wide: the end of a path says more than its beginning. */
  keep?: 'end';
  /** The column may be cut to this width; without it, it stays as wide as its widest cell. */
  least?: number;
  paint?: (text: string) => string;
}

const GAP = '  ';

/**
 * The rows of a table that fits the width: columns are as wide as their widest cell, and if that is too much, the
 * columns that may be cut shrink, the widest first. `hasTitles`: the first row is a header.
 */
export function tableLines(columns: readonly Column[], width: number, { hasTitles }: { hasTitles: boolean }): string[] {
  const widths = fitting(columns, width - GAP.length * (columns.length - 1), { hasTitles });
  const row = (cellOf: (column: Column) => string, isHead: boolean) =>
    columns
      .map((column, at) => {
        const isLast = at === columns.length - 1;
        const cell = shaped(cellOf(column), widths[at] ?? 0, { ...column, isLast });
        return isHead || !column.paint ? cell : column.paint(cell);
      })
      .join(GAP)
      .trimEnd();
  const count = columns[0]?.cells.length ?? 0;
  return [
    ...(hasTitles ? [row(({ title }) => title, true)] : []),
    ...Array.from({ length: count }, (_, at) => row(({ cells }) => cells[at] ?? '', false)),
  ];
}

function fitting(columns: readonly Column[], room: number, { hasTitles }: { hasTitles: boolean }): number[] {
  const widths = columns.map(({ title, cells }) => {
    const all = hasTitles ? [title, ...cells] : cells;
    return all.reduce((widest, cell) => Math.max(widest, displayWidth(cell)), 0);
  });
  const sum = () => widths.reduce((total, each) => total + each, 0);
  while (sum() > room) {
    const spare = columns.map(({ least }, at) => (least === undefined ? 0 : (widths[at] ?? 0) - least));
    const widest = spare.indexOf(Math.max(...spare));
    if ((spare[widest] ?? 0) <= 0) break;
    const next = Math.max(0, ...spare.filter((_, at) => at !== widest));
    const excess = sum() - room;
    const step = Math.max(1, Math.min(excess, (spare[widest] ?? 0) - next));
    widths[widest] = (widths[widest] ?? 0) - step;
  }
  return widths;
}

function shaped(cell: string, width: number, { align, keep, isLast }: Column & { isLast: boolean }): string {
  const cut = keep === 'end' ? cutStart(cell, width) : cutToWidth(cell, width);
  if (align === 'right') return ' '.repeat(Math.max(0, width - displayWidth(cut))) + cut;
  return isLast ? cut : padToWidth(cut, width);
}

/** The text, or an ellipsis and its end when it is wider than `width`. */
function cutStart(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const characters = [...text];
  while (characters.length > 0 && displayWidth(characters.join('')) > width - 1) characters.shift();
  return `…${characters.join('')}`;
}
