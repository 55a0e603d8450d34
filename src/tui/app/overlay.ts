import type { Context } from '../focus/default-keys.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import { OTHER_SCREEN_OFF, OTHER_SCREEN_ON, type OtherScreen } from '../screen/other-screen.ts';
import type { Painter } from '../screen/painter.ts';
import type { Size } from '../screen/screen.ts';
import type { Pager } from '../stage/pager.ts';
import type { Picker, PickerInput } from '../stage/picker.ts';
import type { Terminal } from '../term/terminal.ts';
import type { Writing } from './writing.ts';

export interface OverlayParts {
  readonly terminal: Terminal;
  readonly painter: Painter;
  readonly writing: Writing;
  /** A new other screen, for the widths in force. */
  readonly otherScreen: () => OtherScreen;
  /** The list or the pager is gone: the keys are the editor's, or a question's. */
  readonly onClosed: () => void;
}

const FRAME_MS = 16;

/** What stands over the editor or fills the window: at most one list and one pager. */
export class Overlay {
  readonly #parts: OverlayParts;
  #picker: Picker | null = null;
  #pager: Pager | null = null;
  /** Whose the keys were before the pager. */
  #before: 'editor' | 'question' = 'editor';
  #screen: OtherScreen | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: OverlayParts) {
    this.#parts = parts;
  }

  get context(): Context | null {
    return this.#picker?.context ?? null;
  }

  get pager(): { takesText: boolean } | null {
    return this.#pager && { takesText: this.#pager.takesText };
  }

  get hint(): string {
    return this.#picker?.hint ?? '';
  }

  pick(picker: Picker): void {
    const before = this.#picker;
    this.#picker = picker;
    before?.closed();
    if (!this.#pager) this.#parts.writing.focus('picker');
    this.#parts.painter.soon();
  }

  stopPicking(): void {
    if (!this.#picker) return;
    this.#picker = null;
    if (!this.#pager) this.#parts.writing.focus('editor');
    this.#parts.onClosed();
  }

  /** The rows of the list, within the room that live rows have. */
  rows({ columns, rows }: Size): RowsWithCaret | null {
    return this.#picker?.rows({ columns, rows: Math.max(1, rows - 4) }) ?? null;
  }

  picked(input: PickerInput): void {
    const picker = this.#picker;
    if (!picker) return;
    if (this.#parts.writing.state.focus === 'picker') {
      picker.take(input);
      this.#parts.painter.soon();
    } else {
      // Escape has moved the focus already.
      this.#picker = null;
      picker.closed();
      this.#parts.onClosed();
    }
  }

  page(pager: Pager): { stop(): void } {
    const { painter, terminal, writing, otherScreen } = this.#parts;
    const before = this.#pager;
    this.#pager = pager;
    before?.closed();
    if (!before) {
      this.#before = writing.state.focus === 'question' ? 'question' : 'editor';
      painter.hold();
      terminal.write(OTHER_SCREEN_ON);
      this.#screen = otherScreen();
    }
    writing.focus('pager');
    this.draw();
    return { stop: () => this.#pager === pager && this.#leavePager() };
  }

  paged({ action, key }: { action: string | null; key: string }): void {
    if (!this.#pager) return;
    if (this.#parts.writing.state.focus !== 'pager') {
      this.#leavePager();
      return;
    }
    this.#pager.take({ action, key });
    this.draw();
  }

  /** The terminal is another program's while `use` runs. */
  async lend<Value>(use: () => Promise<Value>): Promise<Value> {
    const { painter, terminal, writing } = this.#parts;
    const { focus } = writing.state;
    painter.hold();
    terminal.leave();
    writing.focus('external');
    try {
      return await use();
    } finally {
      writing.focus(focus);
      terminal.enter();
      painter.resume();
      painter.resized(terminal.size);
    }
  }

  /** Stops the process until the shell continues it. False: there is no shell. */
  async suspend({ isBusy }: { readonly isBusy: boolean }): Promise<boolean> {
    const { painter, terminal } = this.#parts;
    painter.hold();
    if (isBusy) terminal.write('The turn pauses, too; fg continues.\r\n');
    const wasStopped = await terminal.suspend();
    terminal.enter();
    painter.resume();
    return wasStopped;
  }

  /** Draws the pager soon, if there is one. */
  soon(): void {
    if (!this.#pager || this.#timer) return;
    this.#timer = setTimeout(() => this.draw(), FRAME_MS);
  }

  draw(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const { terminal } = this.#parts;
    if (this.#pager && this.#screen) {
      terminal.write(this.#screen.draw(this.#pager.rows(terminal.size), terminal.size));
    }
  }

  /** The terminal is given back: its own screen has to be the one that is seen. */
  end(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#pager) this.#parts.terminal.write(OTHER_SCREEN_OFF);
    this.#pager = null;
    this.#picker = null;
  }

  #leavePager(): void {
    const { painter, terminal, writing, onClosed } = this.#parts;
    const pager = this.#pager;
    this.#pager = null;
    this.#screen = null;
    terminal.write(OTHER_SCREEN_OFF);
    writing.focus(this.#picker ? 'picker' : this.#before);
    pager?.closed();
    painter.resume();
    // The window may have another size than before.
    painter.resized(terminal.size);
    onClosed();
  }
}
