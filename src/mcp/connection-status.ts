import type { JsonObject } from '../util/json.ts';
import type { McpServerStatus, McpServerStatusConfig } from '../wire/mcp.ts';
import type { ConnectionState } from './connection.ts';
import type { ServerDefinition } from './server-definition.ts';

/** The status of a server as `mcp_status` reports it (wire.md 11.2). */
export function statusOf(definition: ServerDefinition, state: ConnectionState): McpServerStatus {
  const { name, config, transport, scope, source } = definition;
  // The configuration as written, which was checked before the server was connected.
  const place = { config: config as unknown as McpServerStatusConfig, transport, scope, source };
  switch (state.status) {
    case 'connected': {
      const { serverInfo } = state.client;
      const tools = state.tools.map(({ name: tool, annotations, ui }) => ({
        name: tool,
        annotations: shortHints(annotations),
        ...(ui && { _meta: { ui } }),
      }));
      return { name, status: state.status, ...(serverInfo && { serverInfo }), ...place, tools };
    }
    case 'failed':
    case 'needs-auth':
      return { name, status: state.status, error: state.error, ...place };
    case 'pending':
      return { name, status: state.status, ...(state.error !== undefined && { error: state.error }), ...place };
    case 'disabled':
      return { name, status: state.status, ...place };
    default:
      return state satisfies never;
  }
}

function shortHints(annotations: JsonObject): JsonObject {
  const names = { readOnly: 'readOnlyHint', destructive: 'destructiveHint', openWorld: 'openWorldHint' };
  return Object.fromEntries(
    Object.entries(names).flatMap(([short, hint]) => (annotations[hint] === true ? [[short, true]] : [])),
  );
}
