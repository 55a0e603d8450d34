import type { Paint } from '../../util/text/paint.ts';
import { wrapText } from '../../util/text/wrap-text.ts';

/** On a narrow terminal, the names of options take at most this share. */
const NAME_SHARE = 0.4;

/**
 * Formats a help text for a terminal: headings and names in colours, and paragraphs and option texts wrapped where a
 * line would not fit. Examples stay unchanged: a command that is broken into lines cannot be copied.
 */
export function layoutHelp(text: string, { paint, width }: { paint: Paint; width: number }): string[] {
  const isNarrow = text.split('\n').some((line) => line.length > width);
  return text
    .trimEnd()
    .split('\n\n')
    .flatMap((block, at) => [...(at > 0 ? [''] : []), ...blockLines(block.split('\n'), { paint, width, isNarrow })]);
}

interface Layout {
  paint: Paint;
  width: number;
  isNarrow: boolean;
}

function blockLines(lines: string[], layout: Layout): string[] {
  const { paint, width, isNarrow } = layout;
  const [first = ''] = lines;
  if (first === 'Examples:') return lines.map((line, at) => (at === 0 ? paint.bold(line) : dimComment(line, paint)));
  if (first.startsWith('Usage: ')) return lines.flatMap((line) => usageLines(line, layout));
  if (ENTRY.test(first) || (first.endsWith(':') && ENTRY.test(lines[1] ?? ''))) return entryLines(lines, layout);
  if (!isNarrow) return lines;
  // A paragraph; lines that are indented or begin with a label are not joined.
  return joined(lines).flatMap((line) => wrapText(line, width, { hang: hangOf(line) }));
}

/** A name, two blanks or more, and its description. */
const ENTRY = /^ {2}(\S.*?) {2,}(\S.*)$/;

function usageLines(line: string, { paint, width, isNarrow }: Layout): string[] {
  const wrapped = isNarrow ? wrapText(line, width, { hang: USAGE_HANG }) : [line];
  return wrapped.map((each) => each.replace(/^Usage:/, (word) => paint.bold(word)));
}

const USAGE_HANG = 'Usage: heddle '.length;

function entryLines(lines: string[], { paint, width, isNarrow }: Layout): string[] {
  const entries: { name: string; text: string }[] = [];
  const heading: string[] = [];
  for (const line of lines) {
    const [, name, text] = ENTRY.exec(line) ?? [];
    const last = entries.at(-1);
    if (name !== undefined && text !== undefined) entries.push({ name, text });
    else if (/^ {2}\S/.test(line)) entries.push({ name: line.trim(), text: '' });
    else if (last && line.startsWith(' ')) last.text = `${last.text} ${line.trim()}`.trim();
    else heading.push(line);
  }
  const titles = heading.map((line) => (line.endsWith(':') ? paint.bold(line) : line));
  if (!isNarrow)
    return [...titles, ...lines.filter((line) => !heading.includes(line)).map((line) => named(line, paint))];
  const column = Math.min(textColumn(lines), Math.floor(width * NAME_SHARE));
  return [
    ...titles,
    ...entries.flatMap(({ name, text }) => {
      const isWide = name.length + 4 > column;
      const lead = isWide ? ' '.repeat(column) : `  ${name.padEnd(column - 2)}`;
      const beside = text === '' ? [] : wrapText(text, width, { lead });
      return (isWide || text === '' ? [`  ${name}`, ...beside] : beside).map((line, at) =>
        at === 0 ? named(line, paint) : line,
      );
    }),
  ];
}

/** The column in which the descriptions begin. */
function textColumn(lines: readonly string[]): number {
  const found = lines
    .map((line) => /^ {2}\S.*? {2,}(?=\S)/.exec(line)?.[0].length)
    .find((length) => length !== undefined);
  return found ?? 0;
}

function named(line: string, paint: Paint): string {
  return line.replace(/^( {2})(\S.*?)( {2,}|$)/, (_, indent, name, gap) => `${indent}${paint.cyan(name)}${gap}`);
}

function dimComment(line: string, paint: Paint): string {
  return line.trimStart().startsWith('#') ? paint.dim(line) : line;
}

/** `Exit codes: `; anything longer is a sentence. */
const LABEL = /^\w[\w ]{0,20}: /;

/** Joins the lines of one paragraph; a line that begins with a label, or is indented, starts a new one. */
function joined(lines: string[]): string[] {
  const paragraphs: string[] = [];
  for (const line of lines) {
    const isOwn = LABEL.test(line) || paragraphs.length === 0;
    if (isOwn) paragraphs.push(line);
    else paragraphs[paragraphs.length - 1] += ` ${line.trim()}`;
  }
  return paragraphs;
}

function hangOf(line: string): number {
  return LABEL.exec(line)?.[0].length ?? 0;
}
