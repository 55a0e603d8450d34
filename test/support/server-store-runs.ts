import { randomUUID } from 'node:crypto';
import type { ServerStore } from '../../src/server/ports/server-store.ts';
import type { SessionRecord } from '../../src/server/ports/session-records.ts';
import type { Activation } from '../../src/server/ports/turn-engine.ts';

/** A store of a server to try: empty at first, and the same one again after its process has ended. */
export interface StoreLab {
  open(): Promise<ServerStore>;
}

/** Each gets an empty store. */
export type StoreCases = Record<string, (store: ServerStore, lab: StoreLab) => Promise<void>>;

/** How many messages of a session may wait in the stores that are tried. */
export const WAITING_LIMIT = 5;

export const newId = (): string => randomUUID();

export function message(sessionId: string, content: string, uuid = newId()) {
  return { sessionId, uuid, line: { type: 'user', message: { role: 'user', content }, uuid }, by: 'token' };
}

export function recordOf(id: string, fields: Partial<SessionRecord> = {}): SessionRecord {
  return {
    ...{ id, tenant: 'local', workspace: { kind: 'directory', path: '/' }, config: {}, title: null, tag: null },
    ...{ isArchived: false, createdAt: 1, changedAt: 1, initialize: null, ...fields },
  };
}

/** A run that goes on until it is ended. */
export interface OpenRun {
  activation: Activation;
  end(): void;
  fail(error: Error): void;
}

/** Starts the engine of a store, and hands out its runs one after the other. */
export class Runs {
  readonly all: OpenRun[] = [];
  #taken = 0;
  #wake: () => void = () => {};

  static async of(store: ServerStore): Promise<Runs> {
    const runs = new Runs();
    await store.engine.start((activation) => {
      return new Promise<void>((resolve, reject) => {
        runs.all.push({ activation, end: resolve, fail: reject });
        activation.lost.addEventListener('abort', () => resolve(), { once: true });
        runs.#wake();
      });
    });
    return runs;
  }

  async next(): Promise<OpenRun> {
    while (this.all.length <= this.#taken) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.all[this.#taken++] as OpenRun;
  }
}

/** A session with a message, and the run that has it. */
export async function running(store: ServerStore): Promise<{ id: string; uuid: string; run: OpenRun; runs: Runs }> {
  const id = newId();
  await store.sessions.create(recordOf(id));
  const runs = await Runs.of(store);
  const first = message(id, 'one');
  await store.engine.post(first);
  return { id, uuid: first.uuid, run: await runs.next(), runs };
}
