import type { SessionKey, SessionStore } from '../../sessions/store.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Entry } from '../../wire/entries.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Peer } from '../../wire/link/peer.ts';

/**
 * A store that the host keeps, reached by control requests. Nothing is stored on this machine. A failure of the store ends
 * the turn, like a failure of the disk.
 */
export function hostStore(peer: Pick<Peer, 'call'>): SessionStore {
  const ask = async (request: JsonObject & { subtype: string }): Promise<JsonObject> => {
    try {
      const answer = await peer.call(request);
      return isObject(answer) ? answer : {};
    } catch (error) {
      const message = `The session store of the host failed (${request.subtype}): ${messageOf(error)}`;
      throw new HeddleError('storage_failed', message, { cause: error });
    }
  };
  /** The answer to `exists` for the `load` that follows it, so that a session is not sent twice. */
  const loaded = new Map<string, Entry[]>();
  const fetch = async (key: SessionKey): Promise<Entry[]> => {
    const { entries } = await ask({ subtype: 'store_load', key: wireKey(key) });
    if (!Array.isArray(entries)) throw unreadable('store_load', 'entries');
    return entries.filter((entry): entry is Entry => isObject(entry) && typeof entry.type === 'string');
  };

  return {
    async append(key, entries) {
      loaded.clear();
      if (entries.length > 0) await ask({ subtype: 'store_append', key: wireKey(key), entries: [...entries] });
    },
    async *load(key) {
      const name = JSON.stringify(wireKey(key));
      const entries = loaded.get(name) ?? (await fetch(key));
      loaded.delete(name);
      for (const [at, entry] of entries.entries()) yield { entry, line: at + 1 };
    },
    async exists(key) {
      const entries = await fetch(key);
      loaded.set(JSON.stringify(wireKey(key)), entries);
      return entries.length > 0;
    },
    async list(project) {
      const { sessions } = await ask({ subtype: 'store_list', project });
      if (!Array.isArray(sessions)) throw unreadable('store_list', 'sessions');
      return sessions.flatMap((session) => {
        const sessionId = stringField(session, 'session_id');
        if (!isObject(session) || sessionId === undefined) return [];
        const { last_modified: lastModified, size } = session;
        return [
          {
            sessionId,
            lastModified: typeof lastModified === 'number' ? lastModified : 0,
            ...(typeof size === 'number' && { size }),
          },
        ];
      });
    },
  };
}

function wireKey({ project, sessionId, agentId }: SessionKey): JsonObject {
  return { project, session_id: sessionId, ...(agentId !== undefined && { agent_id: agentId }) };
}

function unreadable(subtype: string, field: string): HeddleError {
  return new HeddleError('storage_failed', `The host answered ${subtype} without a list of ${field}`);
}
