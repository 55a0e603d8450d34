import { join } from 'node:path';
import { nameOf } from '../../config/settings/settings.ts';
import { readSettingsFile } from '../../config/settings/settings-file.ts';
import { readMcpConfig } from '../../mcp/config/read-config.ts';
import { type ServerRules, serverRules } from '../../mcp/config/server-policy.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import { printable } from '../../util/text/printable.ts';
import { type Env, toolEnv } from '../engine/environment.ts';
import type { TrustReport } from '../launch/project-trust.ts';
import { PROJECT_SERVERS, type ServerLookup, USER_SERVERS } from './server-files.ts';

/** A server as a file, the launch or a request configures it. */
export interface ConfiguredServer {
  name: string;
  /** The configuration, not parsed yet. */
  raw: JsonObject;
  scope: 'dynamic' | 'local' | 'project' | 'user' | 'plugin' | 'agent';
  /** `sdk` for a server that the host runs, otherwise the scope. */
  source: string;
  /** The values of `${NAME}` in the configuration. */
  variables: Env;
  /** Variables for its process, in addition to those of the configuration. */
  env?: Env;
  /** Settings disable it. */
  isDisabled?: boolean;
}

export interface ConfiguredServers {
  /** Each name once: the server of the strongest scope. */
  servers: ConfiguredServer[];
  rules: ServerRules[];
  /** Whether the project's file was trusted; null when there is none. */
  trust: TrustReport | null;
}

/**
 * The servers of a session: those of the launch, then those of the user for this project, the project's, the user's for
 * all projects, and those of plugins. Rejects with `invalid_option` when the launch cannot be read. A file that cannot be
 * read is logged and left out.
 */
export async function findServers(options: ServerLookup): Promise<ConfiguredServers> {
  const { config, configuration, directories, env, log } = options;
  const launched = await readMcpConfig(config.mcpConfig ?? [], directories.cwd);
  const servers: ConfiguredServer[] = [...launched].map(([name, raw]) => dynamicServer(name, raw, env));
  const project = config.strictMcpConfig ? null : await projectServers(options);
  if (!config.strictMcpConfig) {
    const own = readUserFile(options);
    servers.push(
      ...serversIn(own.local, { scope: 'local', source: 'local', variables: env }, log),
      ...(project?.servers ?? []),
      ...serversIn(own.user, { scope: 'user', source: 'user', variables: env }, log),
      ...pluginServers(options),
    );
  }
  const seen = new Set<string>();
  return {
    servers: servers.filter(({ name }) => !seen.has(name) && seen.add(name)),
    rules: configuration.loaded.layers.map((layer) => serverRules(layer.values, nameOf(layer))),
    trust: project?.trust ?? null,
  };
}

/** A server of the launch or of a request. */
export function dynamicServer(name: string, raw: JsonObject, variables: Env): ConfiguredServer {
  return { name, raw, scope: 'dynamic', source: raw.type === 'sdk' ? 'sdk' : 'dynamic', variables };
}

/** The servers of an agent's definition. Its author is unknown here, so that it gets no credentials. */
export function agentServers(servers: JsonObject, env: Env): ConfiguredServer[] {
  const origin = { scope: 'agent', source: 'agent', variables: toolEnv(env) } as const;
  return Object.entries(servers).flatMap(([name, raw]) => (isObject(raw) ? { ...origin, name, raw } : []));
}

/** More than anyone has; each may be a process to start, and nothing else runs meanwhile. */
const MAX_SERVERS = 100;

function serversIn(raw: unknown, origin: Omit<ConfiguredServer, 'name' | 'raw'>, log: Logger): ConfiguredServer[] {
  if (raw === undefined) return [];
  if (!isObject(raw)) {
    log('warn', `mcpServers of the scope ${origin.scope} is no object: it was left out`);
    return [];
  }
  const all = Object.entries(raw);
  if (all.length > MAX_SERVERS) {
    log(
      'warn',
      `mcpServers of the scope ${origin.scope} has ${all.length} servers: all but the first ${MAX_SERVERS} were left out`,
    );
  }
  return all.slice(0, MAX_SERVERS).flatMap(([name, server]) => {
    if (isObject(server)) return { ...origin, name, raw: server };
    log('warn', `The MCP server ${printable(name)} of the scope ${origin.scope} is no object: it was left out`);
    return [];
  });
}

/** The user's own servers, for all projects and for this one, from the file that the reference uses, too. */
function readUserFile({ configuration, directories, log }: ServerLookup): { user?: unknown; local?: unknown } {
  const { cwd, configHome } = directories;
  if (configHome === null) return {};
  const { mcpServers, projects } = readServerFile(join(configHome, USER_SERVERS), log);
  const project = isObject(projects) && Object.hasOwn(projects, cwd) ? projects[cwd] : undefined;
  return {
    ...(configuration.scopes.includes('userSettings') && { user: mcpServers }),
    ...(configuration.scopes.includes('localSettings') && isObject(project) && { local: project.mcpServers }),
  };
}

/** Null when the project has no file of servers, or the launch does not read it. */
async function projectServers(
  options: ServerLookup,
): Promise<{ servers: ConfiguredServer[]; trust: TrustReport } | null> {
  const { configuration, directories, env, log } = options;
  if (!configuration.scopes.includes('projectSettings')) return null;
  const { mcpServers } = readServerFile(join(directories.cwd, PROJECT_SERVERS), log);
  // A project does not get the credentials of the runtime by naming their variables.
  const origin = { scope: 'project', source: 'project', variables: toolEnv(env) } as const;
  const servers = serversIn(mcpServers, origin, log);
  if (servers.length === 0) return null;
  const state = await configuration.projectTrust();
  if (state === 'trusted') return { servers: servers.map(selectServers(options)), trust: { state, ignored: [] } };
  const names = servers.map(({ name }) => name);
  const why = state === 'changed' ? 'has changed since it was trusted' : 'is not trusted';
  const list = printable(names.join(', '));
  log(
    'warn',
    `This directory ${why}, so the MCP servers of ${PROJECT_SERVERS} were not started: ${list}. \`heddle trust\` or --trust lets them act.`,
  );
  return { servers: [], trust: { state, ignored: [{ file: PROJECT_SERVERS, keys: names }] } };
}

/** Disables those servers of a trusted project that the settings do not enable. Without such settings all are enabled. */
function selectServers({ configuration: { settings } }: ServerLookup): (server: ConfiguredServer) => ConfiguredServer {
  const { enableAllProjectMcpServers, enabledMcpjsonServers, disabledMcpjsonServers = [] } = settings;
  const wantsOthers = enableAllProjectMcpServers ?? enabledMcpjsonServers === undefined;
  return (server) => {
    const isNamed = enabledMcpjsonServers?.includes(server.name) === true;
    const isWanted = (isNamed || wantsOthers) && !disabledMcpjsonServers.includes(server.name);
    return isWanted ? server : { ...server, isDisabled: true };
  };
}

function pluginServers({ extensions, env, log }: ServerLookup): ConfiguredServer[] {
  return extensions.plugins.flatMap(({ name: plugin, env: own, mcpServers }) => {
    const origin = {
      scope: 'plugin',
      source: 'plugin',
      variables: { ...toolEnv(env), ...own },
      env: own,
    } as const;
    const servers = serversIn(mcpServers ?? undefined, origin, log);
    return servers.map((server) => ({ ...server, name: `plugin:${plugin}:${server.name}` }));
  });
}

function readServerFile(path: string, log: Logger): JsonObject {
  try {
    return readSettingsFile(path) ?? {};
  } catch (error) {
    log('warn', `The MCP servers of ${path} were left out: ${messageOf(error)}`);
    return {};
  }
}
