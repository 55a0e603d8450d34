/** Made at the first character that is not plain: a segmenter costs a millisecond. */
const segmenters: { grapheme?: Intl.Segmenter; word?: Intl.Segmenter } = {};

function segmenter(granularity: 'grapheme' | 'word'): Intl.Segmenter {
  const found = segmenters[granularity] ?? new Intl.Segmenter(undefined, { granularity });
  segmenters[granularity] = found;
  return found;
}

/** Far enough for any character that people write; longer ones are cut there. */
const REACH = 256;

/** Where the character after `at` ends, as a reader sees characters: an emoji of a family is one. */
export function nextCharacter(text: string, at: number): number {
  if (at >= text.length) return text.length;
  if (isPlain(text, at) && (at + 1 >= text.length || isPlain(text, at + 1))) return at + 1;
  const [first] = segmenter('grapheme').segment(text.slice(at, at + REACH));
  const end = at + (first?.segment.length ?? 1);
  return end < text.length && isLow(text, end) ? end + 1 : end;
}

/** Where the character before `at` begins. */
export function previousCharacter(text: string, at: number): number {
  if (at <= 0) return 0;
  if (isPlain(text, at - 1) && (at < 2 || isPlain(text, at - 2))) return at - 1;
  const from = safeStart(text, at);
  let start = from;
  for (const { index } of segmenter('grapheme').segment(text.slice(from, at))) start = from + index;
  return start;
}

/** Printable ASCII, tab or line end: never part of a longer character where its neighbour is one of them, too. */
function isPlain(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 0x20 && code < 0x7f) || code === 0x0a || code === 0x09;
}

/** A place before `at` where a character surely begins. */
function safeStart(text: string, at: number): number {
  const least = Math.max(0, at - REACH);
  let start = at - 1;
  while (start > least && !(isPlain(text, start) && isPlain(text, start - 1))) start--;
  // Not inside of a surrogate pair.
  return start > 0 && isLow(text, start) ? start - 1 : start;
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code < 0xe000;
}

/** The nearest place at or before `at` that is not inside of a character. */
export function atCharacter(text: string, at: number): number {
  const within = Math.min(Math.max(at, 0), text.length);
  if (within === 0 || within === text.length) return within;
  const start = previousCharacter(text, within);
  return nextCharacter(text, start) <= within ? within : start;
}

const LETTER = /[\p{L}\p{N}\p{M}]/u;
/** Scripts that write words without blanks between them. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** The end of the word after `at`, as readline has it: a word is letters and digits. `isOne`: counts as a word alone. */
export function nextWord(text: string, at: number, isOne: (character: string) => boolean): number {
  let end = at;
  while (end < text.length && !isWord(text, end, isOne)) end = nextCharacter(text, end);
  if (end < text.length && isOne(characterAt(text, end))) return nextCharacter(text, end);
  const start = end;
  while (end < text.length && isWord(text, end, isOne) && !isOne(characterAt(text, end)))
    end = nextCharacter(text, end);
  return start + (segmentsOf(text.slice(start, end))[0]?.length ?? 0);
}

/** The beginning of the word before `at`. */
export function previousWord(text: string, at: number, isOne: (character: string) => boolean): number {
  let start = at;
  const before = () => previousCharacter(text, start);
  while (start > 0 && !isWord(text, before(), isOne)) start = before();
  if (start > 0 && isOne(characterAt(text, before()))) return before();
  const end = start;
  while (start > 0 && isWord(text, before(), isOne) && !isOne(characterAt(text, before()))) start = before();
  return end - (segmentsOf(text.slice(start, end)).at(-1)?.length ?? 0);
}

/** The beginning of what stands before `at` up to a blank, as Ctrl+W takes it. */
export function previousBlank(text: string, at: number): number {
  let start = at;
  while (start > 0 && /\s/.test(text[start - 1] ?? '')) start--;
  while (start > 0 && !/\s/.test(text[start - 1] ?? '')) start--;
  return start;
}

function characterAt(text: string, at: number): string {
  return text.slice(at, nextCharacter(text, at));
}

function isWord(text: string, at: number, isOne: (character: string) => boolean): boolean {
  const character = characterAt(text, at);
  return LETTER.test(character) || isOne(character);
}

/** A run of letters as words: one, unless its script has no blanks between words. */
function segmentsOf(run: string): string[] {
  if (run === '') return [];
  return UNSPACED.test(run) ? Array.from(segmenter('word').segment(run), ({ segment }) => segment) : [run];
}

/** The beginning of the line that `at` is in. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
