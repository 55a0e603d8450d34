import type { CodeColours } from '../code/code-colours.ts';
import type { RowContext } from '../row-context.ts';

/** What rows of blocks are made for. */
export interface BlockContext extends RowContext {
  /** The directory of the session: paths below it are shown relative to it. */
  cwd: string;
  /** The terminal breaks the lines of finished prose. */
  leavesProse?: boolean;
  /** Null as long as they are not loaded. */
  colours: () => CodeColours | null;
}
