import type { Widths } from '../rows/widths.ts';

/**
 * What a terminal does with rows that no longer fit when its window becomes narrower: it wraps all of them; all but the
 * one that the cursor is in (xterm.js); or none (xterm, the Linux console, screen).
 */
export type ReflowFamily = 'all' | 'all-but-cursor' | 'none';

type Env = Readonly<Record<string, string | undefined>>;

export function reflowFamilyOf(env: Env): ReflowFamily {
  if (env.TERM_PROGRAM === 'vscode') return 'all-but-cursor';
  const { TERM = '' } = env;
  if (TERM === 'linux' || env.STY || env.XTERM_VERSION || (TERM.startsWith('screen') && !env.TMUX)) return 'none';
  return 'all';
}

export interface BeforeResize {
  /** The texts of the rows above the cursor's row, and of its own row up to the cursor. */
  above: readonly string[];
  before: string;
  /** The columns that there are now. */
  columns: number;
}

/** How many rows the cursor is now below the first of the live rows. */
export function rowsAboveCursor(
  family: ReflowFamily,
  { above, before, columns }: BeforeResize,
  widths: Widths,
): number {
  if (family === 'none') return above.length;
  const wrapped = above.reduce((sum, text) => sum + countRows(text, columns, widths).rows, 0);
  return family === 'all-but-cursor' ? wrapped : wrapped + countRows(before, columns, widths).rows - 1;
}

/** The column, from 0, in which the cursor should stand now; null where any column is possible. */
export function expectedColumn(family: ReflowFamily, { before, columns }: BeforeResize, widths: Widths): number {
  if (family === 'all') return Math.min(countRows(before, columns, widths).used, columns - 1);
  return Math.min(widths.of(before), columns - 1);
}

/** Wide characters are not split: a row ends before one that does not fit. */
function countRows(text: string, columns: number, widths: Widths): { rows: number; used: number } {
  if (columns < 2) return { rows: 1, used: 0 };
  let rows = 1;
  let used = 0;
  for (const { width } of widths.clusters(text)) {
    if (used + width > columns) {
      rows++;
      used = 0;
    }
    used += width;
  }
  return { rows, used };
}
