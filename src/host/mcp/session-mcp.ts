import type { Tool, ToolOutput } from '../../tools/tool.ts';
import type { JsonObject } from '../../util/json.ts';
import type { McpServerStatus } from '../../wire/mcp.ts';
import type { ConfiguredServers } from './find-servers.ts';
import type { ServerFeatures } from './server-features.ts';

/** The MCP servers of one session. Only sessions that have servers load the implementation. */
export interface SessionMcp extends ServerFeatures {
  /** Begins to connect: the servers of the launch, and those that the host names in `initialize`. */
  start(initialize?: JsonObject): void;
  /** Waits until no server is pending, each within its time. Resolves with whether the tools have changed since then. */
  join(signal: AbortSignal): Promise<boolean>;
  /** Resolves when no server is pending, each within its time. */
  settled(): Promise<void>;
  tools(): readonly Tool[];
  /** The tool of this name, with results that `read` converts; null: there is none. */
  toolOf(name: string, read: (result: unknown) => ToolOutput): { server: string; tool: Tool } | null;
  statuses(): McpServerStatus[];
  /** Takes a message of a server that the host runs; resolves with the response, if any. Throws for an unknown server. */
  receive(serverName: string, message: JsonObject): Promise<JsonObject | null>;
  reconnect(name: string): Promise<void>;
  setEnabled(name: string, enabled: boolean): Promise<void>;
  /** Adds these servers to those of the launch, and removes those that an earlier call added. */
  setServers(servers: JsonObject): Promise<{ added: string[]; removed: string[]; errors: Record<string, string> }>;
  /** Replaces the configured servers. Those whose configuration has changed connect again. */
  useConfigured(configured: ConfiguredServers): Promise<void>;
  /** Connects servers for one agent only. The caller closes them. */
  connectFor(agent: string, servers: JsonObject, signal: AbortSignal): Promise<AgentServers>;
  /** Adds the servers of the agent that the session runs as. */
  addForMain(servers: JsonObject): void;
  close(): Promise<void>;
}

export interface AgentServers {
  tools: readonly Tool[];
  close(): Promise<void>;
}

/** The servers as the line that opens a turn lists them. */
export function listServers(
  mcp: Pick<SessionMcp, 'statuses'> | null,
): { name: string; status: string; source?: string }[] {
  return (mcp?.statuses() ?? []).map(({ name, status, source }) => ({ name, status, ...(source && { source }) }));
}
