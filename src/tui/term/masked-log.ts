import { closeSync, openSync, writeSync } from 'node:fs';
import type { Terminal } from './terminal.ts';

/**
 * The same terminal, with a file (0600) of what it was sent and what it sent, one JSON array a line: milliseconds,
 * `out` or `in`, the bytes. Letters and digits are masked; control sequences and widths are as they were. A file that
 * cannot be written changes nothing.
 */
export function withMaskedLog(terminal: Terminal, path: string): Terminal {
  const file = openLog(path);
  if (file === null) return terminal;
  const started = performance.now();
  const note = (kind: 'in' | 'out', text: string) => {
    try {
      writeSync(file, `${JSON.stringify([Math.round(performance.now() - started), kind, maskText(text)])}\n`);
    } catch {
      // The disk is full: the session continues.
    }
  };
  return {
    get size() {
      return terminal.size;
    },
    write(text) {
      note('out', text);
      return terminal.write(text);
    },
    on(event, listener) {
      terminal.on(event, listener);
      if (event === 'input') terminal.on('input', (bytes) => note('in', Buffer.from(bytes).toString()));
    },
    enter: () => terminal.enter(),
    leave: () => terminal.leave(),
    keep: (name, mode) => terminal.keep(name, mode),
    replied: (reply) => terminal.replied(reply),
    suspend: () => terminal.suspend(),
    close() {
      terminal.close();
      closeSync(file);
    },
  };
}

function openLog(path: string): number | null {
  try {
    return openSync(path, 'a', 0o600);
  } catch {
    return null;
  }
}

/** Sequences that move, colour and switch: parameters and final bytes. Titles and links hold text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of terminals
const SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O[A-Z]|[=>78])/;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/;

/** The text with each letter as `x`, each digit as `0`, wide characters as a wide one. */
export function maskText(text: string): string {
  return text
    .split(new RegExp(`(${SEQUENCE.source})`))
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[\p{L}\p{N}]/gu, maskCharacter)))
    .join('');
}

function maskCharacter(character: string): string {
  if (/\p{N}/u.test(character)) return '0';
  return WIDE.test(character) ? '\u5b57' : 'x';
}
