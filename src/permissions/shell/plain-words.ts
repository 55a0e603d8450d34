/**
 * The words of ONE simple command, or null when the text is anything else. Never guesses: text that bash would expand,
 * redirect, group, negate or assign gives null, and so does every character on which shells could disagree.
 */
export function plainArgv(command: string): string[] | null {
  const tokens = tokenize(command);
  if (tokens === null || tokens.some((token) => token.kind === 'separator')) return null;
  return simpleCommand(tokens);
}

/**
 * The simple commands of a plain sequence (`;`, `&&`, `||`, `|`, newline), or null when any part of it is not plain.
 * Such a sequence is statically known: every program that it starts by itself is one of the first words returned here.
 */
export function plainSequence(command: string): string[][] | null {
  return readPlain(command)?.commands ?? null;
}

export interface PlainSequence {
  commands: string[][];
  /** For each command whether a pipe leads to it. */
  piped: boolean[];
  /** False when there is a pipe: its ends run at the same time. */
  ordered: boolean;
}

export function readPlain(command: string): PlainSequence | null {
  const tokens = tokenize(command);
  if (tokens === null) return null;
  const commands: string[][] = [];
  const piped: boolean[] = [];
  let isPiped = false;
  let current: Token[] = [];
  for (const token of tokens) {
    if (token.kind === 'word') {
      current.push(token);
      continue;
    }
    // A blank line ends nothing, even after an operator: bash reads on, so the operator still has its right side.
    if (token.text === '\n' && current.length === 0) continue;
    const argv = simpleCommand(current);
    if (argv === null) return null;
    commands.push(argv);
    piped.push(isPiped);
    isPiped = token.text === '|';
    current = [];
  }
  if (current.length > 0) {
    const argv = simpleCommand(current);
    if (argv === null) return null;
    commands.push(argv);
    piped.push(isPiped);
  } else if (commands.length === 0 || !endsWhole(tokens)) {
    return null;
  }
  return { commands, piped, ordered: !tokens.some((token) => token.kind === 'separator' && token.text === '|') };
}

interface Token {
  kind: 'word' | 'separator';
  text: string;
}

const RESERVED_WORDS = new Set(
  'if then elif else fi for while until do done case esac select in function time coproc'.split(' '),
);

function simpleCommand(words: readonly Token[]): string[] | null {
  const first = words[0];
  if (first === undefined || first.text === '' || RESERVED_WORDS.has(first.text)) return null;
  // `NAME=value` before a command changes its environment; in quotes it would be an odd program name that no one uses.
  if (first.text.includes('=')) return null;
  return words.map((word) => word.text);
}

/** `a &&` alone is a syntax error; `a;` and a trailing newline are not. */
function endsWhole(tokens: readonly Token[]): boolean {
  const last = tokens.findLast((token) => token.text !== '\n' || token.kind === 'word');
  return last === undefined || last.kind === 'word' || last.text === ';';
}

/** Unquoted, each of these has or may have a meaning to the shell, depending on its options. */
const SPECIAL = new Set([...'|&<>()$`{}*?[]~!#']);
/** Separators (NBSP, U+2028 …), controls, format characters and lone surrogates: unquoted, shells may disagree on them. */
const UNCLEAR_BARE = /[\p{Z}\p{C}]/u;
/** Inside quotes, only characters that cannot be passed to a program unchanged are unclear. */
const UNCLEAR_QUOTED = /[\p{Cc}\p{Cs}]/u;
const PRINTABLE_ASCII = /[ -~]/;

function tokenize(command: string): Token[] | null {
  const chars = [...command];
  const tokens: Token[] = [];
  let at = 0;
  while (at < chars.length) {
    if (isBlank(chars[at])) {
      at++;
      continue;
    }
    const separator = separatorAt(chars, at);
    if (separator !== null) {
      tokens.push({ kind: 'separator', text: separator });
      at += separator.length;
      continue;
    }
    const word = wordAt(chars, at);
    if (word === null) return null;
    tokens.push({ kind: 'word', text: word.text });
    at += word.length;
  }
  return tokens;
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t';
}

function separatorAt(chars: readonly string[], at: number): string | null {
  const char = chars[at];
  if (char === '\n') return char;
  const doubled = chars[at + 1] === char;
  // `;;` belongs to `case`; a single `&` is no sequence, `|&` redirects, and `&&&` and `|||` are errors.
  if (char === ';') return doubled ? null : char;
  if ((char === '&' || char === '|') && doubled) return chars[at + 2] === char ? null : char + char;
  return char === '|' && chars[at + 1] !== '&' ? char : null;
}

/** A word or a part of one: its value and its length in the source. */
interface Piece {
  text: string;
  length: number;
}

function wordAt(chars: readonly string[], start: number): Piece | null {
  let text = '';
  let at = start;
  while (at < chars.length && !isBlank(chars[at]) && separatorAt(chars, at) === null) {
    const piece = pieceAt(chars, at);
    if (piece === null) return null;
    text += piece.text;
    at += piece.length;
  }
  return { text, length: at - start };
}

function pieceAt(chars: readonly string[], at: number): Piece | null {
  const char = chars[at] as string;
  if (char === "'") return singleQuoted(chars, at);
  if (char === '"') return doubleQuoted(chars, at);
  if (char === '\\') return escaped(chars[at + 1]);
  if (char === ';' || SPECIAL.has(char) || (!PRINTABLE_ASCII.test(char) && UNCLEAR_BARE.test(char))) return null;
  return { text: char, length: 1 };
}

function singleQuoted(chars: readonly string[], start: number): Piece | null {
  const end = chars.indexOf("'", start + 1);
  if (end === -1) return null;
  const inside = chars.slice(start + 1, end);
  if (!inside.every(isClearInQuotes)) return null;
  return { text: inside.join(''), length: end - start + 1 };
}

function doubleQuoted(chars: readonly string[], start: number): Piece | null {
  let text = '';
  for (let at = start + 1; at < chars.length; at++) {
    const char = chars[at] as string;
    if (char === '"') return { text, length: at - start + 1 };
    if (char === '$' || char === '`' || !isClearInQuotes(char)) return null;
    if (char !== '\\') {
      text += char;
      continue;
    }
    // Inside double quotes a backslash stands for itself, except before these four and a newline.
    const next = chars[at + 1];
    if (next === undefined || next === '\n') return null;
    if ('$`"\\'.includes(next)) {
      text += next;
      at++;
    } else {
      text += char;
    }
  }
  return null;
}

/** A backslash before a newline joins lines; before anything printable it only quotes it. */
function escaped(next: string | undefined): Piece | null {
  return next !== undefined && PRINTABLE_ASCII.test(next) ? { text: next, length: 2 } : null;
}

function isClearInQuotes(char: string): boolean {
  return char === '\n' || char === '\t' || !UNCLEAR_QUOTED.test(char);
}
