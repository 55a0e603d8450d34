import { type Manifest, McpClient, type McpLink } from '../mcp/client.ts';
import type { OpenSeams, ServerDefinition } from '../mcp/connections.ts';
import { expandConfig } from '../mcp/expand-config.ts';
import type { FetchLike } from '../mcp/fetch-like.ts';
import { type CallHost, sdkLink } from '../mcp/sdk-bridge.ts';
import {
  type RemoteConfig,
  readServerConfig,
  type ServerConfig,
  type StdioConfig,
  shownConfig,
  typeOf,
} from '../mcp/server-config.ts';
import { type ServerRules, serverRefusal } from '../mcp/server-policy.ts';
import { stdioLink } from '../mcp/stdio-link.ts';
import type { JsonObject } from '../util/json.ts';
import type { Processes } from '../util/process.ts';
import type { Logger } from '../util/runtime.ts';
import type { Env } from './home.ts';
import { serverEnv } from './server-env.ts';
import type { GivenServer } from './server-sources.ts';

/** What servers are reached with. */
export interface ServerMeans {
  callHost: CallHost;
  /** Milliseconds for everything but tool calls. */
  startupMs: number;
  cwd: string;
  env: Env;
  processes: Pick<Processes, 'run'>;
  log: Logger;
  /** What sends the requests to a remote server, with the tokens of whoever has signed in to it. */
  fetchFor(server: { name: string; url: string }): Promise<FetchLike>;
}

/** What the host says of its own servers, by name. */
export type Manifests = ReadonlyMap<string, Manifest>;

/** Why settings do not want a server; null when they do, or when it cannot be read anyway. */
export function refusalOf(server: GivenServer, rules: readonly ServerRules[]): string | null {
  try {
    return serverRefusal(server.name, configOf(server), rules);
  } catch {
    return null; // it fails, and tells why
  }
}

/** A server whose configuration is not fit for use is in the list, too, with the reason: nobody looks for it in vain. */
export function defineServer(server: GivenServer, means: ServerMeans, manifests?: Manifests): ServerDefinition {
  const { name, given, scope, source, isDisabled } = server;
  const shown = { name, scope, source, transport: typeOf(given), config: shownConfig(name, given), isDisabled };
  try {
    const config = configOf(server);
    const { timeoutMs, alwaysLoad } = config;
    return {
      ...shown,
      timeoutMs,
      alwaysLoad,
      open: (seams) => open(server, config, { ...means, seams, manifest: manifests?.get(name) }),
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

function configOf({ given, variables }: GivenServer): ServerConfig {
  return readServerConfig(expandConfig(given, variables));
}

interface Opening extends ServerMeans {
  seams: OpenSeams;
  manifest: Manifest | undefined;
}

async function open(server: GivenServer, config: ServerConfig, opening: Opening): Promise<McpClient> {
  const { startupMs, seams, callHost, manifest } = opening;
  const { name } = server;
  if (config.type === 'sdk') {
    return new McpClient({
      link: sdkLink(name, callHost),
      timeoutMs: startupMs,
      ...seams,
      capabilities: {}, // as the reference introduces itself to them (wire.md 11.1)
      ...(manifest && { manifest: { ...manifest } }),
    });
  }
  const makeLink =
    config.type === 'stdio' ? stdioLinks(server, config, opening) : await remoteLinks(server, config, opening);
  const client: McpClient = new McpClient({
    link: makeLink((message) => client.receive(message)),
    timeoutMs: startupMs,
    ...seams,
  });
  return client;
}

type MakeLink = (receive: (message: JsonObject) => Promise<JsonObject | null>) => McpLink;

function stdioLinks({ name, env: own }: GivenServer, config: StdioConfig, opening: Opening): MakeLink {
  const { cwd, env, processes, log, seams } = opening;
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
      onLost: seams.onLost,
    });
}

/** The package that speaks HTTP is loaded with the first remote server. */
async function remoteLinks({ name }: GivenServer, config: RemoteConfig, opening: Opening): Promise<MakeLink> {
  const { log, seams, fetchFor } = opening;
  const { type, url, headers } = config;
  const [{ remoteLink }, fetch] = await Promise.all([import('../mcp/remote-link.ts'), fetchFor({ name, url })]);
  return (receive) => remoteLink({ serverName: name, type, url, headers, fetch, log, receive, onLost: seams.onLost });
}
