/**
 * Foreign text in a form that is safe on a terminal: characters that move the cursor, change colours or reverse the
 * writing direction become escapes. Otherwise a file could falsify its own description.
 */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}/gu, asEscape);
}

/** A character as an escape with its number. */
export function asEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
