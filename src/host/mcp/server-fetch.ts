import type { FetchLike } from '../../mcp/remote/fetch-like.ts';
import type { Engine } from '../engine/engine.ts';
import type { Env } from '../engine/environment.ts';
import { proxiedFetch } from '../engine/proxied-fetch.ts';
import { authorizedRequests } from './auth-store.ts';

export interface ServerFetchOptions {
  engine: Engine;
  env: Env;
  /** Null: there is no config home, so there are no tokens. */
  configHome: string | null;
}

/** Requests to one remote server: through the proxy of the environment, with the tokens of the user who signed in. */
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
