import type { Change, ViewTracker } from '../../view/changes.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import type { Style } from '../rows/row.ts';
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
  /** Stops the process until the shell continues it. */
  suspend(): Promise<void>;
  /** Gives the terminal back, and ends the session. */
  leave(exitCode: number, lines?: readonly string[]): Promise<void>;
}
