import * as z from 'zod/mini';
import { AnyObject, open, type Schema, word } from './schema.ts';

const text = z.optional(z.string());
const texts = z.record(z.string(), z.string());
const timeout = { timeout: z.optional(z.number()) };
/** True: every request contains the server's tools, however many there are. False: the model finds them by a search. */
const loading = { alwaysLoad: z.optional(z.boolean()) };

/** A policy for the calls of a tool. A deny holds in every mode. */
export const McpServerToolPolicy = open(() => ({
  name: z.string(),
  permission_policy: z.optional(word(['always_allow', 'always_ask', 'always_deny'])),
  /** The widest permission that an administrator grants. */
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
  ...loading,
}));
export type McpStdioServerConfig = z.infer<typeof McpStdioServerConfig>;

const remote = { url: z.string(), headers: z.optional(texts), ...timeout, ...tools, ...loading };

export const McpSseServerConfig = open(() => ({ type: z.literal('sse'), ...remote }));
export type McpSseServerConfig = z.infer<typeof McpSseServerConfig>;

export const McpHttpServerConfig = open(() => ({ type: z.literal('http'), ...remote }));
export type McpHttpServerConfig = z.infer<typeof McpHttpServerConfig>;

/** A server in the host, which Heddle reaches by `mcp_message` requests. */
export const McpSdkServerConfig = open(() => ({ type: z.literal('sdk'), name: z.string(), ...timeout, ...tools }));
export type McpSdkServerConfig = z.infer<typeof McpSdkServerConfig>;

/** How to reach an MCP server, as the wire carries it. */
export const McpServerConfig = z.union([
  McpHttpServerConfig,
  McpSseServerConfig,
  McpSdkServerConfig,
  McpStdioServerConfig,
]);
export type McpServerConfig = z.infer<typeof McpServerConfig>;

/** A server of an account of the reference. Heddle has no servers of this kind. */
export interface McpClaudeAIProxyServerConfig {
  type: 'claudeai-proxy';
  url: string;
  id: string;
  timeout?: number;
}

export type McpServerStatusConfig = McpServerConfig | McpClaudeAIProxyServerConfig;

export const McpServerStatus = open(() => ({
  name: z.string(),
  status: word(['connected', 'failed', 'needs-auth', 'pending', 'disabled']),
  serverInfo: z.optional(open({ name: z.string(), version: z.string() })),
  error: text,
  /** As it was configured, with credentials masked. */
  config: z.optional(AnyObject as unknown as Schema<McpServerStatusConfig>),
  scope: text,
  transport: text,
  source: text,
  tools: z.optional(
    z.array(
      open({
        name: z.string(),
        description: text,
        annotations: z.optional(
          open({
            readOnly: z.optional(z.boolean()),
            destructive: z.optional(z.boolean()),
            openWorld: z.optional(z.boolean()),
          }),
        ),
        /** `ui`, for a tool that has its own page to show: `ui.resourceUri` is the resource to read. */
        _meta: z.optional(z.record(z.string(), z.unknown())),
      }),
    ),
  ),
}));
export type McpServerStatus = z.infer<typeof McpServerStatus>;

/** A JSON-RPC message, opaque to the wire. */
export const JsonRpcMessage = z.record(z.string(), z.unknown());
export type JsonRpcMessage = z.infer<typeof JsonRpcMessage>;
