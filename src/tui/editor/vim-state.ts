import type { EditorState } from './editor.ts';
import type { EditorView } from './layout.ts';

/** Where the keys of vim are. `visual-line` takes whole lines. */
export type VimMode = 'insert' | 'normal' | 'visual' | 'visual-line';

/** A text that was deleted or yanked. */
export interface Register {
  readonly text: string;
  readonly isLinewise: boolean;
}

/** What an operator acts on, or where a motion goes. `lines` and `characters`: as many as a visual selection had. */
export interface VimTarget {
  readonly kind: 'motion' | 'object' | 'line' | 'lines' | 'characters';
  /** `w`, `ge`, `f`; `iw`, `a"`. */
  readonly key: string;
  /** Of f, F, t and T. */
  readonly character?: string;
}

/** A whole command of normal mode, such as `"a2d3w`. */
export interface VimCommand {
  readonly register: string | null;
  readonly count: number | null;
  /** An operator, `move`, or a key that acts alone. */
  readonly verb: string;
  readonly target: VimTarget | null;
  /** Of r. */
  readonly character: string | null;
}

export interface VimState {
  readonly mode: VimMode;
  /** The keys of a command so far. */
  readonly pending: string;
  /** Where the visual selection began. */
  readonly anchor: number;
  /** By name; `"` is the one that is used without a name. */
  readonly registers: Readonly<Record<string, Register>>;
  /** What `;` repeats. */
  readonly find: { readonly key: string; readonly character: string } | null;
  /** What `.` repeats. */
  readonly last: { readonly command: VimCommand; readonly inserted: string } | null;
  /** The command that led to insert mode, and the text at that time. */
  readonly insertion: { readonly command: VimCommand; readonly text: string; readonly at: number } | null;
}

export const FIRST_VIM: VimState = {
  mode: 'insert',
  pending: '',
  anchor: 0,
  registers: {},
  find: null,
  last: null,
  insertion: null,
};

/** The text with the state of vim's keys. */
export interface VimText {
  readonly editor: EditorState;
  readonly vim: VimState;
}

/** What a key has done. `after`: what the keys of the terminal do next, so many times. */
export interface VimStep extends VimText {
  readonly after?: { readonly what: 'up' | 'down' | 'search'; readonly times: number };
}

/** Vim's keys, where the person has them. */
export interface VimKeys {
  /** Null: the key is not one of vim's in this mode. */
  take(text: VimText, key: string, view: EditorView): VimStep | null;
  /** In normal mode the caret stands on a character. */
  settle(text: VimText): EditorState;
  /** The selected part of the text; null without one. */
  selection(text: VimText): { readonly from: number; readonly to: number } | null;
  /** What leaves insert mode if it is typed: `jj`. */
  readonly escapes: readonly string[];
}
