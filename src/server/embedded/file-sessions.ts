import { isObject, type JsonObject } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import type {
  SessionFilter,
  SessionPage,
  SessionRecord,
  SessionRecords,
  SessionState,
} from '../ports/session-records.ts';
import { compacted } from './compact.ts';
import type { Epochs } from './epochs.ts';
import { Journal } from './journal.ts';

export interface FileSessions extends SessionRecords {
  ids(): string[];
  /** A session waits for its run. */
  queued(id: string): void;
  /** Whether its run waits for an answer. */
  isAsking(id: string): boolean;
  /** Calls the listener after each report of a run. */
  onReport(listener: () => void): void;
  close(): Promise<void>;
}

/** The records of all sessions, in one file that grows by a line for each change. Their states are in memory. */
export async function fileSessions(
  path: string,
  { epochs, now, sync }: { epochs: Epochs; now: () => number; sync: boolean },
): Promise<FileSessions> {
  const all = new Map<string, SessionRecord>();
  const states = new Map<string, SessionState>();
  const listeners: (() => void)[] = [];
  const journal = new Journal(path, { sync });
  for (const row of await journal.rows()) {
    if (typeof row.removed === 'string') all.delete(row.removed);
    else if (typeof row.id === 'string' && isObject(row.workspace)) all.set(row.id, row as unknown as SessionRecord);
  }
  await compacted(journal, [...all.values()]);
  const store = (record: SessionRecord) => journal.append([record as unknown as JsonObject]);

  return {
    async create(record) {
      if (all.has(record.id)) throw sessionExists(record.id);
      all.set(record.id, record);
      try {
        await store(record);
      } catch (error) {
        all.delete(record.id);
        throw error;
      }
    },
    async get(tenant, id) {
      const record = all.get(id);
      return record?.tenant === tenant ? record : null;
    },
    find: async (id) => all.get(id) ?? null,
    list: async (filter) =>
      pageOf(
        [...all.values()].filter((each) => fits(each, filter)),
        filter,
      ),
    async change(id, fields) {
      const record = all.get(id);
      if (!record) return null;
      const changed = { ...record, ...fields, changedAt: now() };
      await store(changed);
      all.set(id, changed);
      return changed;
    },
    async remove(id) {
      if (!all.has(id)) return;
      await journal.append([{ removed: id }]);
      all.delete(id);
      states.delete(id);
    },
    async report(holding, state) {
      epochs.check(holding);
      if (state === 'idle') states.delete(holding.sessionId);
      else states.set(holding.sessionId, state);
      for (const listener of listeners) listener();
    },
    state: async (id) => states.get(id) ?? 'idle',
    ids: () => [...all.keys()],
    queued(id) {
      if (!states.has(id)) states.set(id, 'queued');
    },
    isAsking: (id) => states.get(id) === 'requires_action',
    onReport: (listener) => void listeners.push(listener),
    close: () => journal.close(),
  };
}

function fits({ tenant, isArchived, tag, title, id }: SessionRecord, filter: SessionFilter): boolean {
  const { query } = filter;
  if (tenant !== filter.tenant) return false;
  if (filter.isArchived !== undefined && isArchived !== filter.isArchived) return false;
  if (filter.tag !== undefined && tag !== filter.tag) return false;
  return query === undefined || id.startsWith(query) || (title ?? '').toLowerCase().includes(query.toLowerCase());
}

/** Newest first. The cursor names the last one of the page before. */
function pageOf(records: SessionRecord[], { limit, cursor }: SessionFilter): SessionPage {
  const sorted = records.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  const [, time, id] = /^(\d+)_([\w-]+)$/.exec(cursor ?? '') ?? [];
  const isBehind = (each: SessionRecord) =>
    time === undefined || each.createdAt < Number(time) || (each.createdAt === Number(time) && each.id < String(id));
  const rest = sorted.filter(isBehind);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { records: page, cursor: last && rest.length > limit ? `${last.createdAt}_${last.id}` : null };
}

function sessionExists(id: string): HeddleError {
  const message = `There is a session ${id} already: post messages to it, or leave out the id`;
  return new HeddleError('session_exists', message, { facts: { id } });
}
