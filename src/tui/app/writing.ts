import type { EditorState } from '../editor/editor.ts';
import { giveBack, settle, withDraft, withFocus } from '../focus/focus.ts';
import { FIRST_FOCUS, type Focus, type FocusState, type FocusWorld } from '../focus/focus-state.ts';

/** Whose the keys are, and what the person is writing. */
export class Writing {
  #state: FocusState = FIRST_FOCUS;

  get state(): FocusState {
    return this.#state;
  }

  get editor(): EditorState {
    return this.#state.editor;
  }

  set(state: FocusState): void {
    this.#state = state;
  }

  /** Texts that were not sent stand before the draft. */
  giveBack(texts: readonly string[]): void {
    this.#state = giveBack(this.#state, texts);
  }

  /** Puts a text into the editor; what was there can be had back by undo. */
  draft(text: string): void {
    this.#state = withDraft(this.#state, { text, attachments: [] });
  }

  focus(focus: Focus): void {
    this.#state = withFocus(this.#state, focus);
  }

  /** Gives an open question the keys, or takes them away from one that is gone. */
  settle(world: Pick<FocusWorld, 'question' | 'now'>): void {
    this.#state = settle(this.#state, world);
  }
}
