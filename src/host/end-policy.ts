import { startTimer } from '../util/timer.ts';

export interface EndPolicyOptions {
  /** What becomes of work that is left when the input has ended and the last turn is over. */
  onEnd: 'wait' | 'stop';
  /** How long it is waited for. */
  waitMs: number;
  /** Whether something is still at work, or waits to be told. */
  isOpen(): boolean;
  isBusy(): boolean;
  /** Nothing is left: the session is over. */
  finish(): void;
  /** It was waited for long enough: what is left is to be stopped. */
  giveUp(): void;
}

/** When a session is over: its input has ended and nothing that it has started is left (rulings K2, K25). */
export class EndPolicy {
  readonly #options: EndPolicyOptions;
  #inputEnded = false;
  #isLate = false;
  #isOver = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(options: EndPolicyOptions) {
    this.#options = options;
  }

  get inputEnded(): boolean {
    return this.#inputEnded;
  }

  endInput(): void {
    this.#inputEnded = true;
    this.check();
  }

  /** To be called whenever a turn or a task has ended. */
  check(): void {
    const { isOpen, isBusy, finish, giveUp, onEnd, waitMs } = this.#options;
    if (!this.#inputEnded || this.#isOver || isBusy()) return;
    if (isOpen() && onEnd === 'wait' && !this.#isLate) {
      this.#timer ??= startTimer(waitMs, () => this.#late());
      return;
    }
    this.close();
    if (isOpen()) giveUp();
    else finish();
  }

  /** A turn that is running then is not cut off: what is left is stopped behind it. */
  #late(): void {
    this.#isLate = true;
    this.check();
  }

  /** Nothing is waited for any more. */
  close(): void {
    this.#isOver = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
