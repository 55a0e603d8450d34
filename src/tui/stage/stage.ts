import type { JsonObject } from '../../util/json.ts';
import type { Change, ViewTracker } from '../../view/changes.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import type { Style } from '../rows/row.ts';
import type { Pager } from './pager.ts';
import type { Picker } from './picker.ts';
import type { SessionLink } from './session-link.ts';

/** What the parts of the terminal use of each other's surroundings: the session, and the screen. */
export interface Stage {
  readonly tracker: ViewTracker;
  /** Null until the session is open. */
  readonly link: SessionLink | null;
  readonly context: BlockContext;
  readonly isBusy: boolean;
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
  /** Stops the process until the shell continues it. */
  suspend(): Promise<void>;
  /** Gives the terminal back, and ends the session. */
  leave(exitCode: number, lines?: readonly string[]): Promise<void>;
}
