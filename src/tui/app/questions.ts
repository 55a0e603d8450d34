import type { JsonObject } from '../../util/json.ts';
import type { Question } from '../../view/view.ts';
import type { FocusWorld } from '../focus/focus-state.ts';
import type { Asking, Habits, Outcome } from '../questions/asking.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import type { Size } from '../screen/screen.ts';
import type { Dialog, DialogInput } from '../stage/dialog.ts';
import type { Stage } from '../stage/stage.ts';
import { LateQuestions, type QuestionParts } from './late-questions.ts';
import type { Writing } from './writing.ts';

/** A question takes the keys by itself only when nobody has typed for this long. */
const QUIET_MS = 600;

type Env = Readonly<Record<string, string | undefined>>;

/** Makes a question of the terminal's own. */
export type OwnQuestion = (asking: Asking, parts: QuestionParts) => Dialog;

interface OpenOwnQuestion {
  readonly id: string;
  readonly make: OwnQuestion;
  readonly answered: (body: JsonObject) => void;
}

/** The question that is open, the oldest first; those of the terminal itself before those of the session. */
export class Questions {
  readonly #stage: Stage;
  readonly #writing: Writing;
  readonly #env: Env;
  readonly #late: LateQuestions;
  readonly #own: OpenOwnQuestion[] = [];
  #open: { id: string; dialog: Dialog | null } | null = null;
  #paintedAt: number | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(stage: Stage, writing: Writing, env: Env) {
    this.#stage = stage;
    this.#writing = writing;
    this.#env = env;
    this.#late = new LateQuestions(stage, () => {
      this.changed();
      stage.changed();
    });
  }

  get isOpen(): boolean {
    return this.#current() !== null;
  }

  /** Whether the keys are the question's. */
  get isFocused(): boolean {
    return this.#writing.state.focus === 'question' && this.isOpen;
  }

  /** What keys would do, for the status row. */
  get hint(): string {
    return this.#dialog()?.hint ?? '';
  }

  forFocus(): FocusWorld['question'] {
    if (!this.#current()) return null;
    return {
      paintedAt: this.#paintedAt,
      takesText: this.#dialog()?.takesText ?? false,
      letterAnswers: this.#late.habits.letterAnswers,
    };
  }

  /** A turn has begun: it may ask. */
  prefetch(): void {
    this.#late.parts();
  }

  /** A question was opened, answered or withdrawn. */
  changed(): void {
    this.#dialog();
    this.#writing.settle({ question: this.forFocus(), now: this.#stage.now() });
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (!this.isOpen || this.isFocused) return;
    const wait = this.#writing.state.lastKeyAt + QUIET_MS - this.#stage.now();
    if (wait > 0) this.#timer = setTimeout(() => this.#settleAgain(), wait);
  }

  /** Something else has filled the screen: the question is new to the eye. */
  paintAgain(): void {
    this.#paintedAt = null;
    this.changed();
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  rows(size: Size): RowsWithCaret | null {
    const dialog = this.#dialog();
    if (!dialog) return null;
    this.#paintedAt ??= this.#stage.now();
    return dialog.rows({ columns: size.columns, rows: Math.max(1, size.rows - 4) });
  }

  /** A key for the question, as the focus names it. */
  act(input: DialogInput): void {
    this.#dialog()?.take(input);
  }

  /** A question of the terminal's own. Resolves with its answer. */
  ask(make: OwnQuestion): Promise<JsonObject> {
    return new Promise((resolve) => {
      this.#own.push({ id: `own-${this.#stage.newId()}`, make, answered: resolve });
      this.changed();
      this.#stage.changed();
    });
  }

  /** The session needs no answer any more. Called while the question is still listed. */
  withdrawn(id: string, by: string, answeredBy: string | null): void {
    const question = this.#stage.tracker.view.questions.find((each) => each.id === id);
    const parts = this.#late.parts();
    const what = answeredBy === null ? `\u2717 withdrawn by ${by}` : `\u2713 answered by ${answeredBy}`;
    if (question && parts) this.#stage.print([`${what} \u00b7 ${parts.callInShort(question)}`], 'dim');
  }

  denyAll(message: string): void {
    const { tracker, link } = this.#stage;
    for (const { id, kind } of [...tracker.view.questions]) {
      const answer: JsonObject = kind === 'elicitation' ? { action: 'cancel' } : { behavior: 'deny', message };
      if (link?.answer(id, answer)) this.#stage.take(tracker.answered(id, this.#stage.now()));
    }
  }

  #answer(id: string, body: JsonObject, { text, style = 'dim' }: Outcome): void {
    const own = this.#own.findIndex((each) => each.id === id);
    const [asked] = own === -1 ? [] : this.#own.splice(own, 1);
    if (!asked && !this.#stage.link?.answer(id, body)) return;
    if (text !== '') this.#stage.print([text], style);
    if (asked) asked.answered(body);
    else this.#stage.take(this.#stage.tracker.answered(id, this.#stage.now()));
    this.changed();
    this.#stage.changed();
  }

  #settleAgain(): void {
    this.changed();
    this.#stage.changed();
  }

  /** The dialog of the oldest question; null as long as its code is not loaded. What belongs to an earlier one is forgotten. */
  #dialog(): Dialog | null {
    const question = this.#current();
    if (question?.id !== this.#open?.id) {
      this.#open?.dialog?.closed();
      this.#open = question && { id: question.id, dialog: null };
      this.#paintedAt = null;
    }
    if (!question || !this.#open) return null;
    const parts = this.#late.parts();
    if (!this.#open.dialog && parts) {
      const asking = this.#asking(question.id, parts.habits);
      this.#open.dialog = 'make' in question ? question.make(asking, parts) : parts.openDialog(question, asking);
    }
    return this.#open.dialog;
  }

  #asking(id: string, habits: Habits): Asking {
    const stage = this.#stage;
    const isFocused = () => this.isFocused;
    const count = () => this.#own.length + stage.tracker.view.questions.length;
    return {
      ...{ stage, habits, env: this.#env },
      get position() {
        return count() > 1 ? `1 of ${count()}` : '';
      },
      get isFocused() {
        return isFocused();
      },
      answer: (body, outcome) => this.#answer(id, body, outcome),
      changed: () => stage.changed(),
    };
  }

  #current(): Question | OpenOwnQuestion | null {
    return this.#own[0] ?? this.#stage.tracker.view.questions[0] ?? null;
  }
}
