import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { SessionSummary } from '../files/transcript-summary.ts';
import type { SessionInfo, SessionKey, SessionStore, SessionSummaryEntry } from '../store.ts';
import { pageOf } from '../stored/list-sessions.ts';
import { foldSessionSummary } from './summary-of-entries.ts';

/** The summary of a session in a store; it has a file only where the store names one. */
export type StoredSummary = Omit<SessionSummary, 'path' | 'fileSize'> &
  Partial<Pick<SessionSummary, 'path' | 'fileSize'>>;

export interface StoreListOptions {
  /** The real path of a working directory. */
  project: string;
  limit?: number;
  offset?: number;
}

/**
 * The sessions of a project in a store, newest first. A stored summary is used where it is as new as the session; the
 * others on the page are loaded.
 */
export async function listStoreSessions(store: SessionStore, options: StoreListOptions): Promise<StoredSummary[]> {
  const { project } = options;
  const kept = new Map((await store.listSessionSummaries?.(project))?.map((each) => [each.sessionId, each]));
  const page = pageOf(await store.list(project), options);
  const summaries: StoredSummary[] = [];
  for (let from = 0; from < page.length; from += AT_ONCE) {
    const group = page.slice(from, from + AT_ONCE).map(async (info) => {
      const key = { project, sessionId: info.sessionId };
      const summary = kept.get(info.sessionId);
      const isNew = summary !== undefined && summary.mtime >= info.lastModified;
      const { data } = isNew ? summary : await summarise(store, key);
      return toSummary(info, data, store.locate?.(key));
    });
    summaries.push(...(await Promise.all(group)));
  }
  return summaries;
}

/** The summary of one session of a store; null when the store does not hold it. */
export async function storeSummary(store: SessionStore, key: SessionKey): Promise<StoredSummary | null> {
  const { data, count } = await summarise(store, key);
  if (count === 0) return null;
  const listed = (await store.list(key.project)).find(({ sessionId }) => sessionId === key.sessionId);
  return toSummary(listed ?? { sessionId: key.sessionId, lastModified: 0 }, data, store.locate?.(key));
}

/** A limit, because a store may have thousands of sessions: each loading one is an open file or a connection. */
const AT_ONCE = 16;

/** Entry by entry: a long session is never in memory as a whole. */
async function summarise(store: SessionStore, key: SessionKey): Promise<SessionSummaryEntry & { count: number }> {
  let summary = foldSessionSummary(undefined, key, []);
  let count = 0;
  for await (const item of store.load(key)) {
    if (!('entry' in item)) continue;
    summary = foldSessionSummary(summary, key, [item.entry]);
    count++;
  }
  return { ...summary, count };
}

/** Data from a store is not trusted to have the right shape. */
function toSummary({ sessionId, lastModified, size }: SessionInfo, data: unknown, path?: string): StoredSummary {
  const details: JsonObject = isObject(data) ? data : {};
  const { createdAt } = details;
  const texts = TEXTS.flatMap((name) => {
    const text = stringField(details, name);
    return text ? [[name, text] as const] : [];
  });
  const known: Partial<Record<(typeof TEXTS)[number], string>> = Object.fromEntries(texts);
  return {
    sessionId,
    summary: known.customTitle ?? known.lastPrompt ?? known.firstPrompt ?? '',
    lastModified,
    ...known,
    ...(typeof createdAt === 'number' && { createdAt }),
    ...(size !== undefined && { fileSize: size }),
    ...(path !== undefined && { path }),
  };
}

const TEXTS = ['customTitle', 'firstPrompt', 'lastPrompt', 'tag', 'gitBranch', 'cwd'] as const;
