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
  /** The same as long as input may come: whether a turn may begin by itself. */
  mayBegin(): boolean;
  /** Nothing is at work that is waited for, and nothing begins by itself: it is the host's turn. Null: nobody wants to know. */
  rest: (() => void) | null;
  /** The session is over; what is left is to be stopped. */
  finish(): void;
}

/**
 * When a session has come to rest, and when it is over: it is at rest, and its input has ended (rulings K2, K25, K49).
 * Who reads that it rests may end its input at that word, so what is waited for has to have its time before.
 */
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
    const { onEnd, now, isBusy, isOpen, mayBegin, rest, finish } = this.#options;
    if (this.#isOver || isBusy() || !(this.#inputEnded || rest)) return;
    const isAtWork = this.#inputEnded ? isOpen() : mayBegin();
    if (isAtWork && onEnd === 'wait' && this.#leftMs > 0) {
      this.#waiting ??= { since: now(), timer: startTimer(this.#leftMs, () => this.#late()) };
      return;
    }
    this.#stopWaiting();
    if (this.#inputEnded) {
      this.close();
      finish();
    } else rest?.();
  }

  /** A turn begins: nothing is waited for meanwhile. `isAsked`: somebody has said something, so that all may take its time. */
  pause({ isAsked }: { isAsked: boolean }): void {
    this.#stopWaiting();
    if (isAsked && !this.#inputEnded) this.#leftMs = this.#options.waitMs;
  }

  /** Nothing is waited for any more. */
  close(): void {
    this.#stopWaiting();
    this.#isOver = true;
  }

  #stopWaiting(): void {
    if (!this.#waiting) return;
    clearTimeout(this.#waiting.timer);
    this.#leftMs -= this.#options.now() - this.#waiting.since;
    this.#waiting = null;
  }

  #late(): void {
    this.#waiting = null;
    this.#leftMs = 0;
    this.check();
  }
}
