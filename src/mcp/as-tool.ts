import type { InputSchema } from '../tools/input-schema.ts';
import type { Tool, ToolOutput } from '../tools/tool.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { McpTimeout } from './client.ts';
import type { ServerTool } from './connections.ts';
import { mcpToolName } from './tool-names.ts';

/** Functions of the tools folder that this file needs. */
export interface AsToolDependencies {
  /** Makes a tool result from a server's answer; throws for an answer that reports an error. */
  readResult(result: unknown): ToolOutput;
  /** A failure that the model reads. */
  failure(message: string, cause: unknown): Error;
  /** How long a call may take, in milliseconds. */
  timeoutMs: number;
  maxResultChars: number;
}

/**
 * Turns tools of servers into tools of the session. Names that APIs would refuse are changed to fit; when two tools end
 * up with one name, the first stays, and `onTwin` is called with the other.
 */
export function asTools(
  tools: readonly ServerTool[],
  dependencies: AsToolDependencies,
  onTwin: (message: string) => void,
): Tool[] {
  const byName = new Map<string, Tool>();
  for (const each of tools) {
    const name = mcpToolName(each.server, each.info.name);
    if (!byName.has(name)) byName.set(name, asTool(name, each, dependencies));
    else onTwin(`The tool ${each.info.name} of the MCP server ${each.server} is left out: another one is ${name}, too`);
  }
  return [...byName.values()];
}

function asTool(
  name: string,
  { server, source, info, call, timeoutMs: own }: ServerTool,
  dependencies: AsToolDependencies,
): Tool {
  const { maxResultChars } = dependencies;
  const timeoutMs = own ?? dependencies.timeoutMs;
  return {
    name,
    server: { name: server, source },
    description: info.description,
    input: anyObject(info.inputSchema),
    ...(info.alwaysLoad && { alwaysLoad: true }),
    maxResultChars,
    // A server's claims about its tool are ignored: what the tool touches is unknown, so its calls are asked about.
    access: () => ({ kind: 'other' }),
    isConcurrencySafe: () => info.annotations.readOnlyHint === true,
    async run(input, { signal, toolUseId, trace, onProgress }) {
      const request = { name: info.name, arguments: input, toolUseId, ...(trace && { trace }) };
      const result = await call(request, { signal, timeoutMs, ...(onProgress && { onProgress }) }).catch((error) => {
        if (signal.aborted) throw error;
        const text = error instanceof McpTimeout ? `${name} did not answer within ${timeoutMs} ms` : messageOf(error);
        throw dependencies.failure(text, error);
      });
      return dependencies.readResult(result);
    },
  };
}

/** The server checks the input of its tools; its error messages are better than Heddle's. */
function anyObject(json: JsonObject): InputSchema<JsonObject> {
  return {
    json,
    parse: (value) =>
      isObject(value) ? { ok: true, value } : { ok: false, problems: ['The input must be an object'] },
  };
}
