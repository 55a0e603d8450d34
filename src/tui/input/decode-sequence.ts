import { decodePrintableKey, isKeyRelease, parseKey } from '@earendil-works/pi-tui/dist/keys.js';
import type { InputEvent } from './input-event.ts';
import { keyName } from './key-name.ts';

const ESC = '\x1b';

/**
 * The event of one whole sequence; null for a sequence that means nothing here. The package knows the forms that
 * terminals send. The raw text is looked at first where the package reads it differently: `\n` is Ctrl+J and not Enter,
 * Alt+B is not Alt+Left, and what a key is called never depends on the environment.
 */
export function decodeSequence(sequence: string): InputEvent | null {
  const own = Object.hasOwn(OWN_NAMES, sequence) ? OWN_NAMES[sequence] : undefined;
  if (own !== undefined) return { type: 'key', key: own };
  if (sequence.length === 1) return decodeCharacter(sequence);
  if (sequence === `${ESC}[I` || sequence === `${ESC}[O`) return { type: 'focus', isFocused: sequence.endsWith('I') };
  if (REPLY.test(sequence)) return { type: 'reply', sequence };
  const [first, character = '', ...more] = sequence;
  if (first !== ESC || more.length > 0) return decodeReported(sequence);
  return { type: 'key', key: character < ' ' ? `ctrl+alt+${letterOf(character)}` : withAlt(character) };
}

/** What the package reads otherwise, or not at all. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  '\n': 'ctrl+j',
  '\r': 'enter',
  '\t': 'tab',
  '\x00': 'ctrl+space',
  '\x08': 'ctrl+h',
  '\x1b': 'escape',
  '\x1f': 'ctrl+_',
  '\x7f': 'backspace',
  '\x1b\r': 'alt+enter',
  '\x1b\n': 'alt+enter',
  '\x1b\t': 'alt+tab',
  '\x1b\x08': 'alt+backspace',
  '\x1b\x7f': 'alt+backspace',
  '\x1bOM': 'enter',
  '\x1b[Z': 'shift+tab',
  '\x1b[1~': 'home',
  '\x1b[4~': 'end',
  '\x1b[27;2;13~': 'shift+enter',
  '\x1b[27;5;13~': 'ctrl+enter',
};

/**
 * Answers of a terminal: cursor position, attributes, modes (`CSI ? … $y`), keyboard flags (`CSI ? … u`), colours
 * (OSC), versions (DCS), graphics (APC), size (`CSI … t`) and scheme (`CSI ? 997 … n`).
 */
const REPLY =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /^(?:\x1b\[\d+;\d+R|\x1b\[\?[\d;]*\$?[a-zA-Z]|\x1b\[>[\d;]*c|\x1b\[[\d;]+t|\x1b\[\?[\d;]+R|\x1b[\]P_].+)$/s;

function decodeCharacter(character: string): InputEvent | null {
  const code = character.charCodeAt(0);
  if (code < 0x20) return { type: 'key', key: `ctrl+${letterOf(character)}` };
  return code >= 0x7f && code < 0xa0 ? null : { type: 'text', text: character };
}

/** The key that makes a control character together with Ctrl. */
function letterOf(control: string): string {
  return String.fromCharCode(control.charCodeAt(0) + 0x40).toLowerCase();
}

function withAlt(character: string): string {
  if (/\s/.test(character)) return 'alt+space';
  const small = character.toLowerCase();
  return small === character ? `alt+${character}` : `alt+shift+${small}`;
}

/** The sequences of the keyboard protocols, and the older ones of keys without a character. */
function decodeReported(sequence: string): InputEvent | null {
  if (sequence.startsWith(`${ESC}[`) && isKeyRelease(sequence)) return null;
  const key = parseKey(sequence);
  const isCharacter = key === undefined || key === 'space' || [...key.replace(/^shift\+/, '')].length === 1;
  const text = isCharacter ? decodePrintableKey(sequence) : undefined;
  if (text !== undefined && !UNTYPED.test(text)) return { type: 'text', text };
  return key === undefined ? null : { type: 'key', key: keyName(key) };
}

/** The keyboard protocol gives keys without a character numbers of the private area. */
const UNTYPED = /^[\p{Cc}\ue000-\uf8ff]$/u;
