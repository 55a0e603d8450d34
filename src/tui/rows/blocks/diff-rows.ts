import type { PatchHunk } from '../../../wire/tools/tool-outputs.ts';
import type { CodeColours } from '../code/code-colours.ts';
import { type Row, type Span, toRow } from '../row.ts';
import type { RowContext } from '../row-context.ts';
import { safeLine } from '../safe-text.ts';

export interface DiffOptions {
  context: RowContext;
  /** Most rows; the last one then tells how many there are. */
  most: number;
  /** Blanks before each row. */
  indent?: number;
  /** For the colours of unchanged lines. */
  language?: string;
  colours?: CodeColours | null;
}

/** The rows of a change: line numbers, a sign, the text. The sign carries the meaning, the colour repeats it. */
export function diffRows(hunks: readonly PatchHunk[], { context, most, indent = 2, ...code }: DiffOptions): Row[] {
  const lines = hunks.flatMap((hunk, index) => [...(index > 0 ? [null] : []), ...numbered(hunk)]);
  const digits = String(Math.max(1, ...lines.map((line) => line?.number ?? 0))).length;
  const blanks = ' '.repeat(indent);
  const colours = code.colours?.begin(code.language ?? '') ?? null;
  const shown = lines.length > most ? lines.slice(0, most - 1) : lines;
  const rows = shown.map((line) => {
    if (!line) return toRow([{ text: `${blanks}${' '.repeat(digits)} \u2026`, styles: ['dim'] }], context.palette);
    const number: Span = { text: `${blanks}${String(line.number).padStart(digits)} `, styles: ['dim'] };
    const text = cut(safeLine(line.text), context.width * 4);
    if (line.sign === ' ')
      return toRow([number, { text: '  ' }, ...(colours?.line(text) ?? [{ text }])], context.palette);
    const styles = [line.sign === '+' ? 'added' : 'removed'] as const;
    return toRow([number, { text: `${line.sign} ${text}`, styles }], context.palette);
  });
  const left = lines.length - shown.length;
  if (left > 0)
    rows.push(toRow([{ text: `${blanks}\u2026 ${left} more rows: ctrl+o`, styles: ['dim'] }], context.palette));
  return rows;
}

interface DiffLine {
  number: number;
  sign: string;
  text: string;
}

/** Removed lines have the numbers of the old file, all others those of the new one. */
function numbered({ oldStart, newStart, lines }: PatchHunk): DiffLine[] {
  let before = oldStart;
  let after = newStart;
  return lines
    .filter((line) => !line.startsWith('\\'))
    .map((line) => {
      const sign = line[0] === '+' || line[0] === '-' ? line[0] : ' ';
      const number = sign === '-' ? before : after;
      if (sign !== '+') before++;
      if (sign !== '-') after++;
      return { number, sign, text: line.slice(1) };
    });
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}\u2026` : text;
}
