import { type Manifest, McpClient, type McpLink } from '../../mcp/client.ts';
import { expandConfig } from '../../mcp/config/expand-config.ts';
import {
  type RemoteConfig,
  readServerConfig,
  type ServerConfig,
  type StdioConfig,
  shownConfig,
  typeOf,
} from '../../mcp/config/server-config.ts';
import { type ServerRules, serverRefusal } from '../../mcp/config/server-policy.ts';
import type { FetchLike } from '../../mcp/remote/fetch-like.ts';
import { remoteLink } from '../../mcp/remote/remote-link.ts';
import { type CallHost, sdkLink } from '../../mcp/sdk-bridge.ts';
import type { OpenDependencies, ServerDefinition } from '../../mcp/server-definition.ts';
import { stdioLink } from '../../mcp/stdio-link.ts';
import type { JsonObject } from '../../util/json.ts';
import type { Processes } from '../../util/process/process.ts';
import type { Logger } from '../../util/runtime.ts';
import { positiveInteger } from '../../util/text/setting-text.ts';
import type { Env } from '../engine/environment.ts';
import type { ConfiguredServer } from './find-servers.ts';

/** The dependencies for connecting to servers. */
export interface ServerDependencies {
  callHost: CallHost;
  /** Milliseconds for everything but tool calls. */
  startupMs: number;
  cwd: string;
  env: Env;
  processes: Pick<Processes, 'run'>;
  log: Logger;
  /** Makes the function that sends requests to a remote server, with the tokens of the user who signed in to it. */
  fetchFor(server: { name: string; url: string }): Promise<FetchLike>;
}

/** The host's descriptions of its own servers, by name. */
export type Manifests = ReadonlyMap<string, Manifest>;

/** Why settings forbid a server; null when they do not, or when its configuration is invalid. */
export function refusalOf(server: ConfiguredServer, rules: readonly ServerRules[]): string | null {
  try {
    return serverRefusal(server.name, configOf(server), rules);
  } catch {
    return null; // connecting to it fails with the reason
  }
}

/** Defines a server for the list of connections. One with an invalid configuration is listed as failed, with the reason. */
export function defineServer(
  server: ConfiguredServer,
  serverDependencies: ServerDependencies,
  manifests?: Manifests,
): ServerDefinition {
  const { name, raw, scope, source, isDisabled } = server;
  const shown = { name, scope, source, transport: typeOf(raw), config: shownConfig(name, raw), isDisabled };
  try {
    const config = configOf(server);
    const { timeoutMs, alwaysLoad } = config;
    return {
      ...shown,
      timeoutMs,
      alwaysLoad,
      open: (dependencies) =>
        open(server, config, { ...serverDependencies, client: dependencies, manifest: manifests?.get(name) }),
    };
  } catch (error) {
    return {
      ...shown,
      open() {
        throw error;
      },
    };
  }
}

function configOf({ raw, variables }: ConfiguredServer): ServerConfig {
  return readServerConfig(expandConfig(raw, variables));
}

interface Opening extends ServerDependencies {
  client: OpenDependencies;
  manifest: Manifest | undefined;
}

async function open(server: ConfiguredServer, config: ServerConfig, opening: Opening): Promise<McpClient> {
  const { startupMs, client: dependencies, callHost, manifest } = opening;
  const { name } = server;
  if (config.type === 'sdk') {
    return new McpClient({
      link: sdkLink(name, callHost),
      timeoutMs: startupMs,
      ...dependencies,
      capabilities: {}, // the reference introduces itself to them without capabilities
      ...(manifest && { manifest: { ...manifest } }),
    });
  }
  const makeLink =
    config.type === 'stdio' ? stdioLinks(server, config, opening) : await remoteLinks(server, config, opening);
  const client: McpClient = new McpClient({
    link: makeLink((message) => client.receive(message)),
    timeoutMs: startupMs,
    ...dependencies,
  });
  return client;
}

type MakeLink = (receive: (message: JsonObject) => Promise<JsonObject | null>) => McpLink;

function stdioLinks({ name, env: own }: ConfiguredServer, config: StdioConfig, opening: Opening): MakeLink {
  const { cwd, env, processes, log, client: dependencies } = opening;
  return (receive) =>
    stdioLink({
      serverName: name,
      command: config.command,
      args: config.args,
      cwd,
      env: serverEnv(env, { ...own, ...config.env }),
      processes,
      log,
      receive,
      onLost: dependencies.onLost,
    });
}

/** Loads the package that speaks HTTP with the first remote server. */
async function remoteLinks({ name }: ConfiguredServer, config: RemoteConfig, opening: Opening): Promise<MakeLink> {
  const { log, client: dependencies, fetchFor } = opening;
  const { type, url, headers } = config;
  const [mcp, fetch] = await Promise.all([import('../../mcp/mcp-package.ts'), fetchFor({ name, url })]);
  return (receive) =>
    remoteLink({ mcp, serverName: name, type, url, headers, fetch, log, receive, onLost: dependencies.onLost });
}

/** How long a server may take to connect, in milliseconds. */
export function serverStartupMs(env: Env): number {
  return positiveInteger(env.MCP_TIMEOUT) ?? 30_000;
}

/** The variables that any program needs: the user, the paths of programs and temporary files, the language. */
const BASE: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'TMPDIR', 'TZ'],
  ...['LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'LC_MESSAGES'],
];

/**
 * The environment of an MCP server: a base, and the variables of its own configuration. No other variable of the runtime
 * gets there unless the configuration names it, `"KEY": "${KEY}"`.
 */
function serverEnv(env: Env, own: Env): Record<string, string | undefined> {
  const base = BASE.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...Object.fromEntries(base), ...own };
}
