import type { CallToolResult, CustomTool, HandlerResult, ToolExtra } from '../define/tool.ts';
import { resultProblem } from '../define/tool-result.ts';
import { type CustomSchema, readSchema } from '../define/tool-schema.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import {
  isRpcId,
  isRpcRequest,
  MCP_VERSIONS,
  RPC_ERRORS,
  RpcError,
  type RpcId,
  type RpcRequest,
  rpcFailure,
  rpcNotification,
  rpcResult,
} from '../wire/json-rpc.ts';
import type { SdkMcpServerOptions } from './sdk-mcp.ts';
import type { McpTransport } from './server-link.ts';
import { callbackFailed, callbackOdd, hostTeller, type TellHost } from './tell-host.ts';

/**
 * Serves tools over one connection: a small MCP server, so that nobody has to install one. Every request gets exactly
 * one response; calls run side by side; what a handler throws is a result that says so.
 */
export async function serveTools(
  options: SdkMcpServerOptions,
  transport: McpTransport,
  onClose: () => void,
): Promise<void> {
  const tell = transport.tell ?? hostTeller({});
  const running = new Map<RpcId, AbortController>();
  const loaded = Promise.all((options.tools ?? []).map(loadTool));
  loaded.catch(() => {}); // told to whoever asks for the tools
  const methods: Record<string, (request: RpcRequest, signal: AbortSignal) => JsonObject | Promise<JsonObject>> = {
    initialize: ({ params }) => ({
      protocolVersion: versionFor(params?.protocolVersion),
      capabilities: { tools: {} },
      serverInfo: { name: options.name, version: options.version ?? '1.0.0' },
      ...(options.instructions && { instructions: options.instructions }),
    }),
    ping: () => ({}),
    'tools/list': async () => ({ tools: (await loaded).map((each) => describe(each, options.alwaysLoad)) }),
    async 'tools/call'(request, signal) {
      const name = stringField(request.params, 'name') ?? '';
      const found = (await loaded).find(({ tool }) => tool.name === name);
      if (!found) throw new RpcError(RPC_ERRORS.invalidParams, `Tool ${name} not found`);
      const extra = extraOf(request, { signal, send: (message) => transport.send(message) });
      return toResult(await callTool(found, request.params?.arguments, extra, tell));
    },
  };

  async function answer(request: RpcRequest): Promise<void> {
    const controller = new AbortController();
    running.set(request.id, controller);
    const respond = async () => {
      const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
      if (!method) throw new RpcError(RPC_ERRORS.unknownMethod, `There is no method ${request.method}`);
      return rpcResult(request.id, await method(request, controller.signal));
    };
    const response = await respond().catch((error) => rpcFailure(request.id, error));
    running.delete(request.id);
    // Whoever has cancelled a request does not expect an answer.
    if (!controller.signal.aborted) await transport.send(response);
  }

  transport.onmessage = (message) => {
    if (isRpcRequest(message)) answer(message).catch((error) => transport.onerror?.(error));
    else if (message.method === 'notifications/cancelled') running.get(cancelledId(message))?.abort();
  };
  transport.onclose = () => {
    for (const controller of running.values()) controller.abort();
    onClose();
  };
  await transport.start();
}

export interface LoadedTool {
  tool: CustomTool;
  schema: CustomSchema;
}

/** Reads the schema of a tool. Rejects with the reason for one that cannot be used. */
export async function loadTool(tool: CustomTool): Promise<LoadedTool> {
  try {
    return { tool, schema: await readSchema(tool.inputSchema) };
  } catch (error) {
    throw new RpcError(RPC_ERRORS.internal, `The input of the tool ${tool.name} cannot be used: ${messageOf(error)}`);
  }
}

/** Hints that MCP has no field for are told under the names of the reference. */
function describe({ tool, schema }: LoadedTool, isServerAlwaysLoaded = false): JsonObject {
  const { name, description, annotations, alwaysLoad = isServerAlwaysLoaded } = tool;
  return {
    name,
    description,
    inputSchema: schema.json,
    ...(annotations && { annotations }),
    ...(alwaysLoad && { _meta: { 'anthropic/alwaysLoad': true } }),
  };
}

interface CallSeams {
  signal: AbortSignal;
  send(message: JsonObject): Promise<void>;
}

/**
 * Runs a call. Never rejects: what is wrong with the input, and what the handler throws, is a result that says so. What the
 * handler did wrong is told to the program, too, whose mistake it may be.
 */
export async function callTool(
  { tool, schema }: LoadedTool,
  input: unknown = {},
  extra: ToolExtra,
  tell: TellHost,
): Promise<HandlerResult> {
  const checked = schema.parse(input);
  const args = checked.ok ? await schema.toArgs(checked.value) : checked;
  if (!args.ok) return failed(`${tool.name} was called with a bad input:\n${args.problems.join('\n')}`);
  const who = `The handler of the tool ${tool.name}`;
  try {
    const result = await tool.handler(args.value, extra);
    const problem = resultProblem(result);
    if (problem === null) return result;
    if (!extra.signal.aborted) tell(callbackOdd(who, problem, TOLD));
    return failed(`The tool did not return a result that can be read: its handler ${problem}.`);
  } catch (error) {
    if (!extra.signal.aborted) tell(callbackFailed(who, TOLD, error));
    return failed(messageOf(error) || `${tool.name} failed without saying why.`);
  }
}

const TOLD = 'The model was told that the call failed.';

function extraOf({ id, params = {} }: RpcRequest, { signal, send }: CallSeams): ToolExtra {
  const meta = isObject(params._meta) ? params._meta : {};
  return {
    signal,
    toolUseId: stringField(meta, 'claudecode/toolUseId') ?? '',
    requestId: id,
    _meta: meta,
    sendNotification: ({ method, params: told }) => send(rpcNotification(method, told)),
  };
}

function toResult(value: HandlerResult): JsonObject {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  return { content: [], ...value };
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** The version that was asked for, where it is known here. */
function versionFor(asked: unknown): string {
  return MCP_VERSIONS.find((version) => version === asked) ?? MCP_VERSIONS[0];
}

function cancelledId({ params }: JsonObject): RpcId {
  const id = isObject(params) ? params.requestId : undefined;
  return isRpcId(id) ? id : '';
}
