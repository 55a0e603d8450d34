import type { Context } from '../focus/default-keys.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import type { Size } from '../screen/screen.ts';

/** The input of a list: an action of its bindings, another key, or typed text. */
export interface PickerInput {
  /** Null where the key has no binding here. */
  action: string | null;
  key?: string;
  text?: string;
}

/** A list, a tree or a form over the editor. It has the keys until it is closed. */
export interface Picker {
  /** The context whose bindings count in addition to those of all lists. In a `Tree` letters are keys, elsewhere they are text. */
  readonly context: Context;
  /** What keys do, for the status row. */
  readonly hint: string;
  /** `size` is the room that it may take. The cursor stands at what is chosen, or in the text. */
  rows(size: Size): RowsWithCaret;
  take(input: PickerInput): void;
  /** Escape or Ctrl+C has closed it, or another list has taken its place. */
  closed(): void;
}
