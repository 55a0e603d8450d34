import { plural } from '../rows/blocks/amounts.ts';
import type { Stage } from '../stage/stage.ts';

/** So long nothing runs until the work counts as over: the end of a task can begin a turn. */
const QUIET_MS = 1000;

/** What leaving does to the session. */
export interface LeavingWays {
  interrupt(): Promise<void>;
  /** At once. */
  leaveNow(): void;
}

/** Leaves where nothing runs; else asks whether to wait, detach or stop. */
export class Leaving {
  readonly #stage: Stage;
  readonly #ways: LeavingWays;
  #waits = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(stage: Stage, ways: LeavingWays) {
    this.#stage = stage;
    this.#ways = ways;
  }

  leave(): void {
    const running = this.#running();
    // The session of another process does without this terminal.
    if (running === '' || this.#stage.place.isGuest) this.#ways.leaveNow();
    else this.#ask(running).catch(() => this.#ways.leaveNow());
  }

  /** The person works again: the session stays open. */
  stay(): void {
    this.#waits = false;
    this.changed();
  }

  /** The work may be over, or there is more of it. */
  changed(): void {
    const isOver = this.#waits && this.#running() === '';
    if (isOver === (this.#timer !== null)) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = isOver ? setTimeout(() => this.#ways.leaveNow(), QUIET_MS) : null;
  }

  async #ask(running: string): Promise<void> {
    const { askChoice } = await import('../commands/run-command.ts');
    const stage = this.#stage;
    askChoice(stage, `Still running: ${running}`, [
      { text: 'Wait, and leave when it is over', run: () => this.#wait() },
      { text: 'Detach: the session continues without this terminal', run: () => stage.command('/detach') },
      { text: 'Stop it, and leave', run: () => void this.#ways.interrupt().finally(() => this.#ways.leaveNow()) },
    ]);
  }

  #wait(): void {
    this.#waits = true;
    this.#stage.notify('Leaves when the work is over; a prompt keeps the session open.');
    this.changed();
  }

  #running(): string {
    const { tasks, queue } = this.#stage.tracker.view;
    return [
      ...(this.#stage.isBusy ? ['a turn'] : []),
      ...(tasks.length > 0 ? [plural(tasks.length, 'task')] : []),
      ...(queue.length > 0 ? [plural(queue.length, 'prompt')] : []),
    ].join(', ');
  }
}
