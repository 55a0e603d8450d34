import type { Trust } from '../config/trust-store.ts';
import type { FetchLike } from '../mcp/fetch-like.ts';
import { McpNeedsAuth } from '../mcp/oauth-fetch.ts';
import type { McpToolInfo, ServerInfo } from '../mcp/server-answers.ts';
import { shownConfig } from '../mcp/server-config.ts';
import { Aborted } from '../util/abort.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { Logger } from '../util/runtime.ts';
import { startTimer } from '../util/timer.ts';
import { HeddleError } from '../wire/errors.ts';
import type { Launch } from '../wire/run-config.ts';
import { defineServer, refusalOf, type ServerMeans } from './define-server.ts';
import type { Engine } from './engine.ts';
import { openExtensions } from './extensions.ts';
import { type Env, toolEnv } from './home.ts';
import { type ServerPlace, writtenServers } from './mcp-files.ts';
import { openPlace } from './place.ts';
import { proxiedFetch } from './proxied-fetch.ts';
import { serverStartupMs } from './server-env.ts';
import { findServers, type GivenServer } from './server-sources.ts';

/** A server that a run in this directory would have, or would have if somebody trusted the project. */
export interface AdminServer {
  name: string;
  scope: GivenServer['scope'];
  /** As it may be shown. */
  config: JsonObject;
  /** Why it would not be started; null when it would. */
  idle: { status: 'untrusted' | 'disabled' | 'denied'; reason: string } | null;
  server: GivenServer;
}

/** The servers of a directory, and what to reach them with. */
export interface ServerAdmin {
  place: ServerPlace;
  /** How far the project's own servers are believed; null when it has none. */
  trust: Trust | null;
  servers: readonly AdminServer[];
  /** Throws `server_not_found`. */
  find(name: string): AdminServer;
  /** Connects, lists the tools and disconnects again, within the time that a session would wait. Never rejects. */
  reach(server: AdminServer): Promise<Reached>;
  /** What sends the requests of a sign-in. */
  fetch: FetchLike;
}

/** What came of connecting. */
export interface Reached {
  status: 'connected' | 'failed' | 'needs-auth' | NonNullable<AdminServer['idle']>['status'];
  /** Why it is not connected. */
  error?: string;
  serverInfo?: ServerInfo;
  tools: readonly McpToolInfo[];
  /** Until it had introduced itself, in milliseconds. */
  connectMs?: number;
  /** Until it had told its tools, from then on. */
  listMs?: number;
  /** What it has said on stderr, as far as that is kept. */
  stderr: string;
}

const MAX_STDERR = 20_000;

/** Rejects with `invalid_settings` for files that cannot be read. Nothing is connected yet. */
export async function openServerAdmin(engine: Engine, launch: Launch): Promise<ServerAdmin> {
  const { log } = engine.runtime;
  const { cwd, configuration, config, env } = await openPlace(engine, launch);
  const place: ServerPlace = { cwd, configHome: engine.homeOf(launch) };
  const options = { config, configuration, env, places: place, log };
  const found = await findServers({ ...options, extensions: await openExtensions(options) });
  const trust = found.trust?.state === 'none' ? null : (found.trust?.state ?? null);
  const active = found.servers.map((server) => adminServer(server, idleOf(server, refusalOf(server, found.rules))));
  const servers = [...active, ...untrustedServers(place, { trust, env, taken: active })];
  const startupMs = serverStartupMs(env);
  return {
    place,
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
      const means = (own: Logger): ServerMeans => ({
        callHost: () => Promise.reject(new Error('There is no host to ask')),
        ...{ startupMs, cwd, env, processes: engine.processes, log: own },
        async fetchFor(each) {
          const { serverFetch } = await import('./server-fetch.ts');
          return serverFetch(each, { engine, env, configHome: place.configHome });
        },
      });
      return reach(server.server, means, { startupMs, log });
    },
  };
}

function adminServer(server: GivenServer, idle: AdminServer['idle']): AdminServer {
  const { name, scope, given } = server;
  return { name, scope, config: shownConfig(name, given), idle, server };
}

function idleOf({ isDisabled }: GivenServer, refusal: string | null): AdminServer['idle'] {
  if (refusal !== null) return { status: 'denied', reason: refusal };
  return isDisabled ? { status: 'disabled', reason: 'settings have it off' } : null;
}

/** Those of a project that nobody trusts are shown, and never started (ruling G1). */
function untrustedServers(
  place: ServerPlace,
  { trust, env, taken }: { trust: Trust | null; env: Env; taken: readonly AdminServer[] },
): AdminServer[] {
  if (trust === null || trust === 'trusted') return [];
  const reason = `the directory ${trust === 'changed' ? 'has changed since it was trusted' : 'is not trusted'}: heddle trust`;
  return writtenServers(place)
    .filter(({ scope, name }) => scope === 'project' && !taken.some((each) => each.name === name))
    .map(({ name, given }) => {
      const server: GivenServer = { name, given, scope: 'project', source: 'project', variables: toolEnv(env) };
      return adminServer(server, { status: 'untrusted', reason });
    });
}

async function reach(
  server: GivenServer,
  meansWith: (log: Logger) => ServerMeans,
  { startupMs, log }: { startupMs: number; log: Logger },
): Promise<Reached> {
  let stderr = '';
  const own = `MCP server ${server.name}: `;
  const means = meansWith((level, message, facts) => {
    if (level === 'debug' && message.startsWith(own))
      stderr = `${stderr}${message.slice(own.length)}\n`.slice(-MAX_STDERR);
    else log(level, message, facts);
  });
  const stop = new AbortController();
  const timer = startTimer(startupMs, () => stop.abort(new Aborted('timeout', `no answer within ${startupMs} ms`)));
  const began = performance.now();
  try {
    const lost = (error: Error) => stop.abort(error);
    const client = await defineServer(server, means).open({
      onListChanged: () => {},
      onLeftOut: (what) => log('warn', `The MCP server ${server.name} ${what}`),
      onLost: lost,
    });
    try {
      await client.initialize(stop.signal);
      const connectMs = Math.round(performance.now() - began);
      const tools = await client.listTools(stop.signal);
      const listMs = Math.round(performance.now() - began) - connectMs;
      const { serverInfo } = client.facts;
      return {
        status: 'connected',
        ...(serverInfo && { serverInfo }),
        tools,
        connectMs,
        listMs,
        stderr: stderr.trimEnd(),
      };
    } finally {
      await client.close().catch(() => {}); // how it went is known by now
    }
  } catch (error) {
    const status = error instanceof McpNeedsAuth ? 'needs-auth' : 'failed';
    return { status, error: messageOf(error), tools: [], stderr: stderr.trimEnd() };
  } finally {
    clearTimeout(timer);
  }
}
