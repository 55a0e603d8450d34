import type { JsonObject } from '../../util/json.ts';
import type { Question } from '../../view/view.ts';
import type { FocusWorld } from '../focus/focus-state.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import type { Stage } from '../stage/stage.ts';
import { type Choice, choicesOf, questionRows } from './simple-question.ts';
import type { Writing } from './writing.ts';

/** A question takes the keys by itself only when nobody has typed for this long. */
const QUIET_MS = 600;

/** The question that is open, the oldest first. */
export class Questions {
  readonly #stage: Stage;
  readonly #writing: Writing;
  #id: string | null = null;
  #paintedAt: number | null = null;
  #selected = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(stage: Stage, writing: Writing) {
    this.#stage = stage;
    this.#writing = writing;
  }

  get isOpen(): boolean {
    return this.#current() !== null;
  }

  /** Whether the keys are the question's. */
  get isFocused(): boolean {
    return this.#writing.state.focus === 'question' && this.isOpen;
  }

  forFocus(): FocusWorld['question'] {
    return this.#current() ? { paintedAt: this.#paintedAt, takesText: false } : null;
  }

  /** A question was opened, answered or withdrawn. */
  changed(): void {
    this.#writing.settle({ question: this.forFocus(), now: this.#stage.now() });
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (!this.isOpen || this.isFocused) return;
    const wait = this.#writing.state.lastKeyAt + QUIET_MS - this.#stage.now();
    if (wait > 0) this.#timer = setTimeout(() => this.#settleAgain(), wait);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  rows(): RowsWithCaret | null {
    const question = this.#current();
    if (!question) return null;
    this.#paintedAt ??= this.#stage.now();
    const { questions } = this.#stage.tracker.view;
    const view = { choices: choicesOf(question), selected: this.#selected, isFocused: this.isFocused };
    return questionRows({ question, ...view, count: questions.length }, this.#stage.context);
  }

  /** A key for the question, as the focus names it. */
  act(action: string, text: string | undefined): void {
    const question = this.#current();
    if (!question) return;
    const choices = choicesOf(question);
    if (action === 'confirm:previous') this.#selected = (this.#selected + choices.length - 1) % choices.length;
    else if (action === 'confirm:next') this.#selected = (this.#selected + 1) % choices.length;
    else if (action === 'confirm:yes') this.#choose(question, choices[this.#selected]);
    else if (action === 'confirm:no') this.#choose(question, choices.at(-1));
    else if (action === 'key' && /^[1-9]$/.test(text ?? '')) this.#chooseDigit(question, choices[Number(text) - 1]);
  }

  denyAll(message: string): void {
    const { tracker, link } = this.#stage;
    for (const { id, kind } of [...tracker.view.questions]) {
      const answer: JsonObject = kind === 'elicitation' ? { action: 'cancel' } : { behavior: 'deny', message };
      if (link?.answer(id, answer)) this.#stage.take(tracker.answered(id));
    }
  }

  /** Where the agent asks not to preselect approval, a digit alone does not approve. */
  #chooseDigit(question: Question, choice: Choice | undefined): void {
    const isRisky = question.request.default_to_no === true && choice?.answer.behavior === 'allow';
    if (isRisky) this.#stage.notify('Arrow and enter approve this one.');
    else this.#choose(question, choice);
  }

  #choose({ id }: Question, choice: Choice | undefined): void {
    if (!choice || !this.#stage.link?.answer(id, choice.answer)) return;
    this.#stage.print([choice.outcome], 'dim');
    this.#stage.take(this.#stage.tracker.answered(id));
    this.changed();
  }

  #settleAgain(): void {
    this.changed();
    this.#stage.changed();
  }

  /** The oldest question; what belongs to an earlier one is forgotten. */
  #current(): Question | null {
    const question = this.#stage.tracker.view.questions[0] ?? null;
    if (question?.id !== this.#id) {
      this.#id = question?.id ?? null;
      this.#paintedAt = null;
      const isNo = question?.request.default_to_no === true;
      this.#selected = question && isNo ? choicesOf(question).length - 1 : 0;
    }
    return question;
  }
}
