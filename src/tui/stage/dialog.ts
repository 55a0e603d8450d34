import type { EditorAction } from '../editor/editor.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import type { Size } from '../screen/screen.ts';

/** A key for a question: an action of its bindings, a digit or letter as `key`, or an edit of its text. */
export interface DialogInput {
  action: string;
  text?: string;
  edit?: EditorAction;
}

/** One question on the screen, with what the person has chosen and written so far. */
export interface Dialog {
  /** Whether the cursor is in a text: then letters and digits belong to it. */
  readonly takesText: boolean;
  /** What keys do, for the status row. */
  readonly hint: string;
  /** `size` is the room that it may take. The cursor stands at what is chosen, or in the text. */
  rows(size: Size): RowsWithCaret;
  take(input: DialogInput): void;
  /** It was answered or withdrawn. */
  closed(): void;
}
