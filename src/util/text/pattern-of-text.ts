/** A pattern that finds this very text. It is right with the flag `u`, which knows no escape of a hyphen. */
export function patternOfText(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
