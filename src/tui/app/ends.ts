import type { Stage } from '../stage/stage.ts';
import type { Prompts } from './prompt-sender.ts';
import type { Questions } from './questions.ts';
import type { Writing } from './writing.ts';

/** A turn whose terminal is gone may continue for this long. */
const HANGUP_MS = 10 * 60_000;
const HANGUP_CODE = 129;
export const NOBODY = 'The terminal is gone: nobody can answer.';

/** After SIGTERM the turn has this long to end. */
const GRACE_MS = 4000;

export interface EndsParts {
  stage: Stage;
  prompts: Prompts;
  questions: Questions;
  /** Whose the keys are. */
  writing: Pick<Writing, 'state'>;
  /** Resolves when the terminal has been left. */
  ended: Promise<unknown>;
  /** Keeps what is known of an exception in our own code; returns lines about it. */
  report: (error: unknown) => readonly string[];
  /** The session is another process's: leaving does not interrupt it. */
  isGuest?: boolean | undefined;
}

/** How the terminal ends without having been asked by a key: signals, exceptions, a terminal that is gone. */
export class Ends {
  readonly #stage: Stage;
  readonly #prompts: Prompts;
  readonly #questions: Questions;
  readonly #writing: Pick<Writing, 'state'>;
  readonly #ended: Promise<unknown>;
  readonly #report: EndsParts['report'];
  readonly #isGuest: boolean;
  #turnListeners: (() => void)[] = [];
  #isHungUp = false;
  #wasInterrupted = false;

  constructor({ stage, prompts, questions, writing, ended, report, isGuest = false }: EndsParts) {
    this.#stage = stage;
    this.#prompts = prompts;
    this.#questions = questions;
    this.#writing = writing;
    this.#ended = ended;
    this.#report = report;
    this.#isGuest = isGuest;
  }

  /** Nobody looks any more, and the session cannot do without this terminal. */
  get isHungUp(): boolean {
    return this.#isHungUp;
  }

  /**
   * SIGINT interrupts, a second one ends; SIGTERM interrupts and ends; a guest leaves. An exception in our own code gives
   * the terminal back first: whatever happens, the person can read why.
   */
  handleSignals(source: NodeJS.Process): { dispose(): void } {
    const end = (code: number) => {
      const late = setTimeout(() => {
        void this.#stage.leave(code);
        source.exit(code);
      }, GRACE_MS).unref();
      void this.#endTurn()
        .then(() => this.#stage.leave(code))
        .finally(() => clearTimeout(late));
    };
    // Ctrl+C in the person's editor program reaches the whole group of processes: it was meant for that program.
    const isLent = () => this.#writing.state.focus === 'external';
    const onInterrupt = () => (isLent() ? undefined : this.#wasInterrupted ? end(130) : this.#interruptFromOutside());
    const onTerminate = () => end(143);
    const onFailure = (error: unknown) => this.#failed(error);
    source.on('SIGINT', onInterrupt);
    source.on('SIGTERM', onTerminate);
    source.on('uncaughtException', onFailure);
    source.on('unhandledRejection', onFailure);
    return {
      dispose() {
        source.off('SIGINT', onInterrupt);
        source.off('SIGTERM', onTerminate);
        source.off('uncaughtException', onFailure);
        source.off('unhandledRejection', onFailure);
      },
    };
  }

  /** The terminal was being given back. */
  failedToDraw(error: unknown): void {
    this.#report(error);
  }

  turnEnded(): void {
    for (const listener of this.#turnListeners.splice(0)) listener();
    this.#wasInterrupted = false;
    if (this.#isHungUp) void this.#stage.leave(HANGUP_CODE);
  }

  /** Nobody looks any more. The session continues without this host, where it can. */
  hungUp(): void {
    this.#stage.call({ subtype: 'detach' }).then(
      () => this.#stage.leave(HANGUP_CODE),
      () => this.#finish(),
    );
  }

  /** The turn is finished, questions are denials, then the process ends. */
  #finish(): void {
    this.#isHungUp = true;
    this.#questions.denyAll(NOBODY);
    if (!this.#stage.isBusy) void this.#stage.leave(HANGUP_CODE);
    else setTimeout(() => void this.#stage.leave(HANGUP_CODE), HANGUP_MS).unref();
  }

  /** Our own code is wrong somewhere. The session is not, so its turn gets a result. */
  #failed(error: unknown): void {
    if (this.#stage.isBusy && !this.#isGuest) void this.#prompts.interrupt().catch(() => {});
    void this.#stage.leave(1, [...this.#report(error), 'The session is saved: heddle -c continues it.']);
  }

  #interruptFromOutside(): void {
    this.#wasInterrupted = true;
    if (this.#stage.isBusy && !this.#isGuest) void this.#prompts.interrupt();
    else void this.#stage.leave(130);
  }

  /** Resolves when the turn has its result, or there is none. */
  async #endTurn(): Promise<void> {
    if (!this.#stage.isBusy || this.#isGuest) return;
    const over = new Promise<void>((resolve) => this.#turnListeners.push(resolve));
    await Promise.race([over, this.#ended, this.#prompts.interrupt().then(() => over)]);
  }
}
