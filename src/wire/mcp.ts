import * as z from 'zod/mini';
import { AnyObject, open, word } from './schema.ts';

const text = z.optional(z.string());
const texts = z.record(z.string(), z.string());
const timeout = { timeout: z.optional(z.number()) };

/** What is to become of the calls of a tool, whatever else would be: a deny holds in every mode. */
export const McpServerToolPolicy = open(() => ({
  name: z.string(),
  permission_policy: z.optional(word(['always_allow', 'always_ask', 'always_deny'])),
  /** The most that an administrator permits. */
  org_max_permission: z.optional(word(['allow', 'ask', 'blocked'])),
}));
export type McpServerToolPolicy = z.infer<typeof McpServerToolPolicy>;

const tools = { tools: z.optional(z.array(McpServerToolPolicy)) };

export const McpStdioServerConfig = open(() => ({
  type: z.optional(z.literal('stdio')),
  command: z.string(),
  args: z.optional(z.array(z.string())),
  env: z.optional(texts),
  ...timeout,
}));
export type McpStdioServerConfig = z.infer<typeof McpStdioServerConfig>;

const remote = { url: z.string(), headers: z.optional(texts), ...timeout, ...tools };

export const McpSseServerConfig = open(() => ({ type: z.literal('sse'), ...remote }));
export type McpSseServerConfig = z.infer<typeof McpSseServerConfig>;

export const McpHttpServerConfig = open(() => ({ type: z.literal('http'), ...remote }));
export type McpHttpServerConfig = z.infer<typeof McpHttpServerConfig>;

/** A server that lives in the host and is reached by `mcp_message` requests. */
export const McpSdkServerConfig = open(() => ({ type: z.literal('sdk'), name: z.string(), ...timeout, ...tools }));
export type McpSdkServerConfig = z.infer<typeof McpSdkServerConfig>;

/** How to reach an MCP server, as it travels on the wire. */
export const McpServerConfig = z.union([
  McpHttpServerConfig,
  McpSseServerConfig,
  McpSdkServerConfig,
  McpStdioServerConfig,
]);
export type McpServerConfig = z.infer<typeof McpServerConfig>;

export const McpServerStatus = open(() => ({
  name: z.string(),
  status: word(['connected', 'failed', 'needs-auth', 'pending', 'disabled']),
  serverInfo: z.optional(open({ name: z.string(), version: z.string() })),
  error: text,
  config: z.optional(AnyObject),
  scope: text,
  transport: text,
  source: text,
  tools: z.optional(
    z.array(
      open({
        name: z.string(),
        description: text,
        annotations: z.optional(z.record(z.string(), z.unknown())),
        /** `ui`, of a tool that has a page of its own to show: `ui.resourceUri` is what to read. */
        _meta: z.optional(z.record(z.string(), z.unknown())),
      }),
    ),
  ),
}));
export type McpServerStatus = z.infer<typeof McpServerStatus>;

/** A JSON-RPC message, opaque to the wire. */
export const JsonRpcMessage = z.record(z.string(), z.unknown());
export type JsonRpcMessage = z.infer<typeof JsonRpcMessage>;
