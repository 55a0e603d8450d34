import { later } from '../util/later.ts';
import { madeOnce } from '../util/made-once.ts';
import type { AdapterOptions } from './reference-store.ts';
import type { ReferenceSessionStore } from './reference-store-types.ts';
import type { SessionKey, SessionStore } from './store.ts';

/** A store of either kind, as we use it. What makes one of the other kind ours is loaded with its first call. */
export function toSessionStore(
  given: SessionStore | ReferenceSessionStore,
  options: AdapterOptions = {},
): SessionStore {
  if (!isReferenceStore(given)) return given;
  const store = madeOnce(async () => (await import('./reference-store.ts')).fromReferenceStore(given, options));
  return {
    append: async (key, entries, how) => (await store()).append(key, entries, how),
    load: (key) => later(async () => (await store()).load(key)),
    exists: async (key) => (await store()).exists(key),
    list: async (project) => (await store()).list(project),
    ...(given.listSessionSummaries && {
      listSessionSummaries: async (project: string) => (await store()).listSessionSummaries?.(project) ?? [],
    }),
    ...(given.listSubkeys && { subagents: async (key: SessionKey) => (await store()).subagents?.(key) ?? [] }),
    ...(given.delete && { remove: async (key: SessionKey) => (await store()).remove?.(key) }),
  };
}

/** Whether a store was written for the reference: it has neither `list` nor `exists`. */
function isReferenceStore(given: SessionStore | ReferenceSessionStore): given is ReferenceSessionStore {
  return !('list' in given) && !('exists' in given);
}
