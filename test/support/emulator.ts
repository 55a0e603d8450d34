import headless, { type Terminal } from '@xterm/headless';
import { createWidths } from '../../src/tui/rows/widths.ts';

export interface EmulatorOptions {
  columns: number;
  rows: number;
  /** Whether narrower windows wrap rows; without it they are cut, as old terminals do. */
  reflows?: boolean;
  /** Whether it knows the widths of today's Unicode, with emoji of two columns; the default is Unicode 6. */
  today?: boolean;
}

/** A real terminal emulator without a window. It also records what a hostile text would want. */
export interface Emulator {
  write(bytes: string): Promise<void>;
  resize(columns: number, rows: number): void;
  /** All lines, scrollback first; rows that the terminal has wrapped are one line. */
  lines(): string[];
  /** The rows of the window as they are seen. */
  window(): string[];
  cursor(): { row: number; column: number };
  /** The text of the cursor's row up to the cursor. */
  beforeCursor(): string;
  /** Everything that was asked of the terminal besides showing text. */
  effects: string[];
  terminal: Terminal;
}

export function createEmulator({ columns, rows, reflows = true, today = false }: EmulatorOptions): Emulator {
  const terminal = new headless.Terminal({
    cols: columns,
    rows,
    scrollback: 100_000,
    allowProposedApi: true,
    ...(!reflows && { windowsPty: { backend: 'conpty', buildNumber: 19_000 } }),
  });
  if (today) {
    const widths = createWidths({ byGraphemes: false, ambiguousWide: false });
    const wcwidth = (point: number) => widths.of(String.fromCodePoint(point)) as 0 | 1 | 2;
    terminal.unicode.register({
      version: 'today',
      wcwidth,
      // Width, and whether the character joins the one before it, as the emulator packs them.
      charProperties: (point, before) => (wcwidth(point) << 1) | Number(wcwidth(point) === 0 && before !== 0),
    });
    terminal.unicode.activeVersion = 'today';
  }
  const effects: string[] = [];
  const note = (effect: string) => () => {
    effects.push(effect);
    return false;
  };
  for (const code of [0, 1, 2, 4, 7, 8, 9, 10, 11, 12, 52, 99, 133, 633, 777, 1337]) {
    terminal.parser.registerOscHandler(code, note(`osc ${code}`));
  }
  terminal.parser.registerCsiHandler({ final: 'r' }, note('scroll region'));
  terminal.parser.registerCsiHandler({ final: 'L' }, note('insert line'));
  terminal.parser.registerCsiHandler({ final: 'M' }, note('delete line'));
  terminal.parser.registerCsiHandler({ final: 'S' }, note('scroll up'));
  terminal.parser.registerCsiHandler({ final: 'T' }, note('scroll down'));
  terminal.parser.registerCsiHandler({ final: 'H' }, note('cursor position'));
  terminal.parser.registerEscHandler({ final: 'M' }, note('reverse index'));
  terminal.parser.registerEscHandler({ final: 'c' }, note('reset'));
  terminal.parser.registerCsiHandler({ final: 'J' }, (parameters) => {
    if (parameters[0] === 2 || parameters[0] === 3) effects.push(`clear ${parameters[0]}`);
    return false;
  });
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, (parameters) => {
    for (const mode of parameters) if (mode !== 25 && mode !== 2026) effects.push(`mode ${mode}`);
    return false;
  });
  terminal.onData((data) => effects.push(`answer ${JSON.stringify(data)}`));
  terminal.onBell(note('bell'));
  terminal.onTitleChange(note('title'));
  const rowText = (y: number, end?: number) => terminal.buffer.active.getLine(y)?.translateToString(true, 0, end) ?? '';
  return {
    terminal,
    effects,
    write: (bytes) => new Promise((resolve) => terminal.write(bytes, resolve)),
    resize: (width, height) => terminal.resize(width, height),
    lines() {
      const { active } = terminal.buffer;
      const lines: string[] = [];
      for (let y = 0; y < active.length; y++) {
        const line = active.getLine(y);
        const next = active.getLine(y + 1);
        // The last cell of a row that goes on in the next one is empty where a wide character did not fit.
        const last = line?.getCell(line.length - 1);
        const isCut = last?.getChars() === '' && last.getWidth() === 1;
        const text = line?.translateToString(!next?.isWrapped, 0, isCut ? line.length - 1 : undefined) ?? '';
        if (line?.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
        else lines.push(text);
      }
      return lines.map((line) => line.trimEnd());
    },
    window: () => Array.from({ length: terminal.rows }, (_, y) => rowText(terminal.buffer.active.baseY + y)),
    cursor: () => ({ row: terminal.buffer.active.cursorY, column: terminal.buffer.active.cursorX }),
    beforeCursor() {
      const { baseY, cursorY, cursorX } = terminal.buffer.active;
      return rowText(baseY + cursorY, cursorX);
    },
  };
}
