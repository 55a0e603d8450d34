import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Tool, ToolOutput } from '../tools/tool.ts';
import type { JsonObject } from '../util/json.ts';
import type { McpServerStatus } from '../wire/mcp.ts';
import type { ServerMeans } from './define-server.ts';
import type { ExtensionOptions, Extensions } from './extensions.ts';
import type { ServerOffers } from './mcp-offers.ts';
import type { Parts } from './parts.ts';
import type { FoundServers } from './server-sources.ts';

/** The MCP servers of one session. Only sessions that have some load what is behind it. */
export interface SessionMcp extends ServerOffers {
  /** Begins to connect: the servers of the launch, and those that the host names in `initialize`. */
  start(initialize?: JsonObject): void;
  /** Waits until no server is pending, each within its time. Whether the tools have changed since the last time. */
  join(signal: AbortSignal): Promise<boolean>;
  /** Resolves when no server is pending, each within its time. */
  settled(): Promise<void>;
  tools(): readonly Tool[];
  /** A tool by the name that the model knows it by, with what its server answers read in another way; null: there is none. */
  toolOf(name: string, read: (result: unknown) => ToolOutput): { server: string; tool: Tool } | null;
  statuses(): McpServerStatus[];
  /** Takes what a server of the host says by itself; the response, if there is one. Throws for an unknown server. */
  receive(serverName: string, message: JsonObject): Promise<JsonObject | null>;
  reconnect(name: string): Promise<void>;
  setEnabled(name: string, enabled: boolean): Promise<void>;
  /** Has these servers beside those of the launch, in place of those that were set before. */
  setServers(servers: JsonObject): Promise<{ added: string[]; removed: string[]; errors: Record<string, string> }>;
  /** Has these configured servers in the place of those that it had: what has changed is connected anew. */
  useFound(found: FoundServers): Promise<void>;
  /** Connects servers that are one agent's alone, until they are closed. */
  connectFor(agent: string, servers: JsonObject, signal: AbortSignal): Promise<AgentServers>;
  /** Has these servers of the agent that the session runs as, too. */
  addForMain(servers: JsonObject): void;
  close(): Promise<void>;
}

export interface AgentServers {
  tools: readonly Tool[];
  close(): Promise<void>;
}

export interface SessionMcpOptions extends Omit<ServerMeans, 'startupMs'> {
  found: FoundServers;
  /** Whether somebody at the other end answers what servers ask. */
  canAskHost: boolean;
  /** The session whose servers they are. */
  parts(): Parts;
}

/** The servers that a project keeps for whoever works on it. */
export const PROJECT_SERVERS = '.mcp.json';
/** In the config home: the user's servers, for all projects (`mcpServers`) and for one (`projects.DIR.mcpServers`). */
export const USER_SERVERS = '.claude.json';

/** Whether a launch may have servers. Only looks whether the files are there: most runs have none, and load nothing. */
export function mayHaveServers({ config, configuration, places, extensions }: ServerPlaces): boolean {
  if (config.mcpConfig?.length) return true;
  if (config.strictMcpConfig) return false;
  const { scopes } = configuration;
  const { cwd, configHome } = places;
  if (extensions.plugins.some(({ mcpServers }) => mcpServers !== null)) return true;
  if (scopes.includes('projectSettings') && existsSync(join(cwd, PROJECT_SERVERS))) return true;
  const isOfUser = scopes.includes('userSettings') || scopes.includes('localSettings');
  return isOfUser && configHome !== null && existsSync(join(configHome, USER_SERVERS));
}

/** Where the servers of a session are looked for. */
export type ServerPlaces = ExtensionOptions & { extensions: Pick<Extensions, 'plugins'> };

/** Before a turn: servers that are still connecting are waited for, and what tools they have is what the turn has. */
export async function joinServers(parts: Parts, signal: AbortSignal): Promise<void> {
  if (!parts.mcp || !(await parts.mcp.join(signal))) return;
  await parts.remakeTools();
  if (parts.toldCommands !== null) (await import('./commands-changed.ts')).tellCommands(parts);
}

/** As the line that opens a turn lists them. */
export function listServers({ mcp }: Pick<Parts, 'mcp'>): { name: string; status: string; source?: string }[] {
  return (mcp?.statuses() ?? []).map(({ name, status, source }) => ({ name, status, ...(source && { source }) }));
}
