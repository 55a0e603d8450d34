import type { JsonObject } from '../../util/json.ts';
import type { McpServerConfig as McpServerConfigOnWire } from '../../wire/mcp.ts';
import type { McpSdkServerConfigWithInstance, McpServerConfig, McpServerInstance } from './option-types.ts';
import type { GivenOptions } from './options.ts';

export type McpServers = Record<string, McpServerConfig>;

/**
 * The value of `--mcp-config`: the servers as JSON, or the path of the file. Undefined when the option is not given.
 */
export function mcpConfig({ mcpServers }: GivenOptions): string[] | undefined {
  if (mcpServers === undefined) return undefined;
  if (typeof mcpServers === 'string') return [mcpServers];
  // Also for an empty record: with `strictMcpConfig` it means that there are no servers.
  return [JSON.stringify({ mcpServers: serversOnWire(mcpServers) })];
}

/** The servers as the agent gets them. For a server in this program the agent only learns that it exists. */
export function serversOnWire(servers: McpServers): Record<string, McpServerConfigOnWire> {
  const configs = Object.entries(servers).map(([name, config]): [string, McpServerConfigOnWire] => [
    name,
    isSdkServer(config) ? { type: 'sdk', name: config.name, ...settingsOf(config) } : config,
  ]);
  return Object.fromEntries(configs);
}

/** The options of the servers in this program, by the name in `mcpServers`. */
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

/** The servers in this program, by the name in `mcpServers`. */
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
