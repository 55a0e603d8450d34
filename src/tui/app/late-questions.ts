import type { Habits } from '../questions/asking.ts';
import type * as open from '../questions/open-dialog.ts';
import type { Stage } from '../stage/stage.ts';

/** What questions need of code that is loaded late, and of the person's settings. */
export type QuestionParts = Pick<typeof open, 'openDialog' | 'callInShort' | 'trustDialog'> & { habits: Habits };

/** Loads the code of questions when a turn begins, or with the first question. */
export class LateQuestions {
  readonly #stage: Stage;
  readonly #onLoaded: () => void;
  #parts: QuestionParts | null = null;
  #isLoading = false;
  #isComplete = false;

  constructor(stage: Stage, onLoaded: () => void) {
    this.#stage = stage;
    this.#onLoaded = onLoaded;
  }

  get habits(): Pick<Habits, 'letterAnswers'> {
    return this.#parts?.habits ?? { letterAnswers: false };
  }

  /** Null as long as it is not loaded, which this call begins. A load that fails is tried again with the next call. */
  parts(): QuestionParts | null {
    // Loaded before the session was open: its settings are still to come.
    const isDue = !this.#parts || (!this.#isComplete && this.#stage.link !== null);
    if (isDue && !this.#isLoading) {
      this.#isLoading = true;
      this.#load()
        .catch(() => {})
        .finally(() => {
          this.#isLoading = false;
        });
    }
    return this.#parts;
  }

  async #load(): Promise<void> {
    const { openDialog, callInShort, trustDialog, habitsIn } = await import('../questions/open-dialog.ts');
    this.#isComplete = this.#stage.link !== null;
    const settings = this.#stage.link ? await this.#stage.call({ subtype: 'get_settings' }).catch(() => ({})) : {};
    this.#parts = { openDialog, callInShort, trustDialog, habits: habitsIn(settings) };
    this.#onLoaded();
  }
}
