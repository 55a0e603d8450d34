import { entryJson } from '../files/entry-json.ts';
import type { SessionSummaryEntry } from '../store.ts';
import type { ReferenceSessionKey, ReferenceSessionStore, SessionStoreEntry } from './reference-store-types.ts';
import { foldSessionSummary } from './summary-of-entries.ts';

/**
 * Sessions in memory, with the keys and methods of the reference's SDK: for tests, and to see what a store receives.
 * Lost when the process ends. `createMemoryStore` of `heddle/stores/memory` is the equivalent for the engine.
 *
 * @example
 * ```ts
 * const sessionStore = new InMemorySessionStore();
 * for await (const message of query({ prompt: 'hello', options: { sessionStore } })) console.log(message.type);
 * console.log(sessionStore.size);
 * ```
 */
export class InMemorySessionStore implements ReferenceSessionStore {
  /** Stored as text, so that callers cannot change stored entries. By transcript, in the order of the last write. */
  readonly #transcripts = new Map<string, { key: ReferenceSessionKey; texts: string[]; mtime: number }>();
  readonly #summaries = new Map<string, SessionSummaryEntry>();
  #lastMtime = 0;

  /** The number of transcripts, including those of subagents. */
  get size(): number {
    return this.#transcripts.size;
  }

  async append(key: ReferenceSessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const texts = entries.map((entry) => entryJson(entry));
    const before = this.#transcripts.get(nameOf(key))?.texts ?? [];
    // Keeps two writes in the same millisecond in order.
    this.#lastMtime = Math.max(Date.now(), this.#lastMtime + 1);
    const mtime = this.#lastMtime;
    this.#transcripts.set(nameOf(key), { key: { ...key }, texts: [...before, ...texts], mtime });
    if (key.subpath !== undefined) return;
    this.#summaries.set(nameOf(key), foldSessionSummary(this.#summaries.get(nameOf(key)), key, entries, { mtime }));
  }

  /** Null where nothing was written. */
  async load(key: ReferenceSessionKey): Promise<SessionStoreEntry[] | null> {
    return this.#transcripts.has(nameOf(key)) ? this.getEntries(key) : null;
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    return this.#of(projectKey)
      .filter(({ key }) => key.subpath === undefined)
      .map(({ key, mtime }) => ({ sessionId: key.sessionId, mtime }));
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const sessions = this.#of(projectKey).map(({ key }) => this.#summaries.get(nameOf(key)));
    return sessions.flatMap((summary) => (summary ? [structuredClone(summary)] : []));
  }

  /** Deletes a session and its subagents; with a `subpath`, only that transcript. */
  async delete(key: ReferenceSessionKey): Promise<void> {
    for (const { key: stored } of this.#of(key.projectKey)) {
      if (stored.sessionId !== key.sessionId) continue;
      if (key.subpath !== undefined && stored.subpath !== key.subpath) continue;
      this.#transcripts.delete(nameOf(stored));
      this.#summaries.delete(nameOf(stored));
    }
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    const subpaths = this.#of(key.projectKey).map(({ key: stored }) =>
      stored.sessionId === key.sessionId ? stored.subpath : undefined,
    );
    return subpaths.filter((subpath) => subpath !== undefined);
  }

  /** The entries of a transcript, for tests; empty where nothing was written. */
  getEntries(key: ReferenceSessionKey): SessionStoreEntry[] {
    return (this.#transcripts.get(nameOf(key))?.texts ?? []).map((text) => JSON.parse(text) as SessionStoreEntry);
  }

  clear(): void {
    this.#transcripts.clear();
    this.#summaries.clear();
  }

  #of(projectKey: string) {
    return [...this.#transcripts.values()].filter(({ key }) => key.projectKey === projectKey);
  }
}

function nameOf({ projectKey, sessionId, subpath }: ReferenceSessionKey): string {
  return JSON.stringify([projectKey, sessionId, subpath ?? null]);
}
