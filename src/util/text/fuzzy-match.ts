/**
 * How well a text fits a query whose characters it must hold in their order. Characters that stand together, or at the
 * beginning of a word or a file name, count more. The cost is that of reading the text once or twice.
 */

/** Cheap to compare: whether a text can fit a query at all. */
export function lettersOf(text: string): number {
  let mask = 0;
  for (let at = 0; at < text.length; at++) mask |= bitOf(folded(text.charCodeAt(at)));
  return mask;
}

export interface FuzzyQuery {
  readonly text: string;
  readonly letters: number;
  /** A capital in the query makes case count. */
  readonly caseCounts: boolean;
}

export function fuzzyQuery(text: string): FuzzyQuery {
  return { text, letters: lettersOf(text), caseCounts: /[A-Z]/.test(text) };
}

const NO_MATCH = -1;

/** The score of a text; -1: it does not fit. With `positions`, the characters that match are added to the list. */
export function fuzzyScore(query: FuzzyQuery, text: string, positions?: number[]): number {
  if (query.text === '') return 0;
  const name = text.lastIndexOf('/', text.length - 2) + 1;
  const inName = scoreFrom(query, text, { from: name, positions });
  return inName === NO_MATCH ? scoreFrom(query, text, { from: 0, positions }) : inName + IN_NAME;
}

const MATCH = 16;
const TOGETHER = 12;
const WORD_START = 8;
const IN_NAME = 24;
const EXACT_CASE = 1;
const MAX_GAP = 10;

interface Range {
  from: number;
  positions?: number[] | undefined;
}

function scoreFrom(query: FuzzyQuery, text: string, { from, positions }: Range): number {
  const end = lastOf(query, text, from);
  if (end < 0) return NO_MATCH;
  // From the last character backwards: the shortest part that fits. No lists, because most calls only want the score.
  const first = positions?.length ?? 0;
  let wanted = query.text.length - 1;
  let behind = NO_MATCH;
  let score = 0;
  for (let at = end; at >= from && wanted >= 0; at--) {
    const own = text.charCodeAt(at);
    const asked = query.text.charCodeAt(wanted);
    if (!isSame(query, asked, own)) continue;
    score += MATCH;
    if (behind === at + 1) score += TOGETHER;
    else if (behind !== NO_MATCH) score -= Math.min(behind - at, MAX_GAP);
    if (startsWord(text, at)) score += WORD_START;
    if (own === asked) score += EXACT_CASE;
    positions?.splice(first, 0, at);
    behind = at;
    wanted -= 1;
  }
  return Math.max(0, score - Math.min(text.length >> 3, MATCH));
}

/** The end of the first part of the text that holds the whole query. */
function lastOf(query: FuzzyQuery, text: string, from: number): number {
  let wanted = 0;
  for (let at = from; at < text.length; at++) {
    if (!isSame(query, query.text.charCodeAt(wanted), text.charCodeAt(at))) continue;
    wanted += 1;
    if (wanted === query.text.length) return at;
  }
  return NO_MATCH;
}

function startsWord(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  const isLetter = (before >= 97 && before <= 122) || (before >= 65 && before <= 90) || before >= 128;
  const isDigit = before >= 48 && before <= 57;
  if (!isLetter && !isDigit) return true;
  const own = text.charCodeAt(at);
  return own >= 65 && own <= 90 && !(before >= 65 && before <= 90);
}

function isSame({ caseCounts }: FuzzyQuery, wanted: number, own: number): boolean {
  return wanted === own || (!caseCounts && folded(wanted) === folded(own));
}

function folded(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

function bitOf(code: number): number {
  if (code >= 97 && code <= 122) return 1 << (code - 97);
  return 1 << (26 + (code & 3));
}
