import type { SessionKey, SessionStore } from '../sessions/store.ts';
import { isObject, stringField } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';
import { ControlError } from '../wire/errors.ts';
import type { ControlBody } from '../wire/peer.ts';

/** A store of this program, as the agent reaches it: by awaited requests (ruling K42). */
export function storeAnswers(store: SessionStore): Record<string, (request: ControlBody) => Promise<unknown>> {
  return {
    async store_append(request) {
      if (!Array.isArray(request.entries)) throw new ControlError('entries must be an array', 'invalid_request');
      await store.append(keyOf(request), request.entries as Entry[]);
      return {};
    },
    async store_load(request) {
      const entries: Entry[] = [];
      for await (const loaded of store.load(keyOf(request))) if ('entry' in loaded) entries.push(loaded.entry);
      return { entries };
    },
    async store_list(request) {
      const sessions = await store.list(stringField(request, 'project') ?? '');
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

function keyOf({ key }: ControlBody): SessionKey {
  const project = stringField(key, 'project');
  const sessionId = stringField(key, 'session_id');
  if (!isObject(key) || project === undefined || sessionId === undefined) {
    throw new ControlError('key must name a project and a session_id', 'invalid_request');
  }
  const agentId = stringField(key, 'agent_id');
  return { project, sessionId, ...(agentId !== undefined && { agentId }) };
}
