import { createPauses, mapWithPauses, type Pauses } from '../../util/pauses.ts';
import { occurrencesOf } from '../../util/text/linear-search.ts';

/** A part of a text and its replacement. */
export interface Replacement {
  start: number;
  end: number;
  text: string;
}

/**
 * The places of `from` in `text`, each with its replacement.
 *
 * Read shows CRLF lines without their CR. So in a file with CRLF lines, the line feeds of an edit match both line
 * endings, and new lines get the ending that is in use at that place. The common start and end of `from` and `to` stay
 * untouched, so that they keep their bytes where endings are mixed. The search ends with the `max`-th place.
 */
export async function findReplacements(
  text: string,
  from: string,
  to: string,
  max = Number.POSITIVE_INFINITY,
): Promise<Replacement[]> {
  const pauses = createPauses();
  const found = await occurrencesOf(text, from, max, pauses);
  const exact = found.map((start) => ({ start, end: start + from.length, text: to }));
  if (exact.length > 0 && (from.includes('\r') || to.includes('\r'))) return exact; // meant as written
  if (text.includes('\r\n')) return acrossLineEndings({ text, from: toLf(from), to: toLf(to), max, pauses });
  if (exact.length > 0 || !from.includes('\r\n')) return exact;
  return findReplacements(text, toLf(from), toLf(to), max);
}

export function applyReplacements(text: string, replacements: readonly Replacement[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: replacement } of replacements) {
    parts.push(text.slice(at, start), replacement);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

interface Exchange {
  text: string;
  from: string;
  to: string;
  max: number;
  pauses: Pauses;
}

async function acrossLineEndings({ text, from, to, max, pauses }: Exchange): Promise<Replacement[]> {
  const plain = await withLf(text, pauses);
  const place = positionsIn(text);
  const endingAt = lineEndingsIn(text);
  const { head, tail } = sharedEnds(from, to);
  const changed = to.slice(head, to.length - tail);
  const found = await occurrencesOf(plain, from, max, pauses);
  return mapWithPauses(found, pauses, (at) => {
    const start = place(at + head);
    const end = place(at + from.length - tail);
    return { start, end, text: changed.includes('\n') ? changed.replaceAll('\n', endingAt(start)) : changed };
  });
}

/** Maps a position in the text without CRs to the position in the text. Call it in ascending order. */
function positionsIn(text: string): (plainAt: number) => number {
  let passed = 0;
  let next = text.indexOf('\r\n');
  return (plainAt) => {
    while (next !== -1 && next - passed < plainAt) {
      passed++;
      next = text.indexOf('\r\n', next + 1);
    }
    return plainAt + passed;
  };
}

/** The ending of the line at a position, or of the line before when it is the last. Call it in ascending order. */
function lineEndingsIn(text: string): (at: number) => string {
  const last = text.lastIndexOf('\n');
  let next = text.indexOf('\n');
  return (at) => {
    if (next < at && at <= last) next = text.indexOf('\n', at);
    const end = at > last ? last : next;
    return text[end - 1] === '\r' ? '\r\n' : '\n';
  };
}

function sharedEnds(a: string, b: string): { head: number; tail: number } {
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return { head, tail };
}

function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Characters between pauses. */
const STRIDE = 2 ** 20;

/** `toLf` for a text of any size. */
async function withLf(text: string, pauses: Pauses): Promise<string> {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    if (pauses.isDue()) await pauses.take();
    // Not between a CR and its line feed.
    const end = text[at + STRIDE - 1] === '\r' ? at + STRIDE - 1 : at + STRIDE;
    parts.push(toLf(text.slice(at, end)));
    at = end;
  }
  return parts.join('');
}
