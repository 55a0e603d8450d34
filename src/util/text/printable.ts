/**
 * Text of others as it may be shown on a terminal: what would move the cursor, change colours or turn the direction of
 * writing is written as an escape. Otherwise a file could make its own description say something else.
 */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}/gu, asEscape);
}

/** A character by its number. */
export function asEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
