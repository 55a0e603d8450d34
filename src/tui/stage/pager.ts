import type { Row } from '../rows/row.ts';
import type { Size } from '../screen/screen.ts';

/** Something that fills the window, on the terminal's other screen. */
export interface Pager {
  /** Whether letters are text now, such as in a search: then `q` and Escape do not leave. */
  readonly takesText: boolean;
  /** The rows of the window, from its first on; its last one tells where one is. At most `size.rows`. */
  rows(size: Size): readonly Row[];
  /** A key, with its action where it has one. */
  take(input: { action: string | null; key: string }): void;
  /** The person has left it. */
  closed(): void;
}
