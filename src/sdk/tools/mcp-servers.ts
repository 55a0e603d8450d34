import type { JsonObject } from '../util/json.ts';
import type { McpServerConfig as McpServerConfigOnWire } from '../wire/mcp.ts';
import type { McpSdkServerConfigWithInstance, McpServerConfig, McpServerInstance } from './option-types.ts';
import type { GivenOptions } from './options.ts';

export type McpServers = Record<string, McpServerConfig>;

/** What `--mcp-config` says: the servers as JSON, or the file that has them. Nothing when the option is not given. */
export function mcpConfig({ mcpServers }: GivenOptions): string[] | undefined {
  if (mcpServers === undefined) return undefined;
  if (typeof mcpServers === 'string') return [mcpServers];
  // An empty record, too: with `strictMcpConfig` it means that there are none.
  return [JSON.stringify({ mcpServers: serversOnWire(mcpServers) })];
}

/** Servers as the agent hears of them: of one that lives here, only that it exists. */
export function serversOnWire(servers: McpServers): Record<string, McpServerConfigOnWire> {
  const configs = Object.entries(servers).map(([name, config]): [string, McpServerConfigOnWire] => [
    name,
    isSdkServer(config) ? { type: 'sdk', name: config.name, ...settingsOf(config) } : config,
  ]);
  return Object.fromEntries(configs);
}

/** What is said of the servers of this program beside their names, by the name under which they were given. */
export function sdkServerConfigs(mcpServers: GivenOptions['mcpServers']): JsonObject | undefined {
  if (mcpServers === undefined || typeof mcpServers === 'string') return undefined;
  const given = Object.entries(mcpServers).flatMap(([name, config]) =>
    isSdkServer(config) ? [[name, settingsOf(config)] as const] : [],
  );
  const said = given.filter(([, settings]) => Object.keys(settings).length > 0);
  return said.length > 0 ? Object.fromEntries(said) : undefined;
}

function settingsOf({ timeout, tools }: McpSdkServerConfigWithInstance) {
  return { ...(timeout !== undefined && { timeout }), ...(tools !== undefined && { tools }) };
}

/** The servers that live in this program, by the name under which they were given. */
export function instancesOf(mcpServers: GivenOptions['mcpServers']): Map<string, McpServerInstance> {
  if (mcpServers === undefined || typeof mcpServers === 'string') return new Map();
  return new Map(
    Object.entries(mcpServers).flatMap(([name, config]) =>
      isSdkServer(config) ? [[name, config.instance] as const] : [],
    ),
  );
}

function isSdkServer(config: McpServerConfig): config is McpSdkServerConfigWithInstance {
  return config.type === 'sdk';
}
