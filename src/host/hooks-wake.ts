import type { Logger } from '../util/runtime.ts';
import type { News, NewsSource } from './session-tasks.ts';

/** What hooks in the background object to (`asyncRewake`): each time a turn begins in which the model hears of it. */
export interface HookWakes extends NewsSource {
  /** One is over; null: it has no objection. */
  ended(objection: string | null): void;
  /** Somebody has said something, so that hooks may wake the model as often as before. */
  prompted(): void;
}

export interface WakeOptions {
  /** Whether one is at work that may object. */
  mayWake(): boolean;
  /** There are news, or there will be none. */
  onNews(): void;
  log: Logger;
}

/** A hook whose objection leads to a turn that the hook objects to would go on for ever. */
const MAX_IN_A_ROW = 20;

export function createWakes({ mayWake, onNews, log }: WakeOptions): HookWakes {
  let waiting: string[] = [];
  let inARow = 0;
  return {
    ended(objection) {
      if (objection !== null && inARow < MAX_IN_A_ROW) waiting.push(objection);
      else if (objection !== null) log('warn', `Hooks have woken the model ${MAX_IN_A_ROW} times: this one does not`);
      onNews();
    },
    prompted() {
      inARow = 0;
    },
    isOpen: () => waiting.length > 0 || mayWake(),
    async take(): Promise<News | null> {
      const text = waiting.join('\n\n');
      waiting = [];
      if (text === '') return null;
      inARow++;
      return { text, lines: [], origin: { kind: 'auto-continuation' } };
    },
  };
}
