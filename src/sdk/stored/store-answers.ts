import type { Loaded, SessionKey, SessionStore } from '../../sessions/store.ts';
import { toSessionStore } from '../../sessions/stores/reference-store.ts';
import type { ReferenceSessionStore, SessionStoreFlush } from '../../sessions/stores/reference-store-types.ts';
import { isObject, stringField } from '../../util/json.ts';
import { within } from '../../util/timer.ts';
import type { Entry } from '../../wire/entries.ts';
import { ControlError } from '../../wire/errors.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import { LOAD_TIMEOUT_MS } from './load-timeout.ts';

/**
 * The answers to the agent's store requests, from a store of this program. Reading has a time limit: without one, a
 * store that hangs would block a resume for ever.
 */
export function storeAnswers(
  given: SessionStore | ReferenceSessionStore,
  { loadTimeoutMs = LOAD_TIMEOUT_MS, sessionStoreFlush: flush }: StoreOptions,
): Record<string, (request: ControlBody) => Promise<unknown>> {
  const store = toSessionStore(given, { flush });
  return {
    async store_append(request) {
      if (!Array.isArray(request.entries)) throw new ControlError('entries must be an array', 'invalid_request');
      await store.append(keyOf(request), request.entries as Entry[]);
      return {};
    },
    async store_load(request) {
      const loaded = store.load(keyOf(request));
      return { entries: await inTime('load', loadTimeoutMs, (signal) => entriesOf(loaded, signal)) };
    },
    async store_list(request) {
      const project = stringField(request, 'project') ?? '';
      const sessions = await inTime('list', loadTimeoutMs, () => store.list(project));
      return {
        sessions: sessions.map(({ sessionId, lastModified, size }) => ({
          session_id: sessionId,
          last_modified: lastModified,
          ...(size !== undefined && { size }),
        })),
      };
    },
  };
}

interface StoreOptions {
  loadTimeoutMs?: number | undefined;
  sessionStoreFlush?: SessionStoreFlush | undefined;
}

/** All loaded entries. Stops when the signal aborts, because no one needs the rest. */
async function entriesOf(loaded: AsyncIterable<Loaded>, signal: AbortSignal): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const item of loaded) {
    if (signal.aborted) break;
    if ('entry' in item) entries.push(item.entry);
  }
  return entries;
}

async function inTime<T>(method: string, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const done = await within(ms, work(late.signal));
  if (done !== null) return done;
  late.abort();
  const advice = 'See to it that the store can be reached, or raise loadTimeoutMs';
  throw new ControlError(`sessionStore.${method}() has taken longer than ${ms} ms. ${advice}`, 'storage_timeout');
}

function keyOf({ key }: ControlBody): SessionKey {
  const project = stringField(key, 'project');
  const sessionId = stringField(key, 'session_id');
  if (!isObject(key) || project === undefined || sessionId === undefined) {
    throw new ControlError('key must name a project and a session_id', 'invalid_request');
  }
  const agentId = stringField(key, 'agent_id');
  return { project, sessionId, ...(agentId !== undefined && { agentId }) };
}
