import { startTimer } from '../../util/timer.ts';

export interface EndPolicyOptions {
  /** What happens to work that is left when the input has ended and the last turn is over. */
  onEnd: 'wait' | 'stop';
  /** How long the session waits for background work. Turns in between do not count. */
  waitMs: number;
  now(): number;
  /** Whether a turn is running, or about to begin. */
  isBusy(): boolean;
  /** Whether background work runs, or a trigger waits for its turn. */
  isOpen(): boolean;
  /** Whether a turn may begin by itself. Asked as long as input may come. */
  mayBegin(): boolean;
  /** Called when nothing is at work and no turn begins by itself. Null: the host does not read this state. */
  rest: (() => void) | null;
  /** Called when the session is over. The caller stops what still runs. */
  finish(): void;
}

/**
 * Decides when a session is idle, and when it is over: idle, and its input has ended. A host may end its input as soon as it
 * reads that the session is idle, so that the wait for background work comes before that line.
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

  /** The session calls this whenever a turn or a task has ended. */
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

  /** A turn begins: the clock stops. `isAsked`: the turn answers a message, so that the wait starts from zero again. */
  pause({ isAsked }: { isAsked: boolean }): void {
    this.#stopWaiting();
    if (isAsked && !this.#inputEnded) this.#leftMs = this.#options.waitMs;
  }

  /** Ends all waiting. */
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
