import type { JsonObject } from '../../util/json.ts';
import type { Change, ViewTracker } from '../../view/changes.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import type { VimMode } from '../editor/vim-state.ts';
import type { Keymap } from '../focus/keymap.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import type { Row, Style } from '../rows/row.ts';
import type { LookView } from './look-view.ts';
import type { Pager } from './pager.ts';
import type { Picker } from './picker.ts';
import type { SessionLink } from './session-link.ts';

/** A stored session to go on with, by its id. */
export interface SessionTarget {
  resume: string;
}

/** An earlier prompt that the next one replaces on a branch of its own. */
export interface BesidePrompt {
  /** The message that both follow; null: they are the first ones. */
  parentUuid: string | null;
  title: string;
}

/** What the parts of the terminal use of each other's surroundings: the session, and the screen. */
export interface Stage {
  readonly tracker: ViewTracker;
  /** Null until the session is open. */
  readonly link: SessionLink | null;
  readonly context: BlockContext;
  readonly isBusy: boolean;
  /** `loaded` is null until it is, soon after the first frame. */
  readonly look: { readonly loaded: LookView | null };
  /** Vim's keys in the editor: their mode, null without them; `use` turns them on or off. */
  readonly vim: { readonly mode: VimMode | null; use(isOn: boolean): void };
  /** The keys in force. */
  readonly keymap: Keymap;
  /**
   * The directory of the session, the config home, and whether the session is another process's. `signIn` asks for a key
   * in the terminal, which it has for itself, and stores it.
   */
  readonly place: {
    readonly cwd: string;
    readonly home: string | null;
    readonly isGuest?: boolean;
    readonly signIn?: () => Promise<void>;
  };
  now(): number;
  newId(): string;
  /** Asks the session. Rejects with what to tell the person, also where the session is not open. */
  call(request: ControlBody): Promise<JsonObject>;
  /** Changes of the view that did not come from a line. */
  take(changes: readonly Change[]): void;
  /** Draws soon. */
  changed(): void;
  /** Draws all live rows again. */
  redraw(): void;
  /** Lines of the terminal's own, for the scrollback. */
  print(lines: readonly string[], style?: Style | null): void;
  /** Rows for the scrollback. */
  printRows(rows: readonly Row[]): void;
  /** Copies a text; resolves with a sentence that says how. */
  copy(text: string): Promise<string>;
  /**
   * Goes to another session: this one is ended, then that one is opened. Rejects where it cannot be opened; then this
   * one is open again.
   */
  openSession(target: SessionTarget): Promise<void>;
  /** Sends a prompt, as Enter does. */
  submit(text: string): void;
  /** Runs a command of the terminal. */
  command(text: string): void;
  /** A text for a few seconds. */
  notify(text: string, ms?: number): void;
  /** Gives the keys to a list over the editor. One that is open is closed. */
  pick(picker: Picker): void;
  /** Closes the list that is open, without telling it. */
  stopPicking(): void;
  /** Shows something in the whole window until the person leaves it, or `stop` is called. */
  page(pager: Pager): { stop(): void };
  /** The terminal is another program's while `use` runs. */
  lend<Value>(use: () => Promise<Value>): Promise<Value>;
  /** Puts a text into the editor; what was there can be had back by undo. */
  draft(text: string): void;
  /** The same, for a prompt that replaces an earlier one on a branch of its own. */
  draftBeside(text: string, beside: BesidePrompt): void;
  /** Stops the process until the shell continues it. */
  suspend(): Promise<void>;
  /** Gives the terminal back, and ends the session. */
  leave(exitCode: number, lines?: readonly string[]): Promise<void>;
}
