import type { FetchLike } from '../remote/fetch-like.ts';
import { authRequests } from './auth-requests.ts';
import { requestTokens } from './program-sign-in.ts';
import { joinedScope, missingScope } from './scope.ts';
import { type SignedIn, tokensIn } from './signed-in.ts';

/** The store for the sign-in to one server, shared by all processes. */
export interface AuthStore {
  /** Null when there is no sign-in, or none that can be read. */
  read(): SignedIn | null;
  /** Only within `locked`. Null removes the sign-in. */
  write(next: SignedIn | null): Promise<void>;
  /** Runs one piece of work at a time, across all processes. */
  locked<T>(work: () => Promise<T>): Promise<T>;
}

export interface ServerAuthOptions {
  serverUrl: string;
  store: AuthStore;
  fetch: FetchLike;
  now(): number;
  /** Called with every secret before it is used. */
  onSecrets?(secrets: readonly string[]): void;
}

/** The sign-in to one server, as a session uses it. */
export interface ServerAuth {
  /**
   * A token to send; null when the user has to sign in (again). A token that has expired, or that the server has
   * `rejected`, is renewed, by one process for all. Rejects when a renewal cannot be tried now.
   */
  token(rejected?: string): Promise<string | null>;
  /**
   * Records that the server wants a wider scope than the token has: the next sign-in requests it together with the
   * granted scope. Resolves with the words that no sign-in has requested yet; empty where a further sign-in would not
   * help.
   */
  wantScope(scope: string): Promise<string[]>;
}

/** Tokens are renewed this early, so that none expires while a request is on its way. */
const EARLY_MS = 30_000;
/** Shorter than the time after which a lock counts as abandoned. */
const RENEWAL_MS = 8000;

export function createServerAuth({ serverUrl, store, fetch, now, onSecrets }: ServerAuthOptions): ServerAuth {
  const isUsable = ({ accessToken, expiresAt }: SignedIn, rejected: string | undefined) =>
    accessToken !== rejected && (expiresAt === undefined || expiresAt - EARLY_MS > now());

  const readStored = () => {
    const stored = store.read();
    if (stored) onSecrets?.(secretsOf(stored));
    return stored;
  };

  /** A second process finds the tokens that the first one got: a refresh token may be valid only once. */
  const renew = (rejected: string | undefined) =>
    store.locked(async () => {
      const stored = readStored();
      if (!stored || isUsable(stored, rejected)) return stored?.accessToken ?? null;
      const next = await renewed(stored, { serverUrl, fetch, now });
      if (next) onSecrets?.(secretsOf(next));
      await store.write(next);
      return next?.accessToken ?? null;
    });

  return {
    async token(rejected) {
      const stored = readStored();
      if (!stored) return null;
      if (isUsable(stored, rejected)) return stored.accessToken;
      return canRenew(stored) ? renew(rejected) : null;
    },
    wantScope: (scope) =>
      store.locked(async () => {
        const stored = readStored();
        const missing = missingScope(scope, joinedScope(stored?.askedScope, stored?.scope));
        if (!stored || missing.length === 0) return missing;
        const wantedScope = joinedScope(stored.wantedScope, scope);
        await store.write({ ...stored, ...(wantedScope !== undefined && { wantedScope }) });
        return missing;
      }),
  };
}

export function canRenew({ refreshToken, grant }: SignedIn): boolean {
  return refreshToken !== undefined || grant !== undefined;
}

/** The values that must stay hidden. */
function secretsOf({ accessToken, refreshToken, client }: SignedIn): string[] {
  return [accessToken, refreshToken, client.client_secret, client.private_key].filter((secret) => secret !== undefined);
}

/** Null when the authorization server no longer accepts the refresh token; rejects when it cannot be reached. */
async function renewed(
  stored: SignedIn,
  { serverUrl, fetch, now }: Pick<ServerAuthOptions, 'serverUrl' | 'fetch' | 'now'>,
): Promise<SignedIn | null> {
  const { authorizationServer, client, refreshToken, resource, grant } = stored;
  if (!canRenew(stored)) return null;
  const fetchFn = authRequests({ serverUrl, fetch, timeoutMs: RENEWAL_MS, signal: AbortSignal.timeout(RENEWAL_MS) });
  const mcp = await import('../mcp-package.ts');
  try {
    const metadata = await mcp.discoverAuthorizationServerMetadata(authorizationServer, { fetchFn });
    const { expiresAt: _, ...lasting } = stored;
    if (grant || refreshToken === undefined) {
      return { ...lasting, ...(await requestTokens(stored, { metadata, serverUrl, fetchFn, now })) };
    }
    const tokens = await mcp.refreshAuthorization(authorizationServer, {
      clientInformation: client,
      refreshToken,
      fetchFn,
      ...(metadata && { metadata }),
      ...(resource !== undefined && { resource }),
    });
    return { ...lasting, ...tokensIn(tokens, now()) };
  } catch (error) {
    if (isFinal(error, mcp)) return null;
    throw error;
  }
}

function isFinal(error: unknown, mcp: typeof import('../mcp-package.ts')): boolean {
  return (
    error instanceof mcp.InvalidGrantError ||
    error instanceof mcp.InvalidClientError ||
    error instanceof mcp.UnauthorizedClientError
  );
}
