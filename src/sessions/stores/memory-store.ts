import { Channel } from '../../util/channel.ts';
import type { Clock } from '../../util/runtime.ts';
import type { Entry } from '../../wire/entries.ts';
import { sessionBusy } from '../storage-errors.ts';
import type { CallMark, LeaseHolder, Loaded, SessionKey, SessionStore, SessionSummaryEntry } from '../store.ts';
import { foldSessionSummary } from './summary-of-entries.ts';

/**
 * Sessions in memory, for tests and for hosts that store nothing. Entries are kept as text: callers cannot change
 * stored entries, and values that are not JSON are refused as a file would refuse them.
 *
 * @example
 * ```ts
 * import { createEngine } from 'heddle/engine';
 *
 * const engine = createEngine({ cwd: process.cwd(), store: createMemoryStore() });
 * ```
 */
export function createMemoryStore(options: { clock?: Pick<Clock, 'now'> } = {}): SessionStore {
  const now = options.clock?.now ?? Date.now;
  const transcripts = new Map<string, Transcript>();
  const found = new Map<string, string>();
  const watchers = new Map<string, Set<Channel<string>>>();
  const leases = new Map<string, LeaseHolder & { since: string }>();
  /** A session found by `find` keeps its project, unless the key's own project has one with the same id. */
  const settle = (key: SessionKey): SessionKey => {
    const project = found.get(key.sessionId);
    const own = nameOf({ project: key.project, sessionId: key.sessionId });
    return project === undefined || transcripts.has(own) ? key : { ...key, project };
  };

  return {
    async append(asked, entries) {
      const key = settle(asked);
      const lines = entries.map((entry) => ({ entry, uuid: entry.uuid, text: JSON.stringify(entry) }));
      const transcript = transcripts.get(nameOf(key)) ?? newTranscript(key);
      const fresh = lines.filter(({ uuid }) => isNew(transcript, uuid));
      if (fresh.length === 0) return;
      for (const { text } of fresh) {
        transcript.lines.push(text);
        for (const watcher of watchers.get(nameOf(key)) ?? []) watcher.push(text);
      }
      transcript.lastModified = now();
      const { summary, lastModified: mtime } = transcript;
      transcript.summary = foldSessionSummary(
        summary,
        key,
        fresh.map(({ entry }) => entry),
        { mtime },
      );
      // Re-inserting keeps the map in the order of writing, for which the clock may be too coarse.
      transcripts.delete(nameOf(key));
      transcripts.set(nameOf(key), transcript);
    },

    async *load(key): AsyncGenerator<Loaded, void> {
      const lines = transcripts.get(nameOf(settle(key)))?.lines ?? [];
      for (const [i, text] of lines.entries()) yield { entry: JSON.parse(text) as Entry, line: i + 1 };
    },

    watch(key, { signal }) {
      const name = nameOf(settle(key));
      const texts = new Channel<string>();
      watchers.set(name, (watchers.get(name) ?? new Set()).add(texts));
      const end = () => {
        watchers.get(name)?.delete(texts);
        texts.end();
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
      return numbered(texts);
    },

    has: async (key, uuid) => transcripts.get(nameOf(settle(key)))?.uuids.has(uuid) ?? false,

    exists: async (key) => transcripts.has(nameOf(settle(key))),

    async list(project) {
      const ofProject = [...transcripts.values()].filter(({ key }) => key.project === project && !key.agentId);
      return ofProject.reverse().map(({ key, lastModified }) => ({ sessionId: key.sessionId, lastModified }));
    },

    async subagents(asked) {
      const { project, sessionId } = settle(asked);
      const ofSession = [...transcripts.values()].filter(({ key }) => isPartOf(key, { project, sessionId }));
      return ofSession.flatMap(({ key }) => key.agentId ?? []).sort();
    },

    async listSessionSummaries(project) {
      const ofProject = [...transcripts.values()].filter(({ key }) => key.project === project && !key.agentId);
      return ofProject.flatMap(({ summary }) => (summary ? [structuredClone(summary)] : []));
    },

    async find(sessionId) {
      const newest = [...transcripts.values()].findLast(({ key }) => key.sessionId === sessionId && !key.agentId);
      if (newest) found.set(sessionId, newest.key.project);
      return newest ? { ...newest.key } : null;
    },

    async lease({ sessionId }, { pid, host }) {
      const other = leases.get(sessionId);
      if (other) throw sessionBusy(sessionId, other);
      const own = { pid, host, since: new Date(now()).toISOString() };
      leases.set(sessionId, own);
      return {
        async release() {
          if (leases.get(sessionId) === own) leases.delete(sessionId);
        },
      };
    },

    ...marksInMemory((asked) => nameOf(settle(asked))),
    async remove(asked) {
      const key = settle(asked);
      for (const [name, { key: other }] of transcripts) if (isPartOf(other, key)) transcripts.delete(name);
    },
  };
}

function marksInMemory(nameOfKey: (key: SessionKey) => string): Required<Pick<SessionStore, 'mark' | 'neverStarted'>> {
  const marks = new Map<string, CallMark>();
  return {
    async mark(key, calls, mark) {
      for (const id of calls) marks.set(JSON.stringify([nameOfKey(key), id]), mark);
    },
    async neverStarted(key, calls) {
      return calls.filter((id) => marks.get(JSON.stringify([nameOfKey(key), id])) === 'asked');
    },
  };
}

async function* numbered(texts: AsyncIterable<string>): AsyncGenerator<Loaded, void> {
  let line = 0;
  for await (const text of texts) yield { entry: JSON.parse(text) as Entry, line: ++line };
}

interface Transcript {
  key: SessionKey;
  lines: string[];
  uuids: Set<string>;
  lastModified: number;
  summary?: SessionSummaryEntry;
}

function newTranscript(key: SessionKey): Transcript {
  return { key, lines: [], uuids: new Set(), lastModified: 0 };
}

function isNew(transcript: Transcript, uuid: unknown): boolean {
  if (typeof uuid !== 'string' || uuid === '') return true;
  if (transcript.uuids.has(uuid)) return false;
  transcript.uuids.add(uuid);
  return true;
}

function isPartOf(other: SessionKey, key: SessionKey): boolean {
  if (other.project !== key.project || other.sessionId !== key.sessionId) return false;
  return key.agentId === undefined || key.agentId === other.agentId;
}

function nameOf(key: SessionKey): string {
  return JSON.stringify([key.project, key.sessionId, key.agentId ?? null]);
}
