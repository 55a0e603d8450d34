import type { VimMode } from '../editor/vim-state.ts';
import type { LateTyping } from './late-typing.ts';
import type { Writing } from './writing.ts';

/** As vim shows them. */
const MODE_WORDS: Readonly<Record<VimMode, string>> = {
  insert: '-- INSERT --',
  normal: '-- NORMAL --',
  visual: '-- VISUAL --',
  'visual-line': '-- VISUAL LINE --',
};

/** Whether the editor has vim's keys, and what they have done. */
export class VimSwitch {
  readonly #typing: LateTyping;
  readonly #writing: Writing;

  constructor(typing: LateTyping, writing: Writing) {
    this.#typing = typing;
    this.#writing = writing;
  }

  /** Null without vim's keys. */
  get mode(): VimMode | null {
    return this.#typing.loaded?.vim ? this.#writing.state.vim.mode : null;
  }

  use(isOn: boolean): void {
    this.#typing.loaded?.useVim(isOn);
  }

  /** What is selected: by vim, or with Shift. */
  get selected(): { readonly from: number; readonly to: number } | null {
    const { state, editor } = this.#writing;
    const found = this.#typing.loaded?.vim?.selection(state) ?? null;
    if (found || editor.anchor === null) return found;
    return { from: Math.min(editor.anchor, editor.caret), to: Math.max(editor.anchor, editor.caret) };
  }

  /** How much is selected: colours alone do not tell. */
  get #size(): string {
    const { state, editor } = this.#writing;
    const found = this.#typing.loaded?.vim?.selection(state);
    if (!found) return '';
    const text = editor.text.slice(found.from, found.to);
    return String(state.vim.mode === 'visual-line' ? text.split('\n').length : text.length);
  }

  /** For the status row: the mode, what is selected, and the keys of a command that has begun. */
  words({ hasMode }: { hasMode: boolean }): string[] {
    const { focus, vim } = this.#writing.state;
    if (this.mode === null || focus !== 'editor') return [];
    return [hasMode ? MODE_WORDS[this.mode] : '', this.#size, vim.pending].filter((part) => part !== '');
  }
}
