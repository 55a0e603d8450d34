import type { Trust } from '../config/trust-store.ts';
import type { Engine } from '../host/engine/engine.ts';
import { type Env, toolEnv } from '../host/engine/environment.ts';
import { proxiedFetch } from '../host/engine/proxied-fetch.ts';
import { openExtensions } from '../host/extensions/open-extensions.ts';
import { openLaunchContext } from '../host/launch/launch-context.ts';
import { defineServer, refusalOf, type ServerDependencies, serverStartupMs } from '../host/mcp/define-server.ts';
import { type ConfiguredServer, findServers } from '../host/mcp/find-servers.ts';
import { serverFetch } from '../host/mcp/server-fetch.ts';
import { shownConfig } from '../mcp/config/server-config.ts';
import { McpNeedsAuth } from '../mcp/needs-auth.ts';
import type { FetchLike } from '../mcp/remote/fetch-like.ts';
import type { McpToolInfo, ServerInfo } from '../mcp/server-answers.ts';
import { Aborted } from '../util/abort.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { Logger } from '../util/runtime.ts';
import { startTimer } from '../util/timer.ts';
import { HeddleError } from '../wire/errors.ts';
import type { Launch } from '../wire/run-config.ts';
import { type ServerLocation, writtenServers } from './server-files.ts';

/** A server that a run in this directory would have, or would have if the project were trusted. */
export interface AdminServer {
  name: string;
  scope: ConfiguredServer['scope'];
  /** The configuration in a form that may be shown. */
  config: JsonObject;
  /** Why it would not be started; null when it would. */
  idle: { status: 'untrusted' | 'disabled' | 'denied'; reason: string } | null;
  server: ConfiguredServer;
}

/** The servers of a directory, and the functions to reach them. */
export interface ServerAdmin {
  location: ServerLocation;
  /** The trust in the project's own servers; null when it has none. */
  trust: Trust | null;
  servers: readonly AdminServer[];
  /** Throws `server_not_found`. */
  find(name: string): AdminServer;
  /** Connects, lists the tools and disconnects again, within the time that a session would wait. Never rejects. */
  reach(server: AdminServer): Promise<Reached>;
  /** Sends the requests of a sign-in. */
  fetch: FetchLike;
}

/** The result of connecting. */
export interface Reached {
  status: 'connected' | 'failed' | 'needs-auth' | NonNullable<AdminServer['idle']>['status'];
  /** Why it is not connected. */
  error?: string;
  serverInfo?: ServerInfo;
  tools: readonly McpToolInfo[];
  /** The time until `initialize` was answered, in milliseconds. */
  connectMs?: number;
  /** The time from then until its tools were listed, in milliseconds. */
  listMs?: number;
  /** Its output on stderr, as far as it is kept. */
  stderr: string;
}

const MAX_STDERR = 20_000;

/** Rejects with `invalid_settings` for files that cannot be read. Connects nothing yet. */
export async function openServerAdmin(engine: Engine, launch: Launch): Promise<ServerAdmin> {
  const { log } = engine.runtime;
  const { cwd, configuration, config, env } = await openLaunchContext(engine, launch);
  const location: ServerLocation = { cwd, configHome: engine.homeOf(launch) };
  const options = { config, configuration, env, directories: location, log };
  const configured = await findServers({ ...options, extensions: await openExtensions(options) });
  const trust = configured.trust?.state === 'none' ? null : (configured.trust?.state ?? null);
  const active = configured.servers.map((server) =>
    adminServer(server, idleOf(server, refusalOf(server, configured.rules))),
  );
  const servers = [...active, ...untrustedServers(location, { trust, env, taken: active })];
  const startupMs = serverStartupMs(env);
  return {
    location,
    trust,
    servers,
    fetch: proxiedFetch(env),
    find(name) {
      const server = servers.find((each) => each.name === name);
      if (server) return server;
      throw new HeddleError(
        'server_not_found',
        `No MCP server named ${JSON.stringify(name)}. heddle mcp list shows those there are`,
        {
          facts: { name },
        },
      );
    },
    async reach(server) {
      if (server.idle) return { status: server.idle.status, error: server.idle.reason, tools: [], stderr: '' };
      const means = (own: Logger): ServerDependencies => ({
        callHost: () => Promise.reject(new Error('There is no host to ask')),
        ...{ startupMs, cwd, env, processes: engine.processes, log: own },
        fetchFor: async (each) => serverFetch(each, { engine, env, configHome: location.configHome }),
      });
      return reach(server.server, means, { startupMs, log });
    },
  };
}

function adminServer(server: ConfiguredServer, idle: AdminServer['idle']): AdminServer {
  const { name, scope, raw } = server;
  return { name, scope, config: shownConfig(name, raw), idle, server };
}

function idleOf({ isDisabled }: ConfiguredServer, refusal: string | null): AdminServer['idle'] {
  if (refusal !== null) return { status: 'denied', reason: refusal };
  return isDisabled ? { status: 'disabled', reason: 'settings have it off' } : null;
}

/** Servers of an untrusted project are shown, and never started. */
function untrustedServers(
  location: ServerLocation,
  { trust, env, taken }: { trust: Trust | null; env: Env; taken: readonly AdminServer[] },
): AdminServer[] {
  if (trust === null || trust === 'trusted') return [];
  const reason = `the directory ${trust === 'changed' ? 'has changed since it was trusted' : 'is not trusted'}: heddle trust`;
  return writtenServers(location)
    .filter(({ scope, name }) => scope === 'project' && !taken.some((each) => each.name === name))
    .map(({ name, raw }) => {
      const server: ConfiguredServer = { name, raw, scope: 'project', source: 'project', variables: toolEnv(env) };
      return adminServer(server, { status: 'untrusted', reason });
    });
}

async function reach(
  server: ConfiguredServer,
  meansWith: (log: Logger) => ServerDependencies,
  { startupMs, log }: { startupMs: number; log: Logger },
): Promise<Reached> {
  let stderr = '';
  const own = `MCP server ${server.name}: `;
  const serverDependencies = meansWith((level, message, details) => {
    if (level === 'debug' && message.startsWith(own))
      stderr = `${stderr}${message.slice(own.length)}\n`.slice(-MAX_STDERR);
    else log(level, message, details);
  });
  const stop = new AbortController();
  const timer = startTimer(startupMs, () => stop.abort(new Aborted('timeout', `no answer within ${startupMs} ms`)));
  const began = performance.now();
  try {
    const lost = (error: Error) => stop.abort(error);
    const client = await defineServer(server, serverDependencies).open({
      onListChanged: () => {},
      onLeftOut: (what) => log('warn', `The MCP server ${server.name} ${what}`),
      onLost: lost,
    });
    try {
      await client.initialize(stop.signal);
      const connectMs = Math.round(performance.now() - began);
      const tools = await client.listTools(stop.signal);
      const listMs = Math.round(performance.now() - began) - connectMs;
      const { serverInfo } = client.details;
      return {
        status: 'connected',
        ...(serverInfo && { serverInfo }),
        tools,
        connectMs,
        listMs,
        stderr: stderr.trimEnd(),
      };
    } finally {
      await client.close().catch(() => {}); // the result is known by now
    }
  } catch (error) {
    const status = error instanceof McpNeedsAuth ? 'needs-auth' : 'failed';
    return { status, error: messageOf(error), tools: [], stderr: stderr.trimEnd() };
  } finally {
    clearTimeout(timer);
  }
}
