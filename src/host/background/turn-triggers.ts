import type { TriggerSource } from './task-triggers.ts';

/** Begins turns without a prompt: ends of tasks, objections of hooks, messages of a team. */
export class TurnTriggers {
  readonly #sources: TriggerSource[] = [];
  readonly #listeners: (() => void)[] = [];

  /** In the order in which the session takes from them. */
  get sources(): readonly TriggerSource[] {
    return this.#sources;
  }

  add(source: TriggerSource): void {
    this.#sources.push(source);
  }

  /** Called when something happened that may begin a turn. */
  wake(): void {
    for (const listener of this.#listeners) listener();
  }

  onWake(listener: () => void): void {
    this.#listeners.push(listener);
  }
}
