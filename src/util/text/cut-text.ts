/**
 * The beginning of a text, at most `maxUnits` UTF-16 units. Never ends in half a character, which would be invalid
 * text.
 */
export function cutText(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const isHalf = /[\ud800-\udbff]/.test(text[maxUnits - 1] ?? '');
  return text.slice(0, isHalf ? maxUnits - 1 : maxUnits);
}
