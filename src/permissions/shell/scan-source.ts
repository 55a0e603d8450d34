import { ansiCString } from './ansi-strings.ts';
import { ANY_TEXT, ANYTHING, type Gap, type Part, PIPE, type Word } from './shell-script.ts';
import { hintsOf } from './word-hints.ts';

/** A part of the source that the shell replaces by something else: `$x`, `${…}`, `$(…)`, `<(…)`. */
export interface Hole {
  start: number;
  end: number;
  /** The replacement, where it is known. */
  text?: string;
  /** What a variable holds: a text, or the names that a pattern finds, one at a time. */
  value?: Word;
  /** The path of a pipe to or from other commands. */
  pipe?: true;
  /** It can become several words even inside double quotes: `"$@"`. */
  spreads?: true;
  /** It is certainly a number, which is never split. */
  counts?: true;
  /** What is known of the replacement. */
  hints?: readonly Word[];
  /** A command of the source produces it. */
  made?: true;
  /** It is a variable that tells about the place, and about no one's secrets. */
  told?: true;
  /** It is the directory that the shell is in. */
  isHere?: true;
}

/**
 * How the source is read: as one `word` of a command; `loose`, where blanks and operators are plain text (patterns, the
 * words of `${x:-…}`); or as the `body` of a here-document, where quotes are plain text, too.
 */
export type ScanMode = 'word' | 'loose' | 'body';

export interface Span {
  start: number;
  end: number;
}

/**
 * The value of a part of the source, read independently of the parser, which only says where the holes are. Null when
 * the two readings disagree: the result is then unreliable.
 */
export function scan(source: string, { start, end }: Span, holes: readonly Hole[], mode: ScanMode): Word | null {
  const [only] = holes;
  if (mode === 'word' && only?.pipe && only.start === start && only.end === end) return PIPE;
  const reading: Reading = {
    source,
    end,
    holes,
    mode,
    at: start,
    start,
    parts: [],
    open: false,
    many: false,
    braces: '',
    hints: [],
    made: false,
    told: true,
  };
  while (reading.at < end) {
    if (!(mode === 'body' ? bodyPiece(reading) : barePiece(reading))) return null;
  }
  return reading.at === end ? finish(reading) : null;
}

interface Reading extends Span {
  readonly source: string;
  readonly holes: readonly Hole[];
  readonly mode: ScanMode;
  at: number;
  parts: Part[];
  /** The text is unknown. */
  open: boolean;
  many: boolean;
  /** The characters outside of quotes that can make a brace expansion. */
  braces: string;
  hints: Word[];
  made: boolean;
  /** All that is unknown so far are variables about the place. */
  told: boolean;
}

function finish({ parts, open, many, braces, hints, made, told }: Reading): Word {
  const whole = joined(parts);
  const [only = ''] = whole;
  const isBraced = /\{.*(?:,|\.\.).*\}/.test(braces);
  if (!open && !isBraced && whole.length <= 1 && typeof only === 'string') return only;
  const all = [...hints, ...hintsOf(whole, { isBraced })];
  const more = {
    ...(all.length > 0 && { hints: all }),
    ...(made && { made: true as const }),
    ...(told && !isBraced && { told: true as const }),
  };
  return open || isBraced ? { ...ANYTHING, ...more } : { parts: whole, many, ...more };
}

/** Joins adjacent texts; an empty text remains only if it is the only part. */
function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (typeof part === 'string' && typeof last === 'string') result[result.length - 1] = last + part;
    else if (part !== '') result.push(part);
  }
  return result;
}

/** Each piece advances `at`; false when the parser must have read this differently. */
function barePiece(reading: Reading): boolean {
  const { source, at, mode, start } = reading;
  const char = String.fromCodePoint(source.codePointAt(at) as number);
  if (char === "'") return singleQuoted(reading);
  if (char === '"') return doubleQuoted(reading);
  if (char === '\\') return escaped(reading);
  if (char === '$') return dollar(reading);
  if (char === '`') return hole(reading, 'bare');
  if (char === '~') return tilde(reading);
  const isProcess = (char === '<' || char === '>') && source[at + 1] === '(';
  if (isProcess) return hole(reading, 'bare');
  if (mode === 'word') {
    if (' \t\n;&|<>()'.includes(char) || (char === '#' && at === start)) return false;
  }
  if (char === '*' || char === '?') return gap(reading, { any: char === '*' ? 'name' : 'char' }, 1);
  if (char === '[') return bracket(reading);
  // Shells may disagree on the meaning of such a character outside of quotes.
  if (mode === 'word' && UNCLEAR.test(char)) openUp(reading);
  if ('{},.'.includes(char)) reading.braces += char;
  return take(reading, char, char.length);
}

const UNCLEAR = /[\p{Z}\p{C}]/u;

/** The text is unknown, and not because of a variable. */
function openUp(reading: Reading): void {
  reading.open = true;
  reading.told = false;
}

function take(reading: Reading, text: string, length: number): true {
  reading.parts.push(text);
  reading.at += length;
  return true;
}

/** A glob may become any number of file names. */
function gap(reading: Reading, any: Gap, length: number): true {
  reading.parts.push(any);
  reading.told = false;
  reading.many = true;
  reading.at += length;
  return true;
}

function singleQuoted(reading: Reading): boolean {
  const { source, at, end } = reading;
  const close = source.indexOf("'", at + 1);
  return close !== -1 && close < end && take(reading, source.slice(at + 1, close), close + 1 - at);
}

function doubleQuoted(reading: Reading): boolean {
  const { source, end } = reading;
  // Makes `""` an empty word instead of no word.
  take(reading, '', 1);
  while (reading.at < end) {
    const char = source[reading.at] as string;
    if (char === '"') return take(reading, '', 1);
    if (!quotedPiece(reading, char, '$`"\\')) return false;
  }
  return false;
}

function bodyPiece(reading: Reading): boolean {
  return quotedPiece(reading, reading.source[reading.at] as string, '$`\\');
}

/** Reads text in which only expansions are special, and a backslash only before the characters named. */
function quotedPiece(reading: Reading, char: string, escapable: string): boolean {
  const next = reading.source[reading.at + 1];
  if (char === '$') return startsExpansion(next) ? hole(reading, 'quoted') : take(reading, char, 1);
  if (char === '`') return hole(reading, 'quoted');
  if (char !== '\\') return take(reading, char, 1);
  if (next === '\n') return take(reading, '', 2);
  return next !== undefined && escapable.includes(next) ? take(reading, next, 2) : take(reading, char, 1);
}

function escaped(reading: Reading): boolean {
  const next = reading.source[reading.at + 1];
  // Before a newline it would join two lines, perhaps two halves of a word.
  if (next === undefined || next === '\n' || reading.at + 1 >= reading.end) return false;
  return take(reading, next, 2);
}

function startsExpansion(next: string | undefined): boolean {
  return next !== undefined && /[\w({[@*#?$!-]/.test(next);
}

function dollar(reading: Reading): boolean {
  const { source, at, end } = reading;
  const next = source[at + 1];
  if (startsExpansion(next)) return hole(reading, 'bare');
  if (next === '"') {
    // Bash looks such a string up in a catalogue of translations.
    openUp(reading);
    return take(reading, '', 1);
  }
  if (next !== "'") return take(reading, '$', 1);
  const string = ansiCString(source, at, end);
  if (string === null) return false;
  if (string.text === null) openUp(reading);
  return take(reading, string.text ?? '', string.length);
}

function hole(reading: Reading, where: 'bare' | 'quoted'): boolean {
  const found = reading.holes.find(({ start }) => start === reading.at);
  if (found === undefined || found.end > reading.end) return false;
  if (found.text !== undefined && where === 'quoted') return take(reading, found.text, found.end - found.start);
  if (!found.told) reading.told = false;
  if (found.made) reading.made = true;
  reading.hints.push(...(found.hints ?? []));
  if (found.value !== undefined && where === 'quoted') {
    reading.parts.push(...(typeof found.value === 'string' ? [found.value] : found.value.parts));
    reading.at = found.end;
    return true;
  }
  if (found.isHere && where === 'quoted' && isWholeStart(reading, found.end))
    return take(reading, '.', found.end - found.start);
  reading.parts.push(found.counts ? { any: 'name' } : ANY_TEXT);
  // Outside of quotes bash splits the text: it may produce further words that are unknown.
  if (found.spreads || (where === 'bare' && !found.counts)) reading.open = true;
  reading.at = found.end;
  return true;
}

/** Whether a word begins here, and ends there or continues below: then the directory of the shell is `.`. */
function isWholeStart({ parts, source, mode }: Reading, end: number): boolean {
  return mode === 'word' && parts.every((part) => part === '') && /^["/:]/.test(source.slice(end, end + 1));
}

/**
 * `~` and `~/x` are below the home; other words that begin with `~` mean another user's home or a directory on the
 * stack.
 */
function tilde(reading: Reading): boolean {
  const { source, at, start, end } = reading;
  const before = source[at - 1];
  const expands = at === start || before === '=' || before === ':';
  if (!expands) return take(reading, '~', 1);
  const next = at + 1 < end ? source[at + 1] : '/';
  if (next !== '/' && next !== ':') openUp(reading);
  reading.parts.push({ any: 'home' });
  reading.at += 1;
  return true;
}

function bracket(reading: Reading): boolean {
  const { source, at, end } = reading;
  const rest = source.slice(at, end);
  if (!rest.includes(']')) return take(reading, '[', 1);
  const simple = /^\[[^\]['"$`\\/]+\]/.exec(rest);
  if (simple === null) openUp(reading);
  return gap(reading, { any: 'char' }, simple?.[0].length ?? 1);
}
