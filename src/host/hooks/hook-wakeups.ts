import type { Logger } from '../../util/runtime.ts';
import type { TriggerSource, TurnTrigger } from '../background/turn-triggers.ts';

/**
 * Objections of hooks in the background (`asyncRewake`). Each begins a turn that reports the objection to the model.
 */
export interface HookWakes extends TriggerSource {
  /** Called when a hook has ended; null: it has no objection. */
  ended(objection: string | null): void;
  /** Called when the user sends a prompt. Resets the count of wake-ups in a row. */
  prompted(): void;
}

export interface WakeOptions {
  /** Whether a running hook may still object. */
  mayWake(): boolean;
  /** Called when an objection waits, or when no hook can object any more. */
  onTrigger(): void;
  log: Logger;
}

/** Bounds a loop: the turn after an objection may lead to the next objection of the same hook. */
const MAX_IN_A_ROW = 20;

export function createWakes({ mayWake, onTrigger, log }: WakeOptions): HookWakes {
  let waiting: string[] = [];
  let inARow = 0;
  return {
    ended(objection) {
      if (objection !== null && inARow < MAX_IN_A_ROW) waiting.push(objection);
      else if (objection !== null) log('warn', `Hooks have woken the model ${MAX_IN_A_ROW} times: this one does not`);
      onTrigger();
    },
    prompted() {
      inARow = 0;
    },
    isOpen: () => waiting.length > 0 || mayWake(),
    async take(): Promise<TurnTrigger | null> {
      const text = waiting.join('\n\n');
      waiting = [];
      if (text === '') return null;
      inARow++;
      return { text, lines: [], origin: { kind: 'auto-continuation' } };
    },
  };
}
