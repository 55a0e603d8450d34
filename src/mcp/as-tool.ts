import type { InputSchema } from '../tools/input-schema.ts';
import type { Tool, ToolOutput } from '../tools/tool.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { McpTimeout } from './client.ts';
import type { ServerTool } from './connections.ts';
import { mcpToolName } from './tool-names.ts';

/** What belongs to the tools' side. */
export interface AsToolSeams {
  /** Makes a result of what a server answered; throws for what says that it is an error. */
  readResult(result: unknown): ToolOutput;
  /** A failure that the model reads. */
  failure(message: string, cause: unknown): Error;
  /** How long a call may take, in milliseconds. */
  timeoutMs: number;
  maxResultChars: number;
}

/**
 * Tools of servers as tools of the session. Names that APIs would not take are made fit; of two tools that come out with
 * one name the first stays, and `onTwin` is told of the other (trust C-4).
 */
export function asTools(tools: readonly ServerTool[], seams: AsToolSeams, onTwin: (message: string) => void): Tool[] {
  const byName = new Map<string, Tool>();
  for (const each of tools) {
    const name = mcpToolName(each.server, each.info.name);
    if (!byName.has(name)) byName.set(name, asTool(name, each, seams));
    else onTwin(`The tool ${each.info.name} of the MCP server ${each.server} is left out: another one is ${name}, too`);
  }
  return [...byName.values()];
}

function asTool(name: string, { server, source, info, call, timeoutMs: own }: ServerTool, seams: AsToolSeams): Tool {
  const { maxResultChars } = seams;
  const timeoutMs = own ?? seams.timeoutMs;
  return {
    name,
    server: { name: server, source },
    description: info.description,
    input: anyObject(info.inputSchema),
    ...(info.alwaysLoad && { alwaysLoad: true }),
    maxResultChars,
    // Whatever it says of itself: what a foreign tool touches is not known, so it is asked for.
    access: () => ({ kind: 'other' }),
    isConcurrencySafe: () => info.annotations.readOnlyHint === true,
    async run(input, { signal, toolUseId, trace, onProgress }) {
      const request = { name: info.name, arguments: input, toolUseId, ...(trace && { trace }) };
      const result = await call(request, { signal, timeoutMs, ...(onProgress && { onProgress }) }).catch((error) => {
        if (signal.aborted) throw error;
        const text = error instanceof McpTimeout ? `${name} did not answer within ${timeoutMs} ms` : messageOf(error);
        throw seams.failure(text, error);
      });
      return seams.readResult(result);
    },
  };
}

/** The server checks what its tools get; its words on what is wrong are the better ones. */
function anyObject(json: JsonObject): InputSchema<JsonObject> {
  return {
    json,
    parse: (value) =>
      isObject(value) ? { ok: true, value } : { ok: false, problems: ['The input must be an object'] },
  };
}
