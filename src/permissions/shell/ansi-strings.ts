/**
 * Reads the string `$'…'` that starts at `at`: its value and its length in the source. The text is null where shells
 * disagree (bytes that are no characters, NUL); the result is null when the string does not end before `end`.
 */
export function ansiCString(source: string, at: number, end: number): { text: string | null; length: number } | null {
  let text: string | null = '';
  let position = at + 2;
  while (position < end) {
    const char = source[position] as string;
    if (char === "'") return { text, length: position + 1 - at };
    const piece =
      char === '\\' ? escaped(source.slice(position, Math.min(position + 10, end))) : { text: char, length: 1 };
    text = text === null || piece.text === null ? null : text + piece.text;
    position += piece.length;
  }
  return null;
}

interface Piece {
  text: string | null;
  length: number;
}

const LETTERS: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['e', '\u001b'],
  ['E', '\u001b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['?', '?'],
]);

function escaped(rest: string): Piece {
  const simple = LETTERS.get(rest[1] ?? '');
  if (simple !== undefined) return { text: simple, length: 2 };
  const [whole, octal, hex, unicode] =
    /^\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U[0-9a-fA-F]{1,8}|c.)/s.exec(rest) ?? [];
  // A backslash before any other character stays.
  if (whole === undefined) return { text: '\\', length: 1 };
  const { length } = whole;
  if (octal !== undefined) return { text: character(Number.parseInt(octal, 8)), length };
  if (hex !== undefined) return { text: character(Number.parseInt(hex, 16)), length };
  if (unicode !== undefined) return { text: character(Number.parseInt(unicode, 16)), length };
  return { text: null, length };
}

/** Beyond ASCII the result depends on the locale. */
function character(code: number): string | null {
  return code > 0 && code < 0x80 ? String.fromCharCode(code) : null;
}
