import type { Row } from '../rows/row.ts';
import type { Caret, Screen, Size } from './screen.ts';

/** What stands below the committed rows. */
export interface LiveRows {
  rows: readonly Row[];
  caret: Caret;
}

export interface PainterOptions {
  screen: Screen;
  /** Hands bytes to the terminal; false: it is slow, and `drained` tells when it has caught up. */
  write: (bytes: string) => boolean;
  /** Makes the live rows, for the size that the screen has then. */
  live: (size: Size) => LiveRows;
}

const FRAME_MS = 16;

/**
 * Decides when a frame is drawn: at once after a key, else 16 ms after the last one. As long as the terminal cannot
 * follow there are no frames: a slow connection gets fewer, never a backlog. Without a cause it has no timer.
 */
export class Painter {
  readonly #screen: Screen;
  readonly #write: (bytes: string) => boolean;
  readonly #live: (size: Size) => LiveRows;
  #committed: Row[] = [];
  #timer: NodeJS.Timeout | null = null;
  #last = Number.NEGATIVE_INFINITY;
  #state: 'drawing' | 'blocked' | 'held' = 'drawing';
  #isDue = false;

  constructor({ screen, write, live }: PainterOptions) {
    this.#screen = screen;
    this.#write = write;
    this.#live = live;
  }

  /** Rows for the scrollback; they go out with the next frame. */
  commit(rows: readonly Row[]): void {
    for (const row of rows) this.#committed.push(row);
    if (rows.length > 0) this.soon();
  }

  soon(): void {
    this.#isDue = true;
    if (this.#timer || this.#state !== 'drawing') return;
    const wait = Math.max(0, this.#last + FRAME_MS - uptimeMs());
    this.#timer = setTimeout(() => this.now(), wait);
  }

  now(): void {
    this.#draw((frame) => this.#screen.draw(frame));
  }

  /** Draws all live rows again. */
  redraw(): void {
    this.#draw((frame) => this.#screen.redraw(frame));
  }

  /** `column` is the cursor's, as the terminal tells it. */
  resized(size: Size, column?: number): void {
    this.#draw((frame) => this.#screen.resize(size, frame, column));
  }

  /** The terminal has written what it had. */
  drained(): void {
    if (this.#state !== 'blocked') return;
    this.#state = 'drawing';
    if (this.#isDue) this.now();
  }

  /** Takes the live rows away, and draws nothing until `resume`: the terminal is another program's. */
  hold(): void {
    if (this.#state === 'held') return;
    if (this.#committed.length > 0 && this.#state === 'drawing') this.now();
    this.#clearTimer();
    this.#state = 'held';
    this.#write(this.#screen.erase());
  }

  /** Others have written below the live rows: the next frame stands below what they wrote. */
  anew(): void {
    if (this.#state !== 'held') this.#screen.forget();
  }

  resume(): void {
    if (this.#state !== 'held') return;
    this.#state = 'drawing';
    this.now();
  }

  /** The last rows, and the live rows are gone. Nothing is drawn afterwards. */
  end(): void {
    const rows = this.#committed.splice(0);
    this.hold();
    if (rows.length > 0) this.#write(rows.map((row) => `${row}\r\n`).join(''));
  }

  #draw(bytesOf: (frame: { commit: readonly Row[]; live: readonly Row[]; caret: Caret }) => string): void {
    this.#clearTimer();
    this.#isDue = true;
    if (this.#state !== 'drawing') return;
    const { rows, caret } = this.#live(this.#screen.size);
    const commit = this.#committed;
    this.#committed = [];
    this.#isDue = false;
    this.#last = uptimeMs();
    if (!this.#write(bytesOf({ commit, live: rows, caret }))) this.#state = 'blocked';
  }

  #clearTimer(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** Asking `performance` would load a module of Node before the first frame. */
function uptimeMs(): number {
  return process.uptime() * 1000;
}
