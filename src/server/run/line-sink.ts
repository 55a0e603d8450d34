import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../util/json.ts';
import { toHeddleError } from '../../wire/errors.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { Holding } from '../ports/holding.ts';

export type LineKind = 'stored' | 'preview' | 'hidden';

export interface SinkOptions {
  events: Pick<EventLog, 'append' | 'preview'>;
  /** `preview`: shown to those who listen now, and not stored; `hidden`: for nobody. */
  kindOf: (line: JsonObject) => LineKind;
  /** Called after a line was stored; the next line waits for it. Undefined: nothing is to be done. */
  noted: (line: JsonObject, holding: Holding) => Promise<void> | undefined;
  /** Whether the session must not go on before the line was noted. */
  isAwaited: (line: JsonObject) => boolean;
}

interface Item {
  line: JsonObject | null;
  effect: (() => void) | null;
  settle: (error: unknown) => void;
}

/** How many lines may wait before the session waits for the log. */
const HIGH_WATER = 64;
/** Pauses before a line that could not be stored is tried again. */
const RETRIES_MS = [50, 200, 1000, 3000];

/**
 * The lines of a session on their way into the log, one after the other: what is stored is stored before anybody sees it,
 * and previews keep their position among the others.
 */
export class LineSink {
  readonly #options: SinkOptions;
  #holding: Holding | null = null;
  readonly #queue: Item[] = [];
  #pumping: Promise<void> | null = null;
  #failure: unknown = null;

  constructor(options: SinkOptions) {
    this.#options = options;
  }

  /** From now on lines are written for this run; null: the session has none, and lines wait. */
  hold(holding: Holding | null): void {
    this.#holding = holding;
    this.#pump();
  }

  /** Rejects when lines cannot be stored any more. */
  write(line: JsonObject): Promise<void> | undefined {
    if (this.#failure) return Promise.reject(this.#failure);
    const isAwaited = this.#options.isAwaited(line) || this.#queue.length >= HIGH_WATER;
    if (!isAwaited) {
      this.#push({ line, effect: null, settle: () => {} });
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.#push({ line, effect: null, settle: (error) => (error ? reject(error) : resolve()) });
    });
  }

  /** Acts when all lines before have been stored and shown. */
  afterwards(effect: () => void): void {
    this.#push({ line: null, effect, settle: () => {} });
  }

  /** Resolves when nothing waits. Never rejects. */
  async flushed(): Promise<void> {
    await this.#pumping;
  }

  get failure(): unknown {
    return this.#failure;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** Nothing is written any more. */
  fail(error: unknown): void {
    this.#failure ??= error;
    for (const item of this.#queue.splice(0)) item.settle(this.#failure);
  }

  #push(item: Item): void {
    this.#queue.push(item);
    this.#pump();
  }

  #pump(): void {
    if (this.#pumping || !this.#holding || this.#failure) return;
    this.#pumping = this.#run().finally(() => {
      this.#pumping = null;
      if (this.#queue.length > 0) this.#pump();
    });
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0 && this.#holding && !this.#failure) {
      const batch = this.#batch();
      try {
        await this.#pass(batch, this.#holding);
        for (const item of batch) item.settle(null);
      } catch (error) {
        this.#failure = error;
        for (const item of [...batch, ...this.#queue.splice(0)]) item.settle(error);
      }
    }
  }

  /** Lines that are stored in one write: up to one that is to be noted. */
  #batch(): Item[] {
    const { kindOf, isAwaited } = this.#options;
    const isStored = (item: Item | undefined) => item?.line != null && kindOf(item.line) === 'stored';
    let size = 0;
    while (isStored(this.#queue[size])) {
      const line = this.#queue[size++]?.line;
      if (line && isAwaited(line)) break;
    }
    return this.#queue.splice(0, Math.max(1, size));
  }

  async #pass(batch: readonly Item[], holding: Holding): Promise<void> {
    const { events, kindOf, noted } = this.#options;
    const lines = batch.map(({ line }) => line).filter((line) => line !== null);
    const [first] = lines;
    if (first && kindOf(first) === 'stored') await this.#store(holding, lines);
    else if (first && kindOf(first) === 'preview') events.preview(holding, first);
    for (const line of lines) await retried(() => noted(line, holding) ?? Promise.resolve());
    for (const { effect } of batch) effect?.();
  }

  #store(holding: Holding, lines: readonly JsonObject[]): Promise<void> {
    return retried(() => this.#options.events.append(holding, lines));
  }
}

/** Passing faults are waited for; a session that is another run's is left at once. */
async function retried(work: () => Promise<void>): Promise<void> {
  for (const ms of RETRIES_MS) {
    try {
      return await work();
    } catch (error) {
      if (toHeddleError(error).code === 'session_taken') throw error;
      await pause(ms);
    }
  }
  return work();
}
