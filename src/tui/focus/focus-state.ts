import type { AttachedImage } from '../editor/attachments.ts';
import { type Draft, type EditorAction, type EditorState, EMPTY_EDITOR } from '../editor/editor.ts';
import type { EditorView } from '../editor/layout.ts';
import { FIRST_VIM, type VimKeys, type VimState } from '../editor/vim-state.ts';
import type { Context } from './default-keys.ts';
import type { Keymap } from './keymap.ts';

/** Whose the keys are. A menu stands over the editor, and has no focus of its own. */
export type Focus = 'editor' | 'search' | 'question' | 'picker' | 'pager' | 'external';

/** One prompt of history. */
export interface EarlierPrompt extends Draft {
  readonly project: string;
  readonly sessionId: string;
}

export const SCOPES = ['project', 'all', 'session'] as const;
export type Scope = (typeof SCOPES)[number];

/** The search through history, while it is open. */
export interface HistorySearch {
  readonly query: string;
  readonly scope: Scope;
  /** Which match is shown, the newest first. */
  readonly index: number;
  /** What the editor held before. */
  readonly before: Draft;
}

export interface FocusState {
  readonly focus: Focus;
  readonly editor: EditorState;
  /** The keys of a chord so far, and when the last one came. */
  readonly chord: { readonly keys: string; readonly at: number } | null;
  /** A key that acts when it is pressed again soon. */
  readonly again: { readonly what: Again; readonly at: number } | null;
  readonly lastKeyAt: number;
  /** Where in history the editor is, counted from the newest, and what it held before. */
  readonly past: { readonly index: number; readonly before: Draft } | null;
  readonly search: HistorySearch | null;
  /** The highlighted row of the menu, and the text for which the user has closed it. */
  readonly menu: { readonly index: number; readonly closedFor: string | null };
  readonly stash: Draft | null;
  /** The user has left the open question: it does not take the keys by itself. */
  readonly hasLeftQuestion: boolean;
  /** Counts where the world has vim's keys. */
  readonly vim: VimState;
}

export type Again = 'clear' | 'escEsc' | 'leave' | 'kill-agents';

export const FIRST_FOCUS: FocusState = {
  focus: 'editor',
  editor: EMPTY_EDITOR,
  chord: null,
  again: null,
  lastKeyAt: Number.NEGATIVE_INFINITY,
  past: null,
  search: null,
  menu: { index: 0, closedFor: null },
  stash: null,
  hasLeftQuestion: false,
  vim: FIRST_VIM,
};

export type Phase = 'starting' | 'idle' | 'busy' | 'asking' | 'compacting' | 'lost' | 'ended';

/** What the meaning of a key depends on in addition to the state of the focus. */
export interface FocusWorld {
  readonly now: number;
  readonly phase: Phase;
  readonly keymap: Keymap;
  /** Null: the editor has the usual keys only. */
  readonly vim: VimKeys | null;
  readonly view: EditorView;
  /** The question that is shown; `paintedAt` is null until it is. `takesText`: the cursor is in a text of it. */
  readonly question: {
    readonly paintedAt: number | null;
    readonly takesText: boolean;
    /** Whether `y` and `n` answer. */
    readonly letterAnswers?: boolean;
  } | null;
  /** The context of the open picker, such as `ModelPicker`. */
  readonly picker: Context | null;
  /** What fills the window; `takesText`: letters are text there. */
  readonly pager: { readonly takesText: boolean } | null;
  /** How many prompts wait. */
  readonly queued: number;
  /** What the text at the caret can become; null without a menu. */
  readonly menu: Completion | null;
  /** Oldest first. */
  readonly history: readonly EarlierPrompt[];
  readonly project: string;
  readonly sessionId: string;
  readonly escEsc: 'tree' | 'rewind' | 'nothing';
}

/** The menu over the editor. */
export interface Completion {
  /** The part of the editor's text that a choice replaces. */
  readonly from: number;
  readonly to: number;
  readonly items: readonly CompletionItem[];
}

export interface CompletionItem {
  readonly label: string;
  readonly detail?: string;
  /** What stands in the editor afterwards. */
  readonly insert: string;
  /** Which characters of the label matched. */
  readonly positions?: readonly number[];
  /** What Enter does with it: puts it into the text, sends it, or sends the text as it is. */
  readonly onEnter: 'take' | 'run' | 'send';
}

/** What the program does about a key. */
export type Intent =
  /** Sends a prompt. `remember` comes before it: what was typed is on disk before it is on the wire. */
  | { type: 'submit'; text: string; images: readonly AttachedImage[]; priority: 'next' | 'later' }
  /** Adds to history. */
  | { type: 'remember'; draft: Draft }
  /** Takes back what waits, then interrupts; `giveBack` puts what came back into the editor. */
  | { type: 'interrupt' }
  /** Takes back the prompt that was queued last. */
  | { type: 'take-back' }
  | { type: 'leave' }
  | { type: 'copy'; text: string }
  /** An action of the keymap that is the program's: `app:redraw`, `chat:cycleMode`, `task:background`. */
  | { type: 'act'; action: string }
  /** A key for the open question: an action, a digit, a letter that only shows, or an edit of its text. */
  | { type: 'answer'; action: string; text?: string; edit?: EditorAction }
  | { type: 'pick'; action: string | null; key?: string; text?: string }
  | { type: 'page'; action: string | null; key: string }
  | { type: 'notice'; text: string };

export interface FocusStep {
  readonly state: FocusState;
  readonly intents: readonly Intent[];
}
