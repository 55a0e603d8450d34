import { displayWidth } from './display-width.ts';

/**
 * A text as lines of at most so many columns, broken between words. The first line begins with `lead`, the others below
 * the text: behind as many blanks as the lead is wide, or `hang` (a first word that fits only there stands there). A word that is wider than a line stands on a line of its
 * own, whole, so that it can be copied.
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
