import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemLine } from '../../agent/system-line.ts';
import type { ClientHandler } from '../../mcp/client.ts';
import type { ServerDefinition } from '../../mcp/server-definition.ts';
import type { Policy } from '../../permissions/policy.ts';
import { type JsonObject, stringField } from '../../util/json.ts';
import { printable } from '../../util/text/printable.ts';
import { elicit } from './elicitation.ts';
import { mayServerSample, sample } from './sampling.ts';
import type { ServedSession } from './served-session.ts';

/** Characters of a server's log message in one line of the log. */
const MAX_LOGGED = 2000;

/** Serves the requests of one server to its session: lists the roots, answers questions, logs messages. */
export function sessionClientHandler(
  session: ServedSession,
  { name: server, scope }: Pick<ServerDefinition, 'name' | 'scope'>,
  { canAskHost }: { canAskHost: boolean },
): ClientHandler {
  const { log, ids } = session.runtime;
  return {
    capabilities: {
      roots: { listChanged: true },
      elicitation: { form: {}, url: {} },
      ...(mayServerSample(session, { name: server, scope }) && { sampling: {} }),
    },
    answer(method, params, signal) {
      if (method === 'roots/list') return Promise.resolve({ roots: rootsOf(session.permissions.policy) });
      if (method === 'elicitation/create') return elicit(session, { server, params, canAskHost }, signal);
      if (method === 'sampling/createMessage')
        return sample(session, { server: { name: server, scope }, params }, signal);
      return undefined;
    },
    observe(method, params) {
      if (method === 'notifications/message') log('debug', logged(server, params));
      if (method !== 'notifications/elicitation/complete') return;
      const details = { mcp_server_name: server, elicitation_id: stringField(params, 'elicitationId') ?? '' };
      const names = { uuid: ids.uuid(), session_id: session.id };
      session.link.send(systemLine(names, 'elicitation_complete', details))?.catch(() => {}); // the host is gone
    },
  };
}

/** The directories of the session, in the form of MCP. */
function rootsOf({ roots }: Pick<Policy, 'roots'>): JsonObject[] {
  return roots.map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) }));
}

function logged(server: string, { level, data }: JsonObject): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  return printable(`MCP server ${server}, ${String(level)}: ${text.slice(0, MAX_LOGGED)}`);
}
