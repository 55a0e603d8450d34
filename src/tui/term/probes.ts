/** What a terminal has told about itself. */
export type Reply =
  | { kind: 'kitty' }
  /** Whether it draws sequences of code points as one character (mode 2027). */
  | { kind: 'graphemes'; isOn: boolean }
  /** The answer to the last question: what has not been answered before it will not be. */
  | { kind: 'last' }
  /** The colour behind text: red, green and blue, from 0 to 255. */
  | { kind: 'background'; colour: readonly [number, number, number] }
  /** Where the cursor is, counted from 0. */
  | { kind: 'cursor'; column: number };

/** Asked at the start. Every terminal answers the last one. */
export const QUESTIONS = '\x1b[?u\x1b[?2027$p\x1b[c';
export const ASK_CURSOR = '\x1b[6n';
/** Ended by BEL, as older terminals know it. Only terminals with many colours are asked. */
export const ASK_BACKGROUND = '\x1b]11;?\x07';

const FORMS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of terminals
  /^\x1b\[(?:\?(?<flags>\d+)u|\?2027;(?<graphemes>\d)\$y|\?(?<attributes>[\d;]*)c|\d+;(?<column>\d+)R)$/;

/** The meaning of an answer; null for one that nobody has asked for. */
export function readReply(sequence: string): Reply | null {
  const background = readBackground(sequence);
  if (background) return { kind: 'background', colour: background };
  const { flags, graphemes, attributes, column } = FORMS.exec(sequence)?.groups ?? {};
  if (flags !== undefined) return { kind: 'kitty' };
  if (graphemes !== undefined) return { kind: 'graphemes', isOn: graphemes === '1' || graphemes === '3' };
  if (attributes !== undefined) return { kind: 'last' };
  return column === undefined ? null : { kind: 'cursor', column: Number(column) - 1 };
}

const BACKGROUND =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of terminals
  /^\x1b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})(?:\/[\da-f]{1,4})?(?:\x07|\x1b\\)$/i;

/** Each part has one to four digits of its own scale. */
function readBackground(sequence: string): [number, number, number] | null {
  const [, ...parts] = BACKGROUND.exec(sequence) ?? [];
  const [red, green, blue] = parts.map((digits) =>
    Math.round((255 * Number.parseInt(digits, 16)) / (16 ** digits.length - 1)),
  );
  return red === undefined || green === undefined || blue === undefined ? null : [red, green, blue];
}
