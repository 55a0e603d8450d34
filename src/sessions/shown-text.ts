import { cutToWidth } from '../util/display-width.ts';
import { printable } from '../util/printable.ts';

/**
 * A stored text as lines for a terminal. Joiners stay, because emoji and some scripts are spelled with them; whatever
 * else would act on the terminal is written as an escape.
 */
export function shownLines(text: string): string[] {
  return text.split(/\r\n|[\n\r]/).map(shownLine);
}

/** The beginning of a stored text, on one line. */
export function firstWords(text: string, width: number): string {
  // A prompt may be megabytes long; blanks that are joined may halve it, rarely more.
  const start = text.slice(0, width * 8).trim();
  return cutToWidth(shownLine(start.replaceAll(/\s+/g, ' ')), width);
}

function shownLine(line: string): string {
  return line
    .replaceAll('\t', '    ')
    .split(/(\u200c|\u200d)/)
    .map(keepJoiner)
    .join('');
}

function keepJoiner(part: string): string {
  return part === '\u200c' || part === '\u200d' ? part : printable(part);
}
