/**
 * Whether each code unit of a text is a character of its own: none joins its neighbour, hides, acts on a terminal or may be
 * drawn as a picture. These are Latin letters, Greek, Cyrillic, punctuation, arrows, lines, blocks and the signs that
 * Heddle itself writes. The tables of Unicode say the same, after the milliseconds that they take to load.
 */
export function isSingle(text: string): boolean {
  return SINGLE.test(text);
}

/** The same of each line of a text. */
export function areLinesSingle(text: string): boolean {
  return SINGLE_LINES.test(text);
}

const CHARACTERS = [
  '\\x20-\\x7e\\u00a1-\\u00a8\\u00aa-\\u00ac\\u00af-\\u02ff',
  '\\u0370-\\u0377\\u037a-\\u037f\\u0384-\\u038a\\u038c\\u038e-\\u03a1\\u03a3-\\u0482\\u048a-\\u052f',
  '\\u2010-\\u2027\\u2030-\\u203b\\u203d-\\u2048\\u2190-\\u2193\\u21d0-\\u21ff\\u2200-\\u22ff',
  '\\u2500-\\u25a9\\u25ac-\\u25b5\\u25b7-\\u25bf\\u25c1-\\u25fa',
  '\\u2713\\u2717\\u273b\\u276f\\u27f0-\\u27ff\\u2800-\\u28ff',
].join('');
const SINGLE = new RegExp(`^[${CHARACTERS}]*$`);
const SINGLE_LINES = new RegExp(`^[\\n${CHARACTERS}]*$`);
