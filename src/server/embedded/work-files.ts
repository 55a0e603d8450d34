import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../sessions/files/session-folders.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { InboxMessage, Posted } from '../ports/turn-engine.ts';
import type { Turns } from '../ports/turns.ts';
import type { Epochs } from './epochs.ts';
import { OpenFiles } from './open-files.ts';
import { WorkFile } from './work-file.ts';

/** How many sessions have their file open. */
const MOST_OPEN = 200;

export interface WorkFiles {
  readonly inbox: Inbox;
  readonly turns: Turns;
  post(message: InboxMessage, limit: number): Promise<Posted>;
  /** Whether a message has no answer, or a turn no end. */
  hasWork(sessionId: string): Promise<boolean>;
  /** The sessions that have a file. */
  ids(): string[];
  remove(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

/** The messages and turns of sessions: `inbox/<id>.jsonl`. */
export function workFiles(
  folder: string,
  { epochs, now, sync }: { epochs: Epochs; now: () => number; sync: boolean },
): WorkFiles {
  const pathOf = (sessionId: string) => join(folder, `${sessionId}.jsonl`);
  /** Sessions whose file must stay: it knows in memory what was taken. */
  const busy = new Map<string, number>();
  const files = new OpenFiles<WorkFile>({
    load: (sessionId) => WorkFile.load(pathOf(sessionId), { sync }),
    most: MOST_OPEN,
    mayClose: (sessionId) => !busy.has(sessionId),
  });
  const listeners = new Map<string, Set<() => void>>();

  return {
    inbox: {
      open: async (sessionId) => (await files.get(sessionId)).open(),
      get: async (sessionId, uuid) => (await files.get(sessionId)).row(uuid),
      async take(holding, uuid) {
        epochs.check(holding);
        return (await files.get(holding.sessionId)).take(uuid);
      },
      async settle(holding, uuids, state) {
        epochs.check(holding);
        await (await files.get(holding.sessionId)).settle(uuids, state);
      },
      async cancel(sessionId, uuid) {
        const file = await files.get(sessionId);
        const row = file.row(uuid);
        if (!row) return 'unknown';
        if (row.state === 'cancelled') return 'cancelled';
        if (row.state !== 'waiting') return 'taken';
        await file.settle([uuid], 'cancelled');
        return 'cancelled';
      },
      onPosted(sessionId, listener) {
        const own = listeners.get(sessionId) ?? new Set();
        listeners.set(sessionId, own.add(listener));
        busy.set(sessionId, (busy.get(sessionId) ?? 0) + 1);
        return () => {
          if (!own.delete(listener)) return;
          if (own.size === 0 && listeners.get(sessionId) === own) listeners.delete(sessionId);
          const left = (busy.get(sessionId) ?? 1) - 1;
          if (left > 0) busy.set(sessionId, left);
          else busy.delete(sessionId);
        };
      },
    },
    turns: {
      async begin(holding, messages) {
        epochs.check(holding);
        return (await files.get(holding.sessionId)).begin(messages, now());
      },
      async end(holding, end) {
        epochs.check(holding);
        return (await files.get(holding.sessionId)).end(end, now());
      },
      unfinished: async (sessionId) => (await files.get(sessionId)).unfinished(),
      async list(sessionId, { before = Number.POSITIVE_INFINITY, limit }) {
        const { turns } = await files.get(sessionId);
        return turns
          .filter(({ no }) => no < before)
          .slice(-limit)
          .reverse();
      },
      get: async (sessionId, no) => (await files.get(sessionId)).turns.find((turn) => turn.no === no) ?? null,
    },
    async post(message, limit) {
      const { sessionId } = message;
      const posted = await (await files.get(sessionId)).post(message, { limit, now: now() });
      if (posted.isNew) for (const listener of listeners.get(sessionId) ?? []) listener();
      return posted;
    },
    async hasWork(sessionId) {
      const file = await files.get(sessionId);
      return file.open().length > 0 || file.unfinished() !== null;
    },
    ids: () => namesIn(folder).flatMap((name) => (name.endsWith('.jsonl') ? [name.slice(0, -'.jsonl'.length)] : [])),
    async remove(sessionId) {
      await files.drop(sessionId);
      rmSync(pathOf(sessionId), { force: true });
    },
    close: () => files.close(),
  };
}
