import { type AttachedImage, labelOf } from '../editor/attachments.ts';
import { type EditorState, edit } from '../editor/editor.ts';
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

  /** Prompts that were not sent stand before the draft, with their images. */
  giveBackPrompts(drafts: readonly { readonly text: string; readonly images: readonly AttachedImage[] }[]): void {
    // The labels of images in a text become the images again.
    const texts = drafts.map(({ text, images }) =>
      images.reduce((rest, each) => rest.replace(labelOf(each), ''), text),
    );
    this.giveBack(texts);
    for (const { kind: _kind, id: _id, ...image } of drafts.flatMap(({ images }) => images)) {
      this.#state = { ...this.#state, editor: edit(this.editor, { type: 'attach', image }) };
    }
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
