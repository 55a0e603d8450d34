/** How many columns of a terminal a text takes: East Asian characters and emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** The text, or its beginning and an ellipsis when it is wider than `width`. */
export function cutToWidth(text: string, width: number): string {
  if (text.length <= width / 2 || displayWidth(text) <= width) return text;
  let kept = '';
  let used = 1; // the ellipsis
  for (const character of text) {
    used += widthOf(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

export function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

function widthOf(character: string): number {
  if (character < '\u0300') return 1;
  if (isCombining(character)) return 0;
  return isWide(character) ? 2 : 1;
}

// In functions, because making such a pattern takes a good part of a millisecond, and most runs need none.

function isCombining(character: string): boolean {
  return /^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character);
}

function isWide(character: string): boolean {
  return /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60]$/u.test(
    character,
  );
}
