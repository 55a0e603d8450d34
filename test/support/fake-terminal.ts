import type { Reply } from '../../src/tui/term/probes.ts';
import type { ExtraMode, Terminal, TerminalEvents } from '../../src/tui/term/terminal.ts';
import { createEmulator, type Emulator } from './emulator.ts';

/** A terminal in an emulator: what is written is drawn, keys are typed by the test. */
export interface FakeTerminal extends Terminal {
  emulator: Emulator;
  bytes: string[];
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  hangUp(): void;
  /** False: the terminal is slow. */
  isQuick: boolean;
  drain(): void;
  /** What is seen, without the blank rows at the end; also the scrollback with `lines`. */
  shown(): Promise<string>;
  isEntered: boolean;
}

export function createFakeTerminal({ columns = 60, rows = 20 } = {}): FakeTerminal {
  const emulator = createEmulator({ columns, rows });
  const listeners = new Map<string, ((bytes: Uint8Array) => void)[]>();
  const emit = (event: keyof TerminalEvents, bytes = new Uint8Array()) => {
    for (const listener of listeners.get(event) ?? []) listener(bytes);
  };
  const modes = new Map<string, ExtraMode>();
  let drawn: Promise<void> = Promise.resolve();
  const terminal: FakeTerminal = {
    emulator,
    bytes: [],
    isQuick: true,
    isEntered: false,
    get size() {
      return { columns: emulator.terminal.cols, rows: emulator.terminal.rows };
    },
    write(text) {
      terminal.bytes.push(text);
      drawn = emulator.write(text);
      return terminal.isQuick;
    },
    on: (event, listener) => {
      listeners.set(event, [...(listeners.get(event) ?? []), listener as (bytes: Uint8Array) => void]);
    },
    enter() {
      terminal.isEntered = true;
    },
    leave() {
      terminal.isEntered = false;
    },
    keep(name, mode) {
      const before = modes.get(name);
      if (mode) modes.set(name, mode);
      else modes.delete(name);
      terminal.write(mode ? (mode.now ?? mode.on) : (before?.off ?? ''));
    },
    replied: (_reply: Reply) => {},
    suspend: async () => true,
    close: () => {},
    type: (keys) => emit('input', Buffer.from(keys)),
    resize(width, height) {
      emulator.resize(width, height);
      emit('resize');
    },
    hangUp: () => emit('gone'),
    drain: () => emit('drain'),
    async shown() {
      await drawn;
      return emulator.lines().join('\n').replace(/\n+$/, '');
    },
  };
  return terminal;
}
