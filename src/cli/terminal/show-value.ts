import { printable } from '../../util/printable.ts';
import { wrapText } from '../../util/wrap-text.ts';
import type { Terminal } from './terminal.ts';

/** A value on one line: a text in quotes, as it would stand in a file. */
export function shownValue(value: unknown): string {
  return printable(JSON.stringify(value) ?? 'undefined');
}

/** A wider cell shifts the rest of its row instead of widening the whole column. */
const MAX_WIDTH = 60;

/**
 * Rows with their cells below each other. The last one is as long as it likes; on a terminal it goes on below its
 * beginning.
 */
export function columns(rows: readonly (readonly string[])[], { room }: Pick<Terminal, 'room'>): string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.min(MAX_WIDTH, Math.max(...rows.map((row) => row[at]?.length ?? 0))),
  );
  return rows.flatMap((row) => {
    const cells = row.slice(0, -1).map((cell, at) => `${cell.padEnd(widths[at] ?? 0)}  `);
    const lead = cells.join('');
    const last = row.at(-1) ?? '';
    return wrapText(last, room, { lead, hang: Math.min(lead.length, room / 2) });
  });
}

/** With `~` for the home directory: shorter, and a shell understands it. */
export function shortPath(path: string, home: string): string {
  if (path === home) return '~';
  return home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
