import { printable } from '../../util/printable.ts';

/** A value on one line: a text in quotes, as it would stand in a file. */
export function shownValue(value: unknown): string {
  return printable(JSON.stringify(value) ?? 'undefined');
}

/** A wider cell shifts the rest of its row instead of widening the whole column. */
const MAX_WIDTH = 60;

/** Rows with their cells below each other; the last one is as long as it likes. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.min(MAX_WIDTH, Math.max(...rows.map((row) => row[at]?.length ?? 0))),
  );
  return rows.map((row) => {
    const cells = row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)));
    return cells.join('  ');
  });
}

/** With `~` for the home directory: shorter, and a shell understands it. */
export function shortPath(path: string, home: string): string {
  if (path === home) return '~';
  return home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
