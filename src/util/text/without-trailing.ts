/**
 * A text without those characters at its end. Not a regular expression: one that ends in `+$` restarts at each of them,
 * and a long row in the middle of a text would take minutes.
 */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
