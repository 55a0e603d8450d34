import { isObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { within } from '../../util/timer.ts';
import type { Entry } from '../../wire/entries.ts';
import { HeddleError } from '../../wire/errors.ts';
import { entryJson } from '../files/entry-json.ts';
import { projectSlug } from '../files/project-slug.ts';
import type { Loaded, SessionKey, SessionStore } from '../store.ts';
import { createAppendQueue } from './append-queue.ts';
import type {
  ReferenceSessionKey,
  ReferenceSessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
} from './reference-store-types.ts';

export interface AdapterOptions {
  /** Default: `batched`. */
  flush?: SessionStoreFlush | undefined;
  /** How long one call of `append` may take. */
  appendTimeoutMs?: number;
  /** The waiting times before a rejected call is repeated. */
  retryAfterMs?: readonly number[];
}

/** Turns a store of either kind into a `SessionStore`. */
export function toSessionStore(
  given: SessionStore | ReferenceSessionStore,
  options: AdapterOptions = {},
): SessionStore {
  return isReferenceStore(given) ? fromReferenceStore(given, options) : given;
}

/** Whether a store was written for the reference: it has neither `list` nor `exists`. */
function isReferenceStore(given: SessionStore | ReferenceSessionStore): given is ReferenceSessionStore {
  return !('list' in given) && !('exists' in given);
}

const APPEND_TIMEOUT_MS = 60_000;
const RETRY_AFTER_MS = [100, 400];

/**
 * Adapts a store that was written for the reference. Such a store guarantees less, so the adapter provides the rest:
 * the order of appends, each uuid once, and entries that cannot be changed afterwards.
 */
export function fromReferenceStore(given: ReferenceSessionStore, options: AdapterOptions = {}): SessionStore {
  const { flush = 'batched', appendTimeoutMs = APPEND_TIMEOUT_MS, retryAfterMs = RETRY_AFTER_MS } = options;
  /** A caller that has checked that a session exists reads it next; the entries need not be loaded twice. */
  let peeked: { name: string; entries: Entry[] } | null = null;
  /** By transcript: the uuids that it is known to hold. `isWhole`: the set is complete. */
  const known = new Map<string, { uuids: Set<string>; isWhole: boolean }>();

  /** The entries that the transcript does not hold yet, each uuid once. */
  async function unstored(key: SessionKey, entries: readonly Entry[], areNew: boolean): Promise<Entry[]> {
    const about = known.get(nameOf(key)) ?? { uuids: new Set(), isWhole: false };
    known.set(nameOf(key), about);
    if (!areNew && !about.isWhole && entries.some(({ uuid }) => isName(uuid))) {
      for (const { uuid } of await loadAll(given, key)) if (isName(uuid)) about.uuids.add(uuid);
      about.isWhole = true;
    }
    const seen = new Set<unknown>();
    return entries.filter(({ uuid }) => {
      if (!isName(uuid)) return true;
      if (seen.has(uuid) || (!areNew && about.uuids.has(uuid))) return false;
      return seen.add(uuid);
    });
  }

  const queue = createAppendQueue<SessionKey, Entry>({
    nameOf,
    isEager: flush === 'eager',
    async append(key, entries, areNew) {
      peeked = null;
      const fresh = await unstored(key, entries, areNew);
      if (fresh.length > 0) await hand(key, fresh);
      for (const { uuid } of fresh) if (isName(uuid)) known.get(nameOf(key))?.uuids.add(uuid);
    },
  });

  /** Rejected calls are repeated, as such stores expect; a call that never returns may still do its work. */
  async function hand(key: SessionKey, entries: Entry[]): Promise<void> {
    for (const [attempt, pause] of [...retryAfterMs, null].entries()) {
      const call = () => given.append(keyOf(key), entries as SessionStoreEntry[]).then(() => true as const);
      try {
        if (await within(appendTimeoutMs, call())) return;
      } catch (error) {
        if (pause === null) throw failed('append', `${messageOf(error)} (tried ${attempt + 1} times)`, error);
        await new Promise((resolve) => setTimeout(resolve, pause));
        continue;
      }
      throw failed('append', `it has taken longer than ${appendTimeoutMs} ms`);
    }
  }

  async function subkeys(key: SessionKey): Promise<string[]> {
    const { projectKey, sessionId } = keyOf(key);
    return (await calling('listSubkeys', async () => given.listSubkeys?.({ projectKey, sessionId }))) ?? [];
  }

  return {
    async append(key, entries, { areNew = false } = {}) {
      if (entries.length > 0) await queue.add(key, entries.map(copyOf), areNew);
    },
    async *load(key): AsyncGenerator<Loaded, void> {
      const entries = peeked?.name === nameOf(key) ? peeked.entries : await loadAll(given, key);
      peeked = null;
      for (const [at, entry] of entries.entries()) yield loadedOf(entry, at + 1);
    },
    async exists(key) {
      const entries = await loadAll(given, key);
      peeked = { name: nameOf(key), entries };
      return entries.length > 0;
    },
    async list(project) {
      const { listSessions } = given;
      if (!listSessions) throw new HeddleError('not_supported', `This session store has no listSessions: ${NEEDED}`);
      const listed = await calling('listSessions', () => listSessions.call(given, projectSlug(project)));
      return listed
        .map(({ sessionId, mtime }) => ({ sessionId, lastModified: mtime }))
        .sort((a, b) => b.lastModified - a.lastModified);
    },
    ...(given.listSessionSummaries && {
      listSessionSummaries: async (project: string) =>
        (await calling('listSessionSummaries', async () => given.listSessionSummaries?.(projectSlug(project)))) ?? [],
    }),
    ...(given.listSubkeys && {
      subagents: async (key: SessionKey) =>
        (await subkeys(key)).flatMap((subpath) => /^subagents\/agent-(.+)$/.exec(subpath)?.[1] ?? []).sort(),
    }),
    ...(given.delete && {
      async remove(key: SessionKey) {
        const below = key.agentId === undefined ? await subkeys(key) : [];
        const whole = keyOf(key);
        for (const gone of [...below.map((subpath) => ({ ...whole, subpath })), whole]) {
          await calling('delete', async () => given.delete?.(gone));
        }
        peeked = null;
        known.clear();
      },
    }),
  };
}

const NEEDED = 'name the session to resume, or give the store that method';

async function loadAll(given: ReferenceSessionStore, key: SessionKey): Promise<Entry[]> {
  const loaded = await calling('load', () => given.load(keyOf(key)));
  if (loaded === null || loaded === undefined) return [];
  if (!Array.isArray(loaded)) throw failed('load', 'it must resolve with an array of entries, or null');
  return loaded.map((entry) => copyOf(entry as Entry));
}

async function calling<T>(method: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw failed(method, messageOf(error), error);
  }
}

function failed(method: string, reason: string, cause?: unknown): HeddleError {
  return new HeddleError('storage_failed', `The session store failed (${method}): ${reason}`, { cause });
}

function keyOf({ project, sessionId, agentId }: SessionKey): ReferenceSessionKey {
  const subpath = agentId === undefined ? undefined : `subagents/agent-${agentId}`;
  return { projectKey: projectSlug(project), sessionId, ...(subpath !== undefined && { subpath }) };
}

function nameOf(key: SessionKey): string {
  return JSON.stringify(keyOf(key));
}

/** A copy, so that callers cannot change each other's entries; values that are not JSON are refused. */
function copyOf(entry: Entry): Entry {
  try {
    return JSON.parse(entryJson(entry)) as Entry;
  } catch (error) {
    throw new HeddleError('storage_failed', `An entry is not JSON: ${messageOf(error)}`, { cause: error });
  }
}

function loadedOf(entry: Entry, line: number): Loaded {
  if (isObject(entry) && typeof entry.type === 'string') return { entry, line };
  return { damage: { line, reason: 'not an entry', bytes: JSON.stringify(entry)?.length ?? 0 } };
}

function isName(uuid: unknown): uuid is string {
  return typeof uuid === 'string' && uuid !== '';
}
