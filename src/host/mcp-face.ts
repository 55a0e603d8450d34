import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ClientFace } from '../mcp/client.ts';
import type { ServerDefinition } from '../mcp/connections.ts';
import { type JsonObject, stringField } from '../util/json.ts';
import { printable } from '../util/printable.ts';
import { elicit } from './mcp-elicitation.ts';
import { mayServerSample, sample } from './mcp-sampling.ts';
import type { Parts } from './parts.ts';

/** What of a server's log one line shows. */
const MAX_LOGGED = 2000;

/** What a session does for one of its servers: it tells the roots, has questions answered, and hears what is logged. */
export function sessionFace(
  parts: () => Parts,
  { name: server, scope }: Pick<ServerDefinition, 'name' | 'scope'>,
  { canAskHost }: { canAskHost: boolean },
): ClientFace {
  const { log, ids } = parts().runtime;
  return {
    capabilities: {
      roots: { listChanged: true },
      elicitation: { form: {}, url: {} },
      ...(mayServerSample(parts(), { name: server, scope }) && { sampling: {} }),
    },
    answer(method, params, signal) {
      if (method === 'roots/list') return Promise.resolve({ roots: rootsOf(parts()) });
      if (method === 'elicitation/create') return elicit(parts(), { server, params, canAskHost }, signal);
      if (method === 'sampling/createMessage')
        return sample(parts(), { server: { name: server, scope }, params }, signal);
      return undefined;
    },
    hear(method, params) {
      if (method === 'notifications/message') log('debug', logged(server, params));
      if (method !== 'notifications/elicitation/complete') return;
      const { sessionId, say } = parts();
      const facts = { mcp_server_name: server, elicitation_id: stringField(params, 'elicitationId') ?? '' };
      const line = {
        type: 'system',
        subtype: 'elicitation_complete',
        ...facts,
        uuid: ids.uuid(),
        session_id: sessionId,
      };
      say(line as Parameters<typeof say>[0])?.catch(() => {}); // nobody listens any more
    },
  };
}

/** The directories that are worked in, as MCP names them. */
function rootsOf({ permissions }: Parts): JsonObject[] {
  return permissions.policy.roots.map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) }));
}

function logged(server: string, { level, data }: JsonObject): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  return printable(`MCP server ${server}, ${String(level)}: ${text.slice(0, MAX_LOGGED)}`);
}
