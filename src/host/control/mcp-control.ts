import { isObject, stringField } from '../../util/json.ts';
import { within } from '../../util/timer.ts';
import { ControlError } from '../../wire/errors.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import type { SessionMcp } from '../mcp/session-mcp.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';

/** The control requests about MCP servers. */

/** How long the answer to `mcp_status` waits for servers that are still connecting. */
const STATUS_MS = 500;

export async function mcpStatus({ services }: ControlContext): Promise<unknown> {
  const mcp = services.mcp.current;
  mcp?.start();
  if (mcp) await within(STATUS_MS, mcp.settled());
  return { mcpServers: mcp?.statuses() ?? [] };
}

/** `mcp_message`: a server that lives in the host sends a message of its own. */
export async function mcpMessage({ services }: ControlContext, request: ControlBody): Promise<unknown> {
  const { message } = request;
  if (!isObject(message)) throw invalidRequest('message', 'a JSON-RPC message');
  const name = stringField(request, 'server_name') ?? '';
  const response = await serversOf(services.mcp.current, name).receive(name, message);
  return response === null ? {} : { mcp_response: response };
}

export async function mcpReconnect({ services }: ControlContext, { serverName }: ControlBody): Promise<void> {
  await serversOf(services.mcp.current, serverName).reconnect(nameOf(serverName));
}

export async function mcpToggle({ services }: ControlContext, { serverName, enabled }: ControlBody): Promise<void> {
  if (typeof enabled !== 'boolean') throw invalidRequest('enabled', 'true or false');
  await serversOf(services.mcp.current, serverName).setEnabled(nameOf(serverName), enabled);
}

export async function mcpSetServers({ services: { mcp } }: ControlContext, { servers }: ControlBody): Promise<unknown> {
  if (!isObject(servers)) throw invalidRequest('servers', 'an object');
  if (!mcp.current && Object.keys(servers).length === 0) return { added: [], removed: [], errors: {} };
  return (await mcp.open()).setServers(servers);
}

/**
 * `set_mcp_permission_mode_override`: calls of the server must pass in this mode, too, so that the mode only narrows. A
 * server that comes later is pinned when it comes.
 */
export async function mcpPinMode({ services }: ControlContext, { serverName, mode }: ControlBody): Promise<unknown> {
  const name = nameOf(serverName);
  if (mode !== 'default' && mode !== 'auto' && mode !== null) throw invalidRequest('mode', "'default', 'auto' or null");
  const mcp = await services.mcp.open();
  mcp.policies.pin(name, mode);
  const isKnown = mcp.statuses().some((status) => status.name === name);
  return isKnown ? {} : { warning: `There is no MCP server ${name} now` };
}

function serversOf(mcp: SessionMcp | null, name: unknown): SessionMcp {
  if (!mcp) throw new ControlError(`Server not found: ${String(name)}`);
  return mcp;
}

function nameOf(name: unknown): string {
  if (typeof name === 'string') return name;
  throw invalidRequest('serverName', 'a string');
}
