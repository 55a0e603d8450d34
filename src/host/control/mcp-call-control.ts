import { readResource } from '../../mcp/resources.ts';
import { mcpToolName } from '../../mcp/tool-names.ts';
import { readResult } from '../../tools/custom/tool-result-content.ts';
import { createReadMcpResourceTool } from '../../tools/mcp/resource-tools.ts';
import { createRegistry } from '../../tools/registry.ts';
import type { Tool } from '../../tools/tool.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { McpCallResult, McpResourceContents, McpResourceList } from '../../wire/control/index.ts';
import { ControlError } from '../../wire/errors.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import { mentionableResources } from '../mcp/mentionable-resources.ts';
import { toOutput } from '../mcp/server-resources.ts';
import type { SessionMcp } from '../mcp/session-mcp.ts';
import { waitForServers } from '../session/wait-for-servers.ts';
import { runForHost } from '../thread/call-for-host.ts';
import type { MainThread } from '../thread/thread.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';

/** The control requests that use MCP servers without a turn. */

/** The longest answer to a host. No model reads it, so that the limits for models do not apply. */
const MAX_CHARS = 10 * 1024 * 1024;

/** `mcp_call`: calls a tool for the host. Rules and hooks apply as to a call of the model. */
export async function mcpCall(
  { main, services }: ControlContext,
  request: ControlBody,
  signal: AbortSignal,
): Promise<McpCallResult> {
  const call = readMcpCall(request, services.runtime.clock.now());
  const mcp = await joined(main, call.name, signal);
  let answer: unknown;
  const served = mcp.toolOf(call.name, (result) => {
    answer = result;
    return readResult(result);
  });
  if (!served) throw missing(call.name, mcp);
  refuseHosts(mcp, served.server);
  const tool = call.isForModel ? (createRegistry([served.tool]).get(call.name) ?? served.tool) : served.tool;
  const { content, isError, isRewritten } = await runForHost(main, { ...call, tool }, signal);
  // Without an answer of the server there is no result, and the content says why.
  if (!isObject(answer)) throw new ControlError(textOf(content), 'mcp_failed');
  if (isRewritten) return { content };
  const { structuredContent, _meta, ...result } = services.hideCredentials(answer);
  return bounded({
    content: call.isForModel || !Array.isArray(result.content) ? content : result.content,
    ...(isObject(structuredContent) && { structuredContent }),
    ...(isError && { isError }),
    ...(isObject(_meta) && { _meta }),
  });
}

/** `mcp_read_resource`: reads a page that a tool wants the host to show, as ReadMcpResourceTool would read it. */
export async function mcpReadResource(
  { main, services }: ControlContext,
  request: ControlBody,
  signal: AbortSignal,
): Promise<McpResourceContents> {
  const server = stringField(request, 'serverName');
  const uri = stringField(request, 'uri');
  if (server === undefined) throw invalidRequest('serverName', 'a string');
  if (uri === undefined || !uri.startsWith('ui://')) throw invalidRequest('uri', 'one that begins with ui://');
  const mcp = await joined(main, server, signal);
  refuseHosts(mcp, server);
  const client = mcp.connected().find(({ name }) => name === server)?.client;
  if (!client) throw notConnected(mcp, server);
  let contents: JsonObject[] | null = null;
  const catalog = {
    servers: () => [server],
    list: async () => [],
    // `wanted` may differ from `uri`: a hook can replace the input.
    async read(_: string, wanted: string) {
      contents = await readResource(client, wanted, signal);
      return toOutput(contents);
    },
  };
  const tool = createReadMcpResourceTool(catalog, { maxResultChars: MAX_CHARS }) as unknown as Tool;
  const { content, isRewritten } = await runForHost(main, { tool, input: { server, uri } }, signal);
  if (contents === null) throw new ControlError(textOf(content), 'mcp_failed');
  if (isRewritten) return bounded({ contents: [{ uri, text: textOf(content) }] });
  return bounded({ contents: services.hideCredentials(contents as JsonObject[]).map((item) => shownItem(item, uri)) });
}

/** `mcp_list_resources`: what prompts can mention. */
export async function mcpListResources(
  { main, services }: ControlContext,
  _request: ControlBody,
  signal: AbortSignal,
): Promise<McpResourceList> {
  await waitForServers(main, signal);
  const { current: mcp } = services.mcp;
  if (!mcp) return { resources: [] };
  return bounded(services.hideCredentials(await mentionableResources(mcp, main.permissions.policy, signal)));
}

/** What an `mcp_call` asks for. */
interface McpCallRequest {
  /** `mcp__server__tool`. */
  name: string;
  input: JsonObject;
  /** Whether permission questions are asked. Otherwise the request itself is the approval. */
  mayAsk: boolean;
  /** Whether the result is as the model would get it. */
  isForModel: boolean;
  timeoutMs?: number;
}

const MIN_MS = 1000;
const MAX_MS = 600_000;

/** Throws a ControlError for a request that is invalid, has expired, or names files, which are not supported. */
function readMcpCall(request: ControlBody, now: number): McpCallRequest {
  const { tool, arguments: input = {}, check_permissions: mayAsk = false, timeout_ms: timeout } = request;
  if (typeof tool !== 'string') throw invalidRequest('tool', 'a string');
  if (!isObject(input)) throw invalidRequest('arguments', 'an object');
  if (typeof mayAsk !== 'boolean') throw invalidRequest('check_permissions', 'true or false');
  if (timeout !== undefined && typeof timeout !== 'number') throw invalidRequest('timeout_ms', 'a number');
  if (request.input_files !== undefined || request.output_files !== undefined) {
    throw new ControlError('mcp_call with files is not supported here', 'not_supported');
  }
  checkDeadline(request.expires_at, now);
  return {
    name: tool,
    input,
    mayAsk,
    isForModel: request.result_not_for_model !== true,
    ...(timeout !== undefined && { timeoutMs: Math.min(Math.max(timeout, MIN_MS), MAX_MS) }),
  };
}

/** A time that cannot be read counts as expired, so that no call runs too late. */
function checkDeadline(expiresAt: unknown, now: number): void {
  if (expiresAt === undefined) return;
  const time = typeof expiresAt === 'string' ? Date.parse(expiresAt) : Number.NaN;
  if (!(time > now)) throw new ControlError('The tool did not run: expires_at is over', 'expired');
}

/** Waits for servers that are connecting, and rebuilds the session's tools from what they offer now. */
async function joined(main: MainThread, wanted: string, signal: AbortSignal): Promise<SessionMcp> {
  await waitForServers(main, signal);
  const mcp = main.services.mcp.current;
  if (!mcp) throw new ControlError(`There are no MCP servers: ${wanted}`, 'server_not_found');
  return mcp;
}

/** Refuses servers that live in the host: the host can ask these itself. */
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

/** Only the fields that the wire has. */
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
