import { createPauses, mapWithPauses, type Pauses } from '../../util/pauses.ts';
import { runsOf } from '../../util/text/linear-search.ts';
import { numberLines } from './numbered-lines.ts';

/** Larger texts are not searched: it would take longer than reading the file again. */
const MAX_TEXT_CHARS = 4_000_000;
const MAX_TEXT_LINES = 250_000;
/** The longest line that is compared, because a line is compared without a pause. */
const MAX_LINE_CHARS = 400_000;
const MAX_WANTED_CHARS = 50_000;

const MAX_SHOWN_LINES = 12;
const MAX_SHOWN_CHARS = 200;

/** Describes the lines that the model may have meant when `wanted` was not found, and how they differ. */
export async function describeNearest(text: string, wanted: string): Promise<string | null> {
  if (text.length > MAX_TEXT_CHARS || wanted.length > MAX_WANTED_CHARS) return null;
  const lines = splitLines(text);
  if (lines.length > MAX_TEXT_LINES || lines.some((line) => line.length > MAX_LINE_CHARS)) return null;
  const want = withoutBlankEnds(splitLines(wanted));
  if (want.length === 0) return null;
  const pauses = createPauses();
  const near = (await nearlyEqual(lines, want, pauses)) ?? (await mostSimilar(lines, want, pauses));
  if (!near) return null;
  const { start, differs } = near;
  const found = lines.slice(start, start + want.length);
  const last = start + found.length;
  const place = found.length === 1 ? `line ${last}` : `lines ${start + 1} to ${last}`;
  return `The nearest is at ${place}:\n${excerpt(found, start + 1)}\n${difference(found, want, start, differs)}`;
}

interface Near {
  /** Index of the first line. */
  start: number;
  differs: string | null;
}

/** Forms of a line that each hide one kind of difference; every form also hides those before it. */
const FORMS: readonly { differs: string; form: (line: string) => string }[] = [
  { differs: 'blank lines around it or white space at line ends', form: (line) => line.trimEnd() },
  { differs: 'indentation', form: (line) => line.trim() },
  { differs: 'white space', form: (line) => line.replace(/\s+/g, '') },
  { differs: 'characters that look alike, such as quotes and dashes', form: plainCharacters },
  { differs: 'backslashes', form: (line) => line.replaceAll('\\', '') },
  { differs: 'upper and lower case', form: (line) => line.toLowerCase() },
];

/** Lines that equal the wanted ones except for one kind of difference. */
async function nearlyEqual(lines: readonly string[], want: readonly string[], pauses: Pauses): Promise<Near | null> {
  let text = lines;
  let wanted = want;
  for (const { differs, form } of FORMS) {
    text = await mapWithPauses(text, pauses, form);
    wanted = await mapWithPauses(wanted, pauses, form);
    const start = indexOfLines(text, wanted);
    if (start !== -1) return { start, differs };
  }
  return null;
}

/** Look-alikes of ', of " and of -. Escaped, as in every pattern: the scripts of the command line are ASCII. */
function plainCharacters(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u201a\u201b\u2032`\u00b4]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]/g, '"')
    .replace(/[\u2010\u2011\u2012\u2013\u2014\u2015\u2212]/g, '-')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '');
}

/** The first and the last line may be parts of lines, as they may in an edit. */
function indexOfLines(text: readonly string[], want: readonly string[]): number {
  const last = want.length - 1;
  const [first = '', final = ''] = [want[0], want[last]];
  if (want.join('') === '') return -1;
  if (last === 0) return text.findIndex((line) => line.includes(first));
  const fitsAt = (at: number) => text[at]?.endsWith(first) && text[at + last]?.startsWith(final);
  if (last === 1) return text.findIndex((_line, at) => fitsAt(at));
  for (const second of runsOf(text, want.slice(1, last))) if (fitsAt(second - 1)) return second - 1;
  return -1;
}

/** The most lines that are compared letter by letter, and the similarity they must have. */
const MAX_COMPARED_LINES = 50_000;
const MAX_CANDIDATES = 20;
const MIN_SIMILARITY = 0.5;

/** The lines that share most with the wanted ones; null when none share half. */
async function mostSimilar(lines: readonly string[], want: readonly string[], pauses: Pauses): Promise<Near | null> {
  const wanted = await mapWithPauses(want, pauses, letterPairs);
  const anchor = indexOfMost(wanted, (pairs) => pairs.size);
  const anchorPairs = wanted[anchor] ?? new Set();
  const compared = await mapWithPauses(lines.slice(0, MAX_COMPARED_LINES), pauses, (line, index) => ({
    start: index - anchor,
    likeness: similarity(letterPairs(line), anchorPairs),
    lengths: Math.abs(line.length - (want[anchor] ?? '').length),
  }));
  const candidates = compared
    .filter(({ start, likeness }) => start >= 0 && likeness > 0.3)
    .sort((a, b) => b.likeness - a.likeness || a.lengths - b.lengths)
    .slice(0, MAX_CANDIDATES);
  const measured = await mapWithPauses(candidates, pauses, ({ start }) => ({
    start,
    likeness: likenessAt(lines, wanted, start),
  }));
  const best = measured[indexOfMost(measured, ({ likeness }) => likeness)];
  return best && best.likeness >= MIN_SIMILARITY ? { start: best.start, differs: null } : null;
}

/** The likeness of all wanted lines together, each weighed by its length. */
function likenessAt(lines: readonly string[], wanted: readonly Pairs[], start: number): number {
  const weight = wanted.reduce((sum, pairs) => sum + pairs.size, 0);
  const likeness = wanted.reduce((sum, pairs, index) => {
    return sum + pairs.size * similarity(letterPairs(lines[start + index] ?? ''), pairs);
  }, 0);
  return weight === 0 ? 0 : likeness / weight;
}

/** Neighbouring letters, white space aside; each pair as a number, because a set of strings is several times slower. */
type Pairs = Set<number>;

function letterPairs(line: string): Pairs {
  const letters = line.slice(0, 300).replace(/\s+/g, '').toLowerCase();
  const pairs: Pairs = new Set();
  for (let at = 1; at < letters.length; at++) {
    pairs.add(letters.charCodeAt(at - 1) * 0x1_0000 + letters.charCodeAt(at));
  }
  return pairs;
}

/** Dice's coefficient: 1 for the same pairs, 0 for none in common. */
function similarity(a: Pairs, b: Pairs): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared++;
  return (2 * shared) / (a.size + b.size);
}

function indexOfMost<T>(items: readonly T[], measure: (item: T) => number): number {
  let best = 0;
  let most = -Infinity;
  for (const [index, item] of items.entries()) {
    const size = measure(item);
    if (size > most) [best, most] = [index, size];
  }
  return best;
}

function difference(found: readonly string[], want: readonly string[], start: number, differs: string | null): string {
  const at = want.findIndex((line, index) => !(found[index] ?? '').includes(line));
  if (at === -1) return differs === null ? '' : `It differs in ${differs}.`;
  const kind = differs === null ? 'The first difference' : `It differs in ${differs}: the first`;
  return `${kind} is in line ${start + at + 1}, where the file has ${quoted(found[at])} and old_string ${quoted(want[at])}.`;
}

/** Quotes a line as JSON, so that tabs and other invisible characters show. */
function quoted(line: string | undefined): string {
  return line === undefined ? 'nothing' : JSON.stringify(cut(line));
}

function excerpt(lines: readonly string[], firstNumber: number): string {
  const shown = lines.slice(0, MAX_SHOWN_LINES).map((line) => ({ text: cut(line) }));
  const more = lines.length > shown.length ? `\n(${lines.length - shown.length} more lines)` : '';
  return numberLines(shown, firstNumber) + more;
}

function cut(line: string): string {
  return line.length > MAX_SHOWN_CHARS ? `${line.slice(0, MAX_SHOWN_CHARS)}…` : line;
}

function splitLines(text: string): string[] {
  const lines = text.split('\n'); // by a pattern it would take several times as long
  return text.includes('\r') ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines;
}

function withoutBlankEnds(lines: string[]): string[] {
  const isFilled = (line: string) => line.trim() !== '';
  const first = lines.findIndex(isFilled);
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex(isFilled) + 1);
}
