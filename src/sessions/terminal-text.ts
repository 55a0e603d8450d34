import { cutToWidth } from '../util/text/display-width.ts';
import { printable } from '../util/text/printable.ts';

/**
 * A stored text as lines for a terminal. Joiners stay, because emoji and some scripts are spelled with them; every
 * other character that would act on the terminal is escaped.
 */
export function shownLines(text: string): string[] {
  const lines = text.split(LINE_END);
  return PLAIN.test(text) ? lines : lines.map(shownLine);
}

const LINE_END = /\r\n|[\n\r]/;
/** True for most outputs: one test costs much less than a test for every line. */
const PLAIN = /^[\n\r -~]*$/;

/** The first lines of a text, and how many it has in all. */
export function firstLines(text: string, most: number): { lines: string[]; count: number } {
  const ends = text.matchAll(new RegExp(LINE_END, 'g'));
  let count = 1;
  let end = text.length;
  for (const { index } of ends) if (count++ === most) end = index;
  return { lines: shownLines(text.slice(0, end)), count };
}

/** The beginning of a stored text, on one line. */
export function firstWords(text: string, width: number): string {
  // A prompt may be megabytes long; joining blanks may halve it, rarely more.
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
