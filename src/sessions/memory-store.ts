import type { Clock } from '../util/runtime.ts';
import type { Entry } from '../wire/entries.ts';
import type { Loaded, SessionKey, SessionStore } from './store.ts';

/**
 * Sessions in memory, for tests and for hosts that keep nothing. Entries are kept as text: what is handed out cannot
 * change what is stored, and what cannot be JSON is refused as a file would refuse it.
 */
export function createMemoryStore(options: { clock?: Pick<Clock, 'now'> } = {}): SessionStore {
  const now = options.clock?.now ?? Date.now;
  const transcripts = new Map<string, Transcript>();

  return {
    async append(key, entries) {
      const lines = entries.map((entry) => ({ uuid: entry.uuid, text: JSON.stringify(entry) }));
      const transcript = transcripts.get(nameOf(key)) ?? newTranscript(key);
      const fresh = lines.filter(({ uuid }) => isNew(transcript, uuid));
      if (fresh.length === 0) return;
      transcript.lines.push(...fresh.map(({ text }) => text));
      transcript.lastModified = now();
      // Re-inserting keeps the map in the order of writing, which the clock may be too coarse to tell.
      transcripts.delete(nameOf(key));
      transcripts.set(nameOf(key), transcript);
    },

    async *load(key): AsyncGenerator<Loaded, void> {
      const lines = transcripts.get(nameOf(key))?.lines ?? [];
      for (const [i, text] of lines.entries()) yield { entry: JSON.parse(text) as Entry, line: i + 1 };
    },

    exists: async (key) => transcripts.has(nameOf(key)),

    async list(project) {
      const ofProject = [...transcripts.values()].filter(({ key }) => key.project === project && !key.agentId);
      return ofProject.reverse().map(({ key, lastModified }) => ({ sessionId: key.sessionId, lastModified }));
    },

    async remove(key) {
      for (const [name, { key: other }] of transcripts) if (isPartOf(other, key)) transcripts.delete(name);
    },
  };
}

interface Transcript {
  key: SessionKey;
  lines: string[];
  uuids: Set<string>;
  lastModified: number;
}

function newTranscript(key: SessionKey): Transcript {
  return { key, lines: [], uuids: new Set(), lastModified: 0 };
}

function isNew(transcript: Transcript, uuid: unknown): boolean {
  if (typeof uuid !== 'string') return true;
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
