import type { FetchLike } from './fetch-like.ts';
import type { ServerAuth } from './oauth-tokens.ts';

/** Somebody has to sign in before the server answers. */
export class McpNeedsAuth extends Error {
  override readonly name = 'McpNeedsAuth';
}

export interface AuthorizedFetchOptions {
  serverName: string;
  serverUrl: string;
  auth: ServerAuth;
  fetch: FetchLike;
}

/**
 * Requests to one server with the token of its sign-in. A token that the server rejects is renewed once; when that is not
 * enough, this rejects with `McpNeedsAuth`. The token goes to the server's own origin only, and never in the place of an
 * `Authorization` header that was configured.
 */
export function authorizedFetch({ serverName, serverUrl, auth, fetch }: AuthorizedFetchOptions): FetchLike {
  const { origin } = new URL(serverUrl);
  const refuse = () => new McpNeedsAuth(`it asks for a sign-in: heddle mcp login ${serverName}`);
  return async (url, init) => {
    const headers = new Headers(init?.headers);
    if (new URL(url).origin !== origin || headers.has('authorization')) return fetch(url, init);
    const send = (token: string | null) => {
      if (token !== null) headers.set('authorization', `Bearer ${token}`);
      return fetch(url, { ...init, headers });
    };
    const token = await auth.token();
    const response = await send(token);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    const next = token === null ? null : await auth.token(token);
    if (next === null) throw refuse();
    const again = await send(next);
    if (again.status !== 401) return again;
    await again.body?.cancel();
    throw refuse();
  };
}
