import type { CallHost } from '../mcp/sdk-bridge.ts';
import type { Tool } from '../tools/tool.ts';
import type { JsonObject } from '../util/json.ts';
import type { Logger } from '../util/runtime.ts';
import type { McpServerStatus } from '../wire/mcp.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { Env } from './home.ts';
import type { Parts } from './parts.ts';

/** The MCP servers of one session. Only sessions that have some load what is behind it. */
export interface SessionMcp {
  /** Begins to connect: the servers of the launch, and those that the host names in `initialize`. */
  start(initialize?: JsonObject): void;
  /** Waits until no server is pending, each within its time. Whether the tools have changed since the last time. */
  join(signal: AbortSignal): Promise<boolean>;
  tools(): readonly Tool[];
  statuses(): McpServerStatus[];
  /** Takes what a server of the host says by itself; the response, if there is one. Throws for an unknown server. */
  receive(serverName: string, message: JsonObject): Promise<JsonObject | null>;
  reconnect(name: string): Promise<void>;
  setEnabled(name: string, enabled: boolean): Promise<void>;
  /** Has these servers beside those of the launch, in place of those that were set before. */
  setServers(servers: JsonObject): Promise<{ added: string[]; removed: string[]; errors: Record<string, string> }>;
  close(): Promise<void>;
}

export interface SessionMcpOptions {
  config: RunConfig;
  cwd: string;
  env: Env;
  callHost: CallHost;
  log: Logger;
}

/** Before a turn: servers that are still connecting are waited for, and what tools they have is what the turn has. */
export async function joinServers(parts: Parts, signal: AbortSignal): Promise<void> {
  if (parts.mcp && (await parts.mcp.join(signal))) await parts.remakeTools();
}

/** As the line that opens a turn lists them. */
export function listServers({ mcp }: Pick<Parts, 'mcp'>): { name: string; status: string }[] {
  return (mcp?.statuses() ?? []).map(({ name, status }) => ({ name, status }));
}
