import { join, relative } from 'node:path';
import { isInside } from '../../util/files/path-inside.ts';
import { printable } from '../../util/text/printable.ts';
import { wrapText } from '../../util/text/wrap-text.ts';
import type { Terminal } from './terminal.ts';

/** A value on one line: a text in quotes, as it would be in a file. */
export function shownValue(value: unknown): string {
  return printable(JSON.stringify(value) ?? 'undefined');
}

/** A wider cell shifts the rest of its row instead of widening the whole column. */
const MAX_WIDTH = 60;

/** Rows with aligned cells. The last cell may have any length; on a terminal it wraps below its beginning. */
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
  return home !== '' && isInside(home, path) ? join('~', relative(home, path)) : path;
}

/** Minutes are enough to recognise when something was. */
export function localTime(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
