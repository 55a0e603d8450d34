import { isUtf8 } from 'node:buffer';

/** Longer texts lose everything behind their beginning, which is enough for a preview even when all of it is escapes. */
const LONGEST = 6000;
const KEPT = 4500;

/**
 * The JSON of a line with its long texts cut, made without decoding them: lines with large outputs and images take a
 * fraction of the time. Null where what is cut out may not be JSON, so that the caller reads the whole line.
 */
export function skimLine(bytes: Buffer): string | null {
  if (!isUtf8(bytes)) return null;
  const pieces: string[] = [];
  let from = 0;
  for (let open = bytes.indexOf(QUOTE); open >= 0; ) {
    const close = endOfText(bytes, open);
    if (close < 0) return null;
    if (close - open > LONGEST) {
      const cut = placeToCut(bytes, open + KEPT);
      if (cut < 0 || UNSOUND.test(bytes.toString('latin1', cut, close))) return null;
      pieces.push(bytes.toString('utf8', from, cut));
      from = close;
    }
    open = bytes.indexOf(QUOTE, close + 1);
  }
  pieces.push(bytes.toString('utf8', from));
  return pieces.join('');
}

/** What JSON does not allow inside a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: raw control characters are what makes a text no JSON
const UNSOUND = /[\x00-\x1f]|\\(?:[^"\\/bfnrtu]|u(?![\da-fA-F]{4}))/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The closing quote of the text that opens at `open`; -1: it has none. */
function endOfText(bytes: Buffer, open: number): number {
  for (let at = bytes.indexOf(QUOTE, open + 1); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

/** A place at or before `at` that is neither inside a character nor inside an escape; -1: none is near. */
function placeToCut(bytes: Buffer, at: number): number {
  for (let place = at; place > at - NEAR; place--) {
    const isInCharacter = ((bytes[place] ?? 0) & 0xc0) === 0x80;
    if (!isInCharacter && !bytes.subarray(place - ESCAPE, place).includes(BACKSLASH)) return place;
  }
  return -1;
}

/** How far back a place is looked for. */
const NEAR = 128;
/** The length of the longest escape. */
const ESCAPE = 6;
