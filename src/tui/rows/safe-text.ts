import { once } from '../../util/once.ts';
import { asEscape } from '../../util/text/printable.ts';
import { areLinesSingle, isSingle } from './single-characters.ts';

/**
 * Sequences of a terminal, whole or cut off: CSI; OSC, DCS, SOS, PM and APC, which end at their terminator or with the
 * line; and ESC with one or two more characters. Eight-bit forms count, too.
 */
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\n\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const ANY_CONTROL = /[\x00-\x1f\x7f-\x9f]/g;

/** Scripts whose letters change their form with a joiner or a non-joiner between them. */
const JOINING =
  '[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gujarati}\\p{Script=Gurmukhi}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Sinhala}\\p{Script=Khmer}]';
/**
 * What hides or reorders text. A joiner between emoji, or between letters that it joins, does neither. Its classes take a
 * millisecond to load, so it is made for the first text that needs it.
 */
const hiding = once(
  () =>
    new RegExp(
      [
        `(?<!${JOINING})\\u200c|\\u200c(?!${JOINING})`,
        `(?<!\\p{Extended_Pictographic}\\ufe0f?|[\\u{1f3fb}-\\u{1f3ff}]|${JOINING})\\u200d`,
        `\\u200d(?!\\p{Extended_Pictographic}|${JOINING})`,
        '(?<![\\p{Extended_Pictographic}#*0-9])[\\ufe0e\\ufe0f]',
        '[\\ufe00-\\ufe0d\\u{e0000}-\\u{e0fff}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0\\u2028\\u2029]',
        '(?![\\u200c\\u200d])\\p{Cf}',
        '\\p{Cs}',
        '[\\ufffe\\uffff]',
      ].join('|'),
      'gu',
    ),
);
/** More marks than any language puts on one letter. */
const PILED_MARKS = /(\p{M}{8})\p{M}+/gu;

/**
 * Foreign text of any number of lines, made safe for a terminal: nothing in it moves the cursor, changes modes, asks
 * the terminal, hides text or reorders it. Sequences and control characters are dropped, hidden characters become
 * visible escapes. A line never depends on another one, so that the pieces of a text can be made safe line by line.
 */
export function safeText(text: string): string {
  if (areLinesSingle(text)) return text;
  const printed = text.replaceAll('\r\n', '\n').replaceAll(SEQUENCE, '').replaceAll(CARRIAGE_RETURN, '');
  return printed.replaceAll(CONTROLS, '').replaceAll(hiding(), asEscape).replaceAll(PILED_MARKS, '$1');
}

/** A terminal would write what follows over what precedes. */
const CARRIAGE_RETURN = /^[^\n]*\r(?=[^\n])/gm;

/** As `safeText`, for a text that stays on one row. */
export function safeLine(text: string): string {
  return isSingle(text) ? text : expandTabs(safeText(text).replaceAll(/\s*\n\s*/g, ' '));
}

const TAB = 4;

/** Tabs as blanks, up to the next multiple of four characters. A terminal would go on to its own stops. */
export function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let text = '';
  for (const part of line.split(/(\t)/)) text += part === '\t' ? ' '.repeat(TAB - (text.length % TAB)) : part;
  return text;
}

/** What the border of a row lets through; anything else has escaped `safeText`, and becomes visible here. */
export function assertSafe(text: string): string {
  if (isSingle(text)) return text;
  return text.replaceAll(ANY_CONTROL, asEscape).replaceAll(hiding(), asEscape).replaceAll(PILED_MARKS, '$1');
}
