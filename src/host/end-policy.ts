import { startTimer } from '../util/timer.ts';

export interface EndPolicyOptions {
  /** What becomes of work that is left when the input has ended and the last turn is over. */
  onEnd: 'wait' | 'stop';
  /** How long it is waited for, turns in between not counted. */
  waitMs: number;
  now(): number;
  /** Whether a turn is running, or about to begin. */
  isBusy(): boolean;
  /** Whether something is still at work, or waits to be told. */
  isOpen(): boolean;
  /** The session is over; what is left is to be stopped. */
  finish(): void;
}

/** When a session is over: its input has ended and nothing that it has started is left (rulings K2, K25). */
export class EndPolicy {
  readonly #options: EndPolicyOptions;
  #inputEnded = false;
  #isOver = false;
  #leftMs: number;
  #waiting: { timer: ReturnType<typeof setTimeout>; since: number } | null = null;

  constructor(options: EndPolicyOptions) {
    this.#options = options;
    this.#leftMs = options.waitMs;
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
    const { onEnd, now, isBusy, isOpen, finish } = this.#options;
    if (!this.#inputEnded || this.#isOver || isBusy()) return;
    if (!isOpen() || onEnd === 'stop' || this.#leftMs <= 0) {
      this.close();
      finish();
      return;
    }
    this.#waiting ??= { since: now(), timer: startTimer(this.#leftMs, () => this.#late()) };
  }

  /** A turn begins: nothing is waited for meanwhile. */
  pause(): void {
    if (!this.#waiting) return;
    clearTimeout(this.#waiting.timer);
    this.#leftMs -= this.#options.now() - this.#waiting.since;
    this.#waiting = null;
  }

  /** Nothing is waited for any more. */
  close(): void {
    this.pause();
    this.#isOver = true;
  }

  #late(): void {
    this.#waiting = null;
    this.#leftMs = 0;
    this.check();
  }
}
