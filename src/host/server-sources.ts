import { join } from 'node:path';
import { nameOf } from '../config/settings.ts';
import { readSettingsFile } from '../config/settings-file.ts';
import { readMcpConfig } from '../mcp/read-config.ts';
import { type ServerRules, serverRules } from '../mcp/server-policy.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { printable } from '../util/printable.ts';
import type { Logger } from '../util/runtime.ts';
import { type Env, toolEnv } from './home.ts';
import { PROJECT_SERVERS, type ServerPlaces, USER_SERVERS } from './mcp.ts';
import type { TrustReport } from './settings.ts';

/** A server as somebody has configured it. */
export interface GivenServer {
  name: string;
  /** As it is written. */
  given: JsonObject;
  scope: 'dynamic' | 'local' | 'project' | 'user' | 'plugin' | 'agent';
  /** Who has defined it: `sdk` for the host's own program, otherwise the scope. */
  source: string;
  /** What `${NAME}` in it may stand for. */
  variables: Env;
  /** What its process finds in its environment beside its own. */
  env?: Env;
  /** Settings want it off. */
  isDisabled?: boolean;
}

export interface FoundServers {
  /** Each name once, the strongest scope's. */
  servers: GivenServer[];
  rules: ServerRules[];
  /** How far the project's file was believed; null when it has none. */
  trust: TrustReport | null;
}

/**
 * The servers of a session: those of the launch, then those of the user for this project, the project's, the user's for
 * all projects, and those of plugins. Rejects with `invalid_option` for a launch that cannot be read; a file that cannot be
 * read is told, and the session goes on without its servers.
 */
export async function findServers(options: ServerPlaces): Promise<FoundServers> {
  const { config, configuration, places, env, log } = options;
  const launched = await readMcpConfig(config.mcpConfig ?? [], places.cwd);
  const found: GivenServer[] = [...launched].map(([name, given]) => dynamicServer(name, given, env));
  const project = config.strictMcpConfig ? null : await projectServers(options);
  if (!config.strictMcpConfig) {
    const own = readUserFile(options);
    found.push(
      ...serversIn(own.local, { scope: 'local', source: 'local', variables: env }, log),
      ...(project?.servers ?? []),
      ...serversIn(own.user, { scope: 'user', source: 'user', variables: env }, log),
      ...pluginServers(options),
    );
  }
  const seen = new Set<string>();
  return {
    servers: found.filter(({ name }) => !seen.has(name) && seen.add(name)),
    rules: configuration.loaded.layers.map((layer) => serverRules(layer.values, nameOf(layer))),
    trust: project?.trust ?? null,
  };
}

/** One that came with the launch or a request. */
export function dynamicServer(name: string, given: JsonObject, variables: Env): GivenServer {
  return { name, given, scope: 'dynamic', source: given.type === 'sdk' ? 'sdk' : 'dynamic', variables };
}

/** Those that the definition of an agent brings. Who has written it is not known here: it gets no credentials. */
export function agentServers(servers: JsonObject, env: Env): GivenServer[] {
  const place = { scope: 'agent', source: 'agent', variables: toolEnv(env) } as const;
  return Object.entries(servers).flatMap(([name, given]) => (isObject(given) ? { ...place, name, given } : []));
}

function serversIn(given: unknown, place: Omit<GivenServer, 'name' | 'given'>, log: Logger): GivenServer[] {
  if (given === undefined) return [];
  if (!isObject(given)) {
    log('warn', `mcpServers of the scope ${place.scope} is no object: it was left out`);
    return [];
  }
  return Object.entries(given).flatMap(([name, server]) => {
    if (isObject(server)) return { ...place, name, given: server };
    log('warn', `The MCP server ${printable(name)} of the scope ${place.scope} is no object: it was left out`);
    return [];
  });
}

/** The user's own servers, for all projects and for this one, in the file where the reference keeps them. */
function readUserFile({ configuration, places, log }: ServerPlaces): { user?: unknown; local?: unknown } {
  const { cwd, configHome } = places;
  if (configHome === null) return {};
  const { mcpServers, projects } = readServerFile(join(configHome, USER_SERVERS), log);
  const project = isObject(projects) && Object.hasOwn(projects, cwd) ? projects[cwd] : undefined;
  return {
    ...(configuration.scopes.includes('userSettings') && { user: mcpServers }),
    ...(configuration.scopes.includes('localSettings') && isObject(project) && { local: project.mcpServers }),
  };
}

/** Null where the project has no file of servers, or the launch does not read it. */
async function projectServers(options: ServerPlaces): Promise<{ servers: GivenServer[]; trust: TrustReport } | null> {
  const { configuration, places, env, log } = options;
  if (!configuration.scopes.includes('projectSettings')) return null;
  const { mcpServers } = readServerFile(join(places.cwd, PROJECT_SERVERS), log);
  // A project does not get the runtime's own credentials by naming them (rulings G2, G4).
  const place = { scope: 'project', source: 'project', variables: toolEnv(env) } as const;
  const servers = serversIn(mcpServers, place, log);
  if (servers.length === 0) return null;
  const state = await configuration.projectTrust();
  if (state === 'trusted') return { servers: servers.map(choose(options)), trust: { state, ignored: [] } };
  const names = servers.map(({ name }) => name);
  const why = state === 'changed' ? 'has changed since it was trusted' : 'is not trusted';
  const list = printable(names.join(', '));
  log(
    'warn',
    `This directory ${why}, so the MCP servers of ${PROJECT_SERVERS} were not started: ${list}. \`heddle trust\` or --trust lets them act.`,
  );
  return { servers: [], trust: { state, ignored: [{ file: PROJECT_SERVERS, keys: names }] } };
}

/** Which of a trusted project's servers the user wants: all, unless settings name some, or some that are not. */
function choose({ configuration: { settings } }: ServerPlaces): (server: GivenServer) => GivenServer {
  const { enableAllProjectMcpServers, enabledMcpjsonServers, disabledMcpjsonServers = [] } = settings;
  const wantsOthers = enableAllProjectMcpServers ?? enabledMcpjsonServers === undefined;
  return (server) => {
    const isNamed = enabledMcpjsonServers?.includes(server.name) === true;
    const isWanted = (isNamed || wantsOthers) && !disabledMcpjsonServers.includes(server.name);
    return isWanted ? server : { ...server, isDisabled: true };
  };
}

function pluginServers({ extensions, env, log }: ServerPlaces): GivenServer[] {
  return extensions.plugins.flatMap(({ name: plugin, root, mcpServers }) => {
    const own = { CLAUDE_PLUGIN_ROOT: root };
    const place = {
      scope: 'plugin',
      source: 'plugin',
      variables: { ...toolEnv(env), ...own },
      env: own,
    } as const;
    const servers = serversIn(mcpServers ?? undefined, place, log);
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
