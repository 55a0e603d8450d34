import {
  deleteSession,
  type ForkSessionResult,
  foldSessionSummary,
  forkSession,
  type GetSessionMessagesOptions,
  getSessionMessages,
  InMemorySessionStore,
  importSessionToStore,
  listSessions,
  query,
  type SDKSessionInfo,
  type SessionKey,
  type SessionMessage,
  type SessionMutationOptions,
  type SessionStore,
  type SessionStoreEntry,
  type SessionStoreFlush,
  type SessionSummaryEntry,
} from '@anthropic-ai/claude-agent-sdk';

/** In place of a table of a database. */
interface Row {
  key: SessionKey;
  entry: SessionStoreEntry;
  at: number;
}

class TableStore implements SessionStore {
  readonly rows: Row[] = [];
  readonly summaries = new Map<string, SessionSummaryEntry>();

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const mtime = Date.now();
    this.rows.push(...entries.map((entry) => ({ key, entry, at: mtime })));
    if (key.subpath !== undefined) return;
    this.summaries.set(key.sessionId, foldSessionSummary(this.summaries.get(key.sessionId), key, entries, { mtime }));
  }

  async load({ projectKey, sessionId, subpath }: SessionKey): Promise<SessionStoreEntry[] | null> {
    const found = this.rows.filter(
      ({ key }) => key.projectKey === projectKey && key.sessionId === sessionId && key.subpath === subpath,
    );
    return found.length === 0 ? null : found.map(({ entry }) => entry);
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    return this.rows.filter(({ key }) => key.projectKey === projectKey).map(({ key, at }) => ({ ...key, mtime: at }));
  }

  async listSessionSummaries(): Promise<SessionSummaryEntry[]> {
    return [...this.summaries.values()];
  }

  async delete({ sessionId }: SessionKey): Promise<void> {
    this.rows.splice(0, this.rows.length, ...this.rows.filter(({ key }) => key.sessionId !== sessionId));
  }

  async listSubkeys({ sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    return this.rows.flatMap(({ key }) => (key.sessionId === sessionId && key.subpath ? [key.subpath] : []));
  }
}

/** Around any other store. */
class CountingStore implements SessionStore {
  loaded = 0;
  readonly inner: SessionStore;
  constructor(inner: SessionStore) {
    this.inner = inner;
  }
  append = (key: SessionKey, entries: SessionStoreEntry[]) => this.inner.append(key, entries);
  async load(key: SessionKey) {
    const entries = await this.inner.load(key);
    this.loaded += entries?.length ?? 0;
    return entries?.map((entry) => ({ ...entry, timestamp: entry.timestamp ?? '' })) ?? null;
  }
}

export async function keep(sessionId: string, flush: SessionStoreFlush): Promise<number> {
  const sessionStore = new CountingStore(new TableStore());
  const memory = new InMemorySessionStore();
  for await (const message of query({
    prompt: 'hello',
    options: { sessionStore, sessionStoreFlush: flush, resume: sessionId, loadTimeoutMs: 1000 },
  })) {
    console.log(message.type);
  }
  await importSessionToStore(sessionId, memory, { batchSize: 10 });
  const place: SessionMutationOptions = { sessionStore: memory };
  const copy: ForkSessionResult = await forkSession(sessionId, { ...place, title: 'A copy' });
  const page: GetSessionMessagesOptions = { ...place, limit: 10, includeSystemMessages: true };
  const messages: SessionMessage[] = await getSessionMessages(copy.sessionId, page);
  const sessions: SDKSessionInfo[] = await listSessions({ sessionStore: memory, limit: 5 });
  await deleteSession(copy.sessionId, place);
  const entries = memory.getEntries({ projectKey: '-srv', sessionId });
  memory.clear();
  return messages.length + sessions.length + entries.length + memory.size;
}
