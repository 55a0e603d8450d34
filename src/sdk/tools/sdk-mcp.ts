import type { AnyZodRawShape, CustomTool } from '../../define/tool.ts';
import { amount, type Check, callback, flag, listOf, must, record, shape, text, word } from '../../util/checks.ts';
import { badOption, checkNamed } from '../../wire/check-named.ts';
import type { HeddleError } from '../../wire/errors.ts';
import type { McpSdkServerConfigWithInstance, McpServerInstance } from '../options/option-types.ts';
import type { SdkMcpServerOptions } from './serve-tools.ts';
import type { McpTransport } from './server-link.ts';

/** The type of a tool under the name of the reference. */
export type SdkMcpToolDefinition<_Schema extends AnyZodRawShape = AnyZodRawShape> = CustomTool;

/**
 * Makes an MCP server from tools that run in this program. Only names, descriptions and results leave the program. One
 * server may serve any number of queries. Throws `invalid_option` for tools whose names collide.
 *
 * @example
 * import * as z from 'zod';
 *
 * const add = tool('add', 'Adds two numbers', { a: z.number(), b: z.number() }, ({ a, b }) => String(a + b));
 * const calc = createSdkMcpServer({ name: 'calc', tools: [add] });
 * query({ prompt: '2 + 3?', options: { mcpServers: { calc }, allowedTools: ['mcp__calc__add'] } });
 */
export function createSdkMcpServer(options: SdkMcpServerOptions): McpSdkServerConfigWithInstance {
  checkNamed(options, CHECKS, {
    before: 'createSdkMcpServer: ',
    noObject: (kind) => `createSdkMcpServer takes an object, got ${kind}: ${USUAL}`,
    unknown: (name, meant) =>
      `createSdkMcpServer: there is no option '${name}'${meant ? `; did you mean '${meant}'?` : `: ${USUAL}`}`,
  });
  const { name, tools = [] } = options;
  if (name === undefined) throw refuse(`An MCP server needs a name: ${USUAL}`);
  const twin = tools.find((tool, at) => tools.findIndex((other) => other.name === tool.name) !== at);
  if (twin) throw refuse(`Two tools of the MCP server ${name} are named ${twin.name}`);
  const timeout = options.timeout !== undefined && options.timeout >= 1000 && { timeout: options.timeout };
  return { type: 'sdk', name, instance: lazyServer(options), ...timeout };
}

const USUAL = "createSdkMcpServer({ name: '…', tools: [tool(…)] })";

const CHECKS: Record<keyof SdkMcpServerOptions, Check> = {
  name: word,
  version: text,
  tools: listOf(must('a tool that tool() has made', isTool)),
  instructions: text,
  alwaysLoad: flag,
  timeout: amount,
};

function isTool(value: unknown): boolean {
  return shape({ name: text, inputSchema: record, handler: callback })(value) === null;
}

/** The MCP code is loaded when a client connects. */
function lazyServer(options: SdkMcpServerOptions): McpServerInstance {
  const open = new Set<McpTransport>();
  return {
    async connect(raw: unknown) {
      const transport = raw as McpTransport;
      const { serveTools } = await import('./serve-tools.ts');
      open.add(transport);
      await serveTools(options, transport, () => open.delete(transport));
    },
    async close() {
      await Promise.all([...open].map((transport) => transport.close()));
    },
  };
}

function refuse(message: string): HeddleError {
  return badOption('mcpServers', message);
}
