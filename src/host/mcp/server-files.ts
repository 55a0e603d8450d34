import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ExtensionOptions, Extensions } from '../extensions/extensions.ts';

/** In a project: the servers for everyone who works on it. */
export const PROJECT_SERVERS = '.mcp.json';
/** In the config home: the user's servers, for all projects (`mcpServers`) and for one (`projects.DIR.mcpServers`). */
export const USER_SERVERS = '.claude.json';

/** Where the servers of a session are looked for. */
export type ServerLookup = ExtensionOptions & { extensions: Pick<Extensions, 'plugins'> };

/** Whether a launch may have servers. Looks only whether the files exist: most runs have none, and load nothing more. */
export function mayHaveServers({ config, configuration, directories, extensions }: ServerLookup): boolean {
  if (config.mcpConfig?.length) return true;
  if (config.strictMcpConfig) return false;
  const { scopes } = configuration;
  const { cwd, configHome } = directories;
  if (extensions.plugins.some(({ mcpServers }) => mcpServers !== null)) return true;
  if (scopes.includes('projectSettings') && existsSync(join(cwd, PROJECT_SERVERS))) return true;
  const isOfUser = scopes.includes('userSettings') || scopes.includes('localSettings');
  return isOfUser && configHome !== null && existsSync(join(configHome, USER_SERVERS));
}
