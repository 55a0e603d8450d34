import { displayWidth } from './display-width.ts';

/**
 * Breaks a text into lines of at most `width` columns, between words.
 * - The first line begins with `lead`; the others are indented by its width, or by `hang`. A first word that only fits
 *   on the second line goes there.
 * - A word that is wider than a line gets its own line, whole, so that it can be copied.
 */
export function wrapText(text: string, width: number, { lead = '', hang = displayWidth(lead) } = {}): string[] {
  const lines: string[] = [];
  let line = lead;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    const longer = isEmpty ? line + word : `${line} ${word}`;
    const mayBreak = isEmpty ? hang < displayWidth(lead) : true;
    if (mayBreak && displayWidth(longer) > width) {
      lines.push(line.trimEnd());
      line = ' '.repeat(hang) + word;
    } else {
      line = longer;
    }
    isEmpty = false;
  }
  return [...lines, line];
}
