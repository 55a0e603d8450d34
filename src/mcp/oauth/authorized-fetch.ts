import { McpNeedsAuth, McpNeedsScope } from '../needs-auth.ts';
import type { FetchLike } from '../remote/fetch-like.ts';
import type { ServerAuth } from './tokens.ts';

export interface AuthorizedFetchOptions {
  serverName: string;
  serverUrl: string;
  auth: ServerAuth;
  fetch: FetchLike;
  /** Called once for every wider scope that the server asks for. */
  onWiderScope?(message: string): void;
}

/**
 * Sends requests to one server with the token of its sign-in, to the server's own origin only, and never instead of a
 * configured `Authorization` header. A token that the server rejects is renewed once; if it rejects that too, the
 * request rejects with `McpNeedsAuth`. A request that needs a wider scope (RFC 6750) rejects with `McpNeedsScope`, and
 * the next sign-in asks for that scope.
 */
export function authorizedFetch({
  serverName,
  serverUrl,
  auth,
  fetch,
  onWiderScope,
}: AuthorizedFetchOptions): FetchLike {
  const { origin } = new URL(serverUrl);
  const reported = new Set<string>();
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
    if (token !== null) await refuseNarrow(response);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    const next = token === null ? null : await auth.token(token);
    if (next === null) throw refuse();
    const again = await send(next);
    await refuseNarrow(again);
    if (again.status !== 401) return again;
    await again.body?.cancel();
    throw refuse();
  };

  /** Rejects when the server accepts the token, but not for this request. */
  async function refuseNarrow(response: Response): Promise<void> {
    if (response.status !== 403) return;
    const { extractWWWAuthenticateParams } = await import('../mcp-package.ts');
    const { error, scope } = extractWWWAuthenticateParams(response);
    if (error !== 'insufficient_scope') return;
    await response.body?.cancel();
    if (!scope) throw new Error('it refuses this: the sign-in does not cover it, and it does not say what would');
    const missing = await auth.wantScope(scope);
    if (missing.length === 0) {
      throw new Error(`it refuses this although the sign-in has asked for all that it wants (${scope})`);
    }
    const message = `it asks for a wider sign-in (${missing.join(' ')}): heddle mcp login ${serverName}`;
    if (!reported.has(message)) onWiderScope?.(message);
    reported.add(message);
    throw new McpNeedsScope(message);
  }
}
