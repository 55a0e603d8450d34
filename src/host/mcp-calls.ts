import { readResource } from '../mcp/resources.ts';
import { mcpToolName } from '../mcp/tool-names.ts';
import { readResult } from '../tools/custom-tool-result.ts';
import { createReadMcpResourceTool } from '../tools/read-mcp-resource.ts';
import { createRegistry } from '../tools/registry.ts';
import type { Tool } from '../tools/tool.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { McpCallResult, McpResourceContents } from '../wire/control/index.ts';
import { ControlError } from '../wire/errors.ts';
import type { ControlBody } from '../wire/peer.ts';
import { runForHost } from './host-call.ts';
import { invalidRequest } from './invalid-request.ts';
import { joinServers, type SessionMcp } from './mcp.ts';
import { readMcpCall } from './mcp-call-request.ts';
import { toOutput } from './mcp-resources.ts';
import type { Parts } from './parts.ts';

/** What hosts ask of servers without a turn. Loaded with the first such request. */

/** Of a result that is not bounded for a model, in characters. */
const MAX_CHARS = 10 * 1024 * 1024;

/** `mcp_call`: calls a tool for the host. Rules and hooks see the call as one of the model's. */
export async function mcpCall(parts: Parts, request: ControlBody, signal: AbortSignal): Promise<McpCallResult> {
  const call = readMcpCall(request, parts.runtime.clock.now());
  const mcp = await joined(parts, call.name, signal);
  let answer: unknown;
  const found = mcp.toolOf(call.name, (result) => {
    answer = result;
    return readResult(result);
  });
  if (!found) throw missing(call.name, mcp);
  refuseHosts(mcp, found.server);
  const tool = call.isForModel ? (createRegistry([found.tool]).get(call.name) ?? found.tool) : found.tool;
  const { content, isError, isRewritten } = await runForHost(parts, { ...call, tool }, signal);
  // Only what a server has answered is a result; all else is why there is none.
  if (!isObject(answer)) throw new ControlError(textOf(content), 'mcp_failed');
  if (isRewritten) return { content };
  const { structuredContent, _meta, ...result } = parts.hideCredentials(answer);
  return bounded({
    content: call.isForModel || !Array.isArray(result.content) ? content : result.content,
    ...(isObject(structuredContent) && { structuredContent }),
    ...(isError && { isError }),
    ...(isObject(_meta) && { _meta }),
  });
}

/** `mcp_read_resource`: reads a page that a tool wants to be shown, as ReadMcpResourceTool would read it. */
export async function mcpReadResource(
  parts: Parts,
  request: ControlBody,
  signal: AbortSignal,
): Promise<McpResourceContents> {
  const server = stringField(request, 'serverName');
  const uri = stringField(request, 'uri');
  if (server === undefined) throw invalidRequest('serverName', 'a string');
  if (uri === undefined || !uri.startsWith('ui://')) throw invalidRequest('uri', 'one that begins with ui://');
  const mcp = await joined(parts, server, signal);
  refuseHosts(mcp, server);
  const client = mcp.connected().find(({ name }) => name === server)?.client;
  if (!client) throw notConnected(mcp, server);
  let contents: JsonObject[] | null = null;
  const shelf = {
    servers: () => [server],
    list: async () => [],
    // A hook may have put another one in its place.
    async read(_: string, wanted: string) {
      contents = await readResource(client, wanted, signal);
      return toOutput(contents);
    },
  };
  const tool = createReadMcpResourceTool(shelf, { maxResultChars: MAX_CHARS }) as unknown as Tool;
  const { content, isRewritten } = await runForHost(parts, { tool, input: { server, uri } }, signal);
  if (contents === null) throw new ControlError(textOf(content), 'mcp_failed');
  if (isRewritten) return bounded({ contents: [{ uri, text: textOf(content) }] });
  return bounded({ contents: parts.hideCredentials(contents as JsonObject[]).map((item) => shownItem(item, uri)) });
}

/** Waits for servers that are connecting, and has the session's tools be what they have now. */
async function joined(parts: Parts, wanted: string, signal: AbortSignal): Promise<SessionMcp> {
  await joinServers(parts, signal);
  if (!parts.mcp) throw new ControlError(`There are no MCP servers: ${wanted}`, 'server_not_found');
  return parts.mcp;
}

/** The host can ask its own servers by itself. */
function refuseHosts(mcp: SessionMcp, server: string): void {
  const status = mcp.statuses().find(({ name }) => name === server);
  if (status?.transport === 'sdk') {
    throw new ControlError(`The MCP server ${server} is one of the host itself, which can ask it`, 'not_supported');
  }
}

function missing(tool: string, mcp: SessionMcp): ControlError {
  const server = mcp.statuses().find(({ name }) => tool.startsWith(mcpToolName(name, '')));
  if (!server) return new ControlError(`No MCP server has the tool ${tool}`, 'server_not_found');
  if (server.status !== 'connected') return notConnected(mcp, server.name);
  return new ControlError(`The MCP server ${server.name} has no tool ${tool}`, 'tool_not_found');
}

function notConnected(mcp: SessionMcp, server: string): ControlError {
  const status = mcp.statuses().find(({ name }) => name === server);
  if (!status) return new ControlError(`Server not found: ${server}`, 'server_not_found');
  if (status.status === 'connected') {
    return new ControlError(`A rule takes the MCP server ${server} away`, 'permission_denied');
  }
  const why = status.error === undefined ? '' : `: ${status.error}`;
  return new ControlError(`The MCP server ${server} is not connected (${status.status})${why}`, 'not_connected');
}

/** Only what the wire knows of it. */
function shownItem({ uri, mimeType, text, blob, _meta }: JsonObject, asked: string) {
  return {
    uri: typeof uri === 'string' ? uri : asked,
    ...(typeof mimeType === 'string' && { mimeType }),
    ...(typeof text === 'string' && { text }),
    ...(typeof blob === 'string' && { blob }),
    ...(isObject(_meta) && { _meta }),
  };
}

function bounded<T>(answer: T): T {
  if (JSON.stringify(answer).length <= MAX_CHARS) return answer;
  throw new ControlError(`The answer of the server is longer than ${MAX_CHARS} characters`, 'too_large');
}

function textOf(content: McpCallResult['content']): string {
  if (typeof content === 'string') return content;
  return content.map((block) => stringField(block, 'text') ?? '').join('\n');
}
