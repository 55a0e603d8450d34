import type { FetchLike } from '../mcp/fetch-like.ts';
import type { Engine } from './engine.ts';
import type { Env } from './home.ts';
import { authorizedRequests } from './mcp-auth.ts';
import { proxiedFetch } from './proxied-fetch.ts';

export interface ServerFetchOptions {
  engine: Engine;
  env: Env;
  /** Null: there is no home, so nobody has signed in. */
  configHome: string | null;
}

/** Requests to one remote server: through the proxy of the environment, with the tokens of whoever has signed in. */
export function serverFetch(server: { name: string; url: string }, options: ServerFetchOptions): FetchLike {
  const { engine, env, configHome } = options;
  return authorizedRequests(server, {
    configHome,
    fetch: proxiedFetch(env),
    now: () => engine.runtime.clock.now(),
    onSecrets: (secrets) => engine.obtainedSecrets.note(secrets),
    onWiderScope: (message) =>
      engine.runtime.log('warn', `The MCP server ${server.name} refused a request: ${message}`),
  });
}
