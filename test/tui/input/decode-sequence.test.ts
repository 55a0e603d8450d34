import { describe, expect, test } from 'vitest';
import { decodeSequence } from '../../../src/tui/input/decode-sequence.ts';

/** What terminals send, as their documentation and users' reports have it. */
const KEYS: [terminal: string, sequence: string, key: string][] = [
  ['any', '\r', 'enter'],
  ['any', '\n', 'ctrl+j'],
  ['any', '\t', 'tab'],
  ['any', '\x1b[Z', 'shift+tab'],
  ['any', '\x7f', 'backspace'],
  ['any', '\x08', 'ctrl+h'],
  ['any', '\x01', 'ctrl+a'],
  ['any', '\x1a', 'ctrl+z'],
  ['any', '\x1f', 'ctrl+_'],
  ['any', '\x1c', 'ctrl+\\'],
  ['any', '\x00', 'ctrl+space'],
  ['any', '\x1b', 'escape'],
  ['xterm', '\x1b[A', 'up'],
  ['xterm', '\x1bOA', 'up'],
  ['xterm', '\x1b[1;2D', 'shift+left'],
  ['xterm', '\x1b[1;5C', 'ctrl+right'],
  ['xterm', '\x1b[1;3C', 'alt+right'],
  ['xterm', '\x1b[1;6H', 'ctrl+shift+home'],
  ['xterm', '\x1b[H', 'home'],
  ['xterm', '\x1b[F', 'end'],
  ['xterm', '\x1b[3~', 'delete'],
  ['xterm', '\x1b[3;5~', 'ctrl+delete'],
  ['xterm', '\x1b[5~', 'pageup'],
  ['xterm', '\x1b[6~', 'pagedown'],
  ['xterm', '\x1bOP', 'f1'],
  ['xterm, modifyOtherKeys', '\x1b[27;2;13~', 'shift+enter'],
  ['xterm, modifyOtherKeys', '\x1b[27;5;13~', 'ctrl+enter'],
  ['xterm, modifyOtherKeys', '\x1b[27;5;106~', 'ctrl+j'],
  ['xterm, modifyOtherKeys', '\x1b[27;3;98~', 'alt+b'],
  ['rxvt', '\x1b[7~', 'home'],
  ['rxvt', '\x1b[8~', 'end'],
  ['rxvt', '\x1bOc', 'ctrl+right'],
  ['rxvt', '\x1b[d', 'shift+left'],
  ['Linux console', '\x1b[1~', 'home'],
  ['Linux console', '\x1b[4~', 'end'],
  ['Linux console', '\x1b[[A', 'f1'],
  ['Apple Terminal', '\x1bb', 'alt+b'],
  ['Apple Terminal', '\x1bf', 'alt+f'],
  ['any, Alt', '\x1bB', 'alt+shift+b'],
  ['any, Alt', '\x1bd', 'alt+d'],
  ['any, Alt', '\x1b\x7f', 'alt+backspace'],
  ['any, Alt', '\x1b\x08', 'alt+backspace'],
  ['any, Alt', '\x1b\r', 'alt+enter'],
  ['any, Alt', '\x1b_', 'alt+_'],
  ['any, Alt', '\x1b\x02', 'ctrl+alt+b'],
  ['kitty', '\x1b[13;2u', 'shift+enter'],
  ['kitty', '\x1b[13;5u', 'ctrl+enter'],
  ['kitty', '\x1b[13;3u', 'alt+enter'],
  ['kitty', '\x1b[27u', 'escape'],
  ['kitty', '\x1b[9;2u', 'shift+tab'],
  ['kitty', '\x1b[127u', 'backspace'],
  ['kitty', '\x1b[127;3u', 'alt+backspace'],
  ['kitty', '\x1b[99;5u', 'ctrl+c'],
  ['kitty', '\x1b[98;3u', 'alt+b'],
  ['kitty', '\x1b[98:66;4u', 'alt+shift+b'],
  ['kitty', '\x1b[45;5u', 'ctrl+_'],
  ['kitty', '\x1b[45:95;6u', 'ctrl+_'],
  ['kitty, Num Lock', '\x1b[99;133u', 'ctrl+c'],
  ['kitty, Cyrillic layout', '\x1b[1089::99;5u', 'ctrl+c'],
  ['kitty, keypad', '\x1b[57414u', 'enter'],
  ['WezTerm', '\x1b[106;5u', 'ctrl+j'],
  ['Ghostty', '\x1b[27;2;13~', 'shift+enter'],
  ['iTerm2', '\x1b[1;9D', 'super+left'],
];

describe('[TUI-56] the keys of terminals', () => {
  test.each(KEYS)('%s: %j is %s', (_terminal, sequence, key) => {
    expect(decodeSequence(sequence)).toEqual({ type: 'key', key });
  });

  test.each([
    ['a letter', 'a', 'a'],
    ['kitty, a letter with Shift', '\x1b[97:65;2u', 'A'],
    ['kitty, a blank', '\x1b[32u', ' '],
    ['kitty, a letter of another script', '\x1b[1092u', 'ф'],
    ['modifyOtherKeys, a letter with Shift', '\x1b[27;2;65~', 'A'],
    ['keypad', '\x1b[57400u', '1'],
  ])('%s is text', (_name, sequence, text) => {
    expect(decodeSequence(sequence)).toEqual({ type: 'text', text });
  });

  test.each([
    ['cursor position', '\x1b[12;40R'],
    ['attributes', '\x1b[?62;22c'],
    ['a mode', '\x1b[?2027;2$y'],
    ['keyboard flags', '\x1b[?5u'],
    ['a colour', '\x1b]11;rgb:1e1e/1e1e/1e1e\x07'],
    ['a version', '\x1bP>|kitty(0.36.4)\x1b\\'],
  ])('%s is a reply of the terminal, never text', (_name, sequence) => {
    expect(decodeSequence(sequence)).toEqual({ type: 'reply', sequence });
  });

  test('the focus of the window', () => {
    expect(decodeSequence('\x1b[I')).toEqual({ type: 'focus', isFocused: true });
    expect(decodeSequence('\x1b[O')).toEqual({ type: 'focus', isFocused: false });
  });

  test.each([
    ['a release', '\x1b[97;1:3u'],
    ['a lone modifier', '\x1b[57441;2u'],
    ['the mouse', '\x1b[<35;20;5m'],
    ['the mouse, older', '\x1b[M !!'],
    ['a C1 control', '\x85'],
    ['nothing known', '\x1b[99999z'],
  ])('%s has no meaning', (_name, sequence) => {
    expect(decodeSequence(sequence)).toBeNull();
  });
});
