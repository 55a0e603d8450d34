import { cutRow, type Row, type Span, type Style, toRow } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import { wrapSpans } from '../rows/wrap.ts';
import type { Body } from './body.ts';
import type { DiffLine } from './change-lines.ts';

/** The rows of a change. `isWhole`: long lines are wrapped; else cut to where they changed. */
export function changeRows(lines: readonly DiffLine[], context: RowContext, { isWhole }: { isWhole: boolean }): Body {
  const digits = String(Math.max(1, ...lines.map(({ number }) => number ?? 0))).length;
  const body: Body = { rows: [], changes: [], isCut: false };
  for (const line of lines) {
    const made = isWhole ? { rows: wrapped(line, digits, context), isCut: false } : cut(line, digits, context);
    if (line.sign === '+' || line.sign === '-') body.changes.push(body.rows.length);
    body.rows.push(...made.rows);
    body.isCut ||= made.isCut;
  }
  return body;
}

function head({ sign, number }: DiffLine, digits: number): Span[] {
  const mark = sign === '+' || sign === '-' ? `${sign} ` : sign === '\u2026' ? '\u2026 ' : '  ';
  const styles = styleOf(sign);
  return [
    { text: `  ${number === null ? ' '.repeat(digits) : String(number).padStart(digits)} `, styles: ['dim'] },
    { text: mark, ...(styles && { styles }) },
  ];
}

function styleOf(sign: DiffLine['sign']): Style[] | null {
  if (sign === '+') return ['added'];
  if (sign === '-') return ['removed'];
  return sign === '\u2026' ? ['dim'] : null;
}

function textSpans({ sign, text, words }: DiffLine): Span[] {
  const styles = styleOf(sign);
  const own = styles ? { styles } : {};
  if (!words || (words.before === '' && words.after === '')) return [{ text, ...own }];
  return [
    { text: words.before, ...own },
    { text: words.changed, styles: [...(styles ?? []), 'inverse'] },
    { text: words.after, ...own },
  ];
}

function wrapped(line: DiffLine, digits: number, context: RowContext): Row[] {
  const indent = digits + 5;
  return wrapSpans(textSpans(line), { ...context, first: indent, hang: indent }).map((spans, at) =>
    toRow([...(at === 0 ? head(line, digits) : [{ text: ' '.repeat(indent) }]), ...spans], context.palette),
  );
}

/** One row: of a line that is too long, the part that changed with some of what stands around it. */
function cut(line: DiffLine, digits: number, context: RowContext): { rows: Row[]; isCut: boolean } {
  const { palette, width, widths } = context;
  const whole = toRow([...head(line, digits), ...textSpans(line)], palette);
  const room = Math.max(8, width - digits - 5);
  if (widths.of(line.text) <= room) return { rows: [whole], isCut: false };
  const row = toRow([...head(line, digits), ...around(line, room)], palette);
  const fitting = cutRow(row, width - 1, widths);
  const isCut = fitting !== row;
  return { rows: [isCut ? ((fitting + toRow([{ text: '\u2026' }], palette)) as Row) : row], isCut };
}

function around({ sign, text, words }: DiffLine, room: number): Span[] {
  const styles = styleOf(sign);
  const own = styles ? { styles } : {};
  if (!words) return [{ text, ...own }];
  const beside = Math.max(4, Math.floor((room - words.changed.length) / 2) - 1);
  const before = words.before.length > beside ? `\u2026${words.before.slice(-beside + 1)}` : words.before;
  const after = words.after.length > beside ? `${words.after.slice(0, beside - 1)}\u2026` : words.after;
  return [
    { text: before, ...own },
    { text: words.changed, styles: [...(styles ?? []), 'inverse'] },
    { text: after, ...own },
  ];
}
