import type { CodeColours } from '../rows/code/code-colours.ts';
import type { AnswerRows } from '../rows/markdown/answer-rows.ts';

/** Code that the first answer needs, and the first frame does not: it is loaded on first use. */
export class LateRows {
  readonly #onLoaded: () => void;
  #parts: { AnswerRows: typeof AnswerRows; codeColours: CodeColours } | null = null;
  #isLoading = false;

  /** `onLoaded` is called when it is there: what has waited can go on. */
  constructor(onLoaded: () => void) {
    this.#onLoaded = onLoaded;
  }

  /** Null as long as it is not loaded, which this call begins. A load that fails is tried again with the next call. */
  answerRows(): typeof AnswerRows | null {
    if (!this.#parts && !this.#isLoading) {
      this.#isLoading = true;
      import('../rows/markdown/answer-rows.ts')
        .then((parts) => {
          this.#parts = parts;
          this.#onLoaded();
        })
        .catch(() => {})
        .finally(() => {
          this.#isLoading = false;
        });
    }
    return this.#parts?.AnswerRows ?? null;
  }

  /** What is loaded of it; asks for nothing. */
  readonly colours = (): CodeColours | null => this.#parts?.codeColours ?? null;
}
