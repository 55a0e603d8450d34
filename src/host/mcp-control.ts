import { isObject, stringField } from '../util/json.ts';
import { within } from '../util/timer.ts';
import { ControlError } from '../wire/errors.ts';
import type { ControlBody } from '../wire/peer.ts';
import { invalidRequest } from './invalid-request.ts';
import type { SessionMcp } from './mcp.ts';
import type { Parts } from './parts.ts';

/** The control requests about MCP servers. Loaded with the first of them. */

/** How long the answer to `mcp_status` waits for servers that are about to answer. */
const STATUS_MS = 500;

export async function mcpStatus({ mcp }: Parts): Promise<unknown> {
  mcp?.start();
  if (mcp) await within(STATUS_MS, mcp.settled());
  return { mcpServers: mcp?.statuses() ?? [] };
}

/** A server of the host says something by itself. */
export async function mcpMessage({ mcp }: Parts, request: ControlBody): Promise<unknown> {
  const { message } = request;
  if (!isObject(message)) throw invalidRequest('message', 'a JSON-RPC message');
  const name = stringField(request, 'server_name') ?? '';
  const response = await serversOf(mcp, name).receive(name, message);
  return response === null ? {} : { mcp_response: response };
}

export async function mcpReconnect({ mcp }: Parts, { serverName }: ControlBody): Promise<void> {
  await serversOf(mcp, serverName).reconnect(nameOf(serverName));
}

export async function mcpToggle({ mcp }: Parts, { serverName, enabled }: ControlBody): Promise<void> {
  if (typeof enabled !== 'boolean') throw invalidRequest('enabled', 'true or false');
  await serversOf(mcp, serverName).setEnabled(nameOf(serverName), enabled);
}

export async function mcpSetServers(parts: Parts, { servers }: ControlBody): Promise<unknown> {
  if (!isObject(servers)) throw invalidRequest('servers', 'an object');
  if (!parts.mcp && Object.keys(servers).length === 0) return { added: [], removed: [], errors: {} };
  return (await parts.openMcp()).setServers(servers);
}

/** Only narrows: calls of the server must pass in this mode, too. One that is not there yet is pinned when it comes. */
export async function mcpPinMode(parts: Parts, { serverName, mode }: ControlBody): Promise<unknown> {
  const name = nameOf(serverName);
  if (mode !== 'default' && mode !== 'auto' && mode !== null) throw invalidRequest('mode', "'default', 'auto' or null");
  const mcp = await parts.openMcp();
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
