import { ASK_CURSOR } from '../term/probes.ts';
import type { Terminal } from '../term/terminal.ts';

const QUIET_MS = 40;
const CURSOR_MS = 100;

/** Waits until the window is quiet after a resize, and asks where the cursor has gone before anything is drawn. */
export class WindowSize {
  readonly #terminal: Terminal;
  readonly #draw: (column?: number) => void;
  #timer: NodeJS.Timeout | null = null;
  #isAsking = false;

  /** `draw` gets the column of the cursor, where the terminal has told it. */
  constructor(terminal: Terminal, draw: (column?: number) => void) {
    this.#terminal = terminal;
    this.#draw = draw;
  }

  changed(): void {
    this.#wait(QUIET_MS, () => {
      this.#isAsking = true;
      this.#wait(CURSOR_MS, () => this.#answered());
      this.#terminal.write(ASK_CURSOR);
    });
  }

  /** An answer of the terminal. */
  cursorAt(column: number): void {
    if (this.#isAsking) this.#answered(column);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#isAsking = false;
  }

  #answered(column?: number): void {
    this.close();
    this.#draw(column);
  }

  #wait(ms: number, then: () => void): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms);
  }
}
