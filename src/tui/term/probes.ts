/** What a terminal has told about itself. */
export type Reply =
  | { kind: 'kitty' }
  /** Whether it draws sequences of code points as one character (mode 2027). */
  | { kind: 'graphemes'; isOn: boolean }
  /** The answer to the last question: what has not been answered before it will not be. */
  | { kind: 'last' }
  /** Where the cursor is, counted from 0. */
  | { kind: 'cursor'; column: number };

/** Asked at the start. Every terminal answers the last one. */
export const QUESTIONS = '\x1b[?u\x1b[?2027$p\x1b[c';
export const ASK_CURSOR = '\x1b[6n';

const FORMS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of terminals
  /^\x1b\[(?:\?(?<flags>\d+)u|\?2027;(?<graphemes>\d)\$y|\?(?<attributes>[\d;]*)c|\d+;(?<column>\d+)R)$/;

/** The meaning of an answer; null for one that nobody has asked for. */
export function readReply(sequence: string): Reply | null {
  const { flags, graphemes, attributes, column } = FORMS.exec(sequence)?.groups ?? {};
  if (flags !== undefined) return { kind: 'kitty' };
  if (graphemes !== undefined) return { kind: 'graphemes', isOn: graphemes === '1' || graphemes === '3' };
  if (attributes !== undefined) return { kind: 'last' };
  return column === undefined ? null : { kind: 'cursor', column: Number(column) - 1 };
}
