import type { CallToolResult, CustomTool, HandlerResult, ToolExtra } from '../../define/tool.ts';
import { resultProblem } from '../../define/tool-result.ts';
import { type CustomSchema, readSchema } from '../../define/tool-schema.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
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
} from '../../wire/link/json-rpc.ts';
import { callbackFailed, callbackOdd, hostTeller, type ReportToHost } from '../report-to-host.ts';
import type { McpTransport } from './server-link.ts';

/** What a server of the program's own consists of. */
export interface SdkMcpServerOptions {
  /** The server's own name. Its tools are `mcp__NAME__TOOL`, with the name that it has in `mcpServers`. */
  name: string;
  /** Default: 1.0.0. */
  version?: string;
  /** Made with `tool`. */
  tools?: readonly CustomTool[];
  /** How to use its tools. The model reads up to 2,000 characters of it. */
  instructions?: string;
  /** Every request contains its tools, however many others there are. */
  alwaysLoad?: boolean;
  /**
   * The longest duration of a call, in milliseconds. Default: MCP_TOOL_TIMEOUT of the agent. Values below 1000 are
   * ignored.
   */
  timeout?: number;
}

/**
 * Serves tools over one connection: a small MCP server, so that users need not install one. Every request gets exactly
 * one response; calls run concurrently; a throw of a handler becomes an error result.
 */
export async function serveTools(
  options: SdkMcpServerOptions,
  transport: McpTransport,
  onClose: () => void,
): Promise<void> {
  const report = transport.report ?? hostTeller({});
  const running = new Map<RpcId, AbortController>();
  const loaded = Promise.all((options.tools ?? []).map(loadTool));
  loaded.catch(() => {}); // the caller that asks for the tools gets the error
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
      return toResult(await callTool(found, request.params?.arguments, extra, report));
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
    // A client that has cancelled a request does not expect an answer.
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

/** Hints that MCP has no field for have the names of the reference. */
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

interface CallDependencies {
  signal: AbortSignal;
  send(message: JsonObject): Promise<void>;
}

/**
 * Runs a call. Never rejects: invalid input and a throw of the handler become an error result. A throw is also reported
 * to the program.
 */
export async function callTool(
  { tool, schema }: LoadedTool,
  input: unknown = {},
  extra: ToolExtra,
  report: ReportToHost,
): Promise<HandlerResult> {
  const checked = schema.parse(input);
  const args = checked.ok ? await schema.toArgs(checked.value) : checked;
  if (!args.ok) return failed(`${tool.name} was called with a bad input:\n${args.problems.join('\n')}`);
  const who = `The handler of the tool ${tool.name}`;
  try {
    const result = await tool.handler(args.value, extra);
    const problem = resultProblem(result);
    if (problem === null) return result;
    if (!extra.signal.aborted) report(callbackOdd(who, problem, REPORTED_TO_MODEL));
    return failed(`The tool did not return a result that can be read: its handler ${problem}.`);
  } catch (error) {
    if (!extra.signal.aborted) report(callbackFailed(who, REPORTED_TO_MODEL, error));
    return failed(messageOf(error) || `${tool.name} failed without saying why.`);
  }
}

const REPORTED_TO_MODEL = 'The model was told that the call failed.';

function extraOf({ id, params = {} }: RpcRequest, { signal, send }: CallDependencies): ToolExtra {
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

/** The requested version, where Heddle supports it. */
function versionFor(asked: unknown): string {
  return MCP_VERSIONS.find((version) => version === asked) ?? MCP_VERSIONS[0];
}

function cancelledId({ params }: JsonObject): RpcId {
  const id = isObject(params) ? params.requestId : undefined;
  return isRpcId(id) ? id : '';
}
