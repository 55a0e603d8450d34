import { discoverAuthorizationServerMetadata, refreshAuthorization } from '@modelcontextprotocol/sdk/client/auth.js';
import {
  InvalidClientError,
  InvalidGrantError,
  UnauthorizedClientError,
} from '@modelcontextprotocol/sdk/server/auth/errors.js';
import type { FetchLike } from './fetch-like.ts';
import { authRequests } from './oauth-requests.ts';
import { joinedScope, missingScope } from './oauth-scope.ts';

/** What is kept of a sign-in. All of it but the addresses is secret. */
export interface SignedIn {
  /** The only one that the tokens are for. */
  serverUrl: string;
  /** Who has issued them, and alone may renew them. */
  authorizationServer: string;
  client: { client_id: string; client_secret?: string; private_key?: string; token_endpoint_auth_method?: string };
  /** A program has signed in for itself, and can do so again; absent: a person has. */
  grant?: 'client_credentials';
  resource?: string;
  /** What the tokens are good for, as far as that was said. */
  scope?: string;
  /** What the sign-in has asked for. */
  askedScope?: string;
  /** What the server has wanted since: the next sign-in asks for it, too. */
  wantedScope?: string;
  accessToken: string;
  refreshToken?: string;
  /** Milliseconds since the epoch; absent where nobody has said. */
  expiresAt?: number;
}

/** Where the sign-in to one server is kept, for all processes. */
export interface AuthStore {
  /** Null when there is none, or none that can be read. */
  read(): SignedIn | null;
  /** Only within `locked`. Null takes it away. */
  write(next: SignedIn | null): Promise<void>;
  /** One at a time, over all processes. */
  locked<T>(work: () => Promise<T>): Promise<T>;
}

export interface ServerAuthOptions {
  serverUrl: string;
  store: AuthStore;
  fetch: FetchLike;
  now(): number;
  /** Told of every secret before it is used. */
  onSecrets?(secrets: readonly string[]): void;
}

/** The sign-in to one server, as a session uses it. */
export interface ServerAuth {
  /**
   * A token to send; null when somebody has to sign in (again). A token that is over, or that the server has `rejected`,
   * is renewed, by one process for all. Rejects when that cannot be tried just now.
   */
  token(rejected?: string): Promise<string | null>;
  /**
   * The server wants a wider scope than the token has: the next sign-in will ask for it, and for what was granted. Resolves
   * with the words that no sign-in has asked for yet; with none where a further sign-in would not help.
   */
  wantScope(scope: string): Promise<string[]>;
}

/** Renewed this early, so that no request is on its way with a token that ends meanwhile. */
const EARLY_MS = 30_000;
/** Shorter than a lock lasts before it counts as left behind. */
const RENEWAL_MS = 8000;
/** What a Date can hold: who says that a token lasts longer means for ever. */
const LAST_DATE_MS = 8.64e15;

export function createServerAuth({ serverUrl, store, fetch, now, onSecrets }: ServerAuthOptions): ServerAuth {
  const isUsable = ({ accessToken, expiresAt }: SignedIn, rejected: string | undefined) =>
    accessToken !== rejected && (expiresAt === undefined || expiresAt - EARLY_MS > now());

  const readStored = () => {
    const stored = store.read();
    if (stored) onSecrets?.(secretsOf(stored));
    return stored;
  };

  /** Whoever comes second finds what the first has got: a refresh token may be good for one time only. */
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

/** The values that nobody may see. */
function secretsOf({ accessToken, refreshToken, client }: SignedIn): string[] {
  return [accessToken, refreshToken, client.client_secret, client.private_key].filter((secret) => secret !== undefined);
}

/** What of the answer of a token endpoint is kept. */
export function tokensIn(
  tokens: {
    access_token: string;
    refresh_token?: string | undefined;
    expires_in?: number | undefined;
    scope?: string | undefined;
  },
  now: number,
): Pick<SignedIn, 'accessToken' | 'refreshToken' | 'expiresAt' | 'scope'> {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, scope } = tokens;
  return {
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(seconds !== undefined && { expiresAt: Math.min(now + seconds * 1000, LAST_DATE_MS) }),
    ...(scope !== undefined && { scope }),
  };
}

/** Null when the authorization server will not have it any more; rejects when it cannot be asked. */
async function renewed(
  stored: SignedIn,
  { serverUrl, fetch, now }: Pick<ServerAuthOptions, 'serverUrl' | 'fetch' | 'now'>,
): Promise<SignedIn | null> {
  const { authorizationServer, client, refreshToken, resource, grant } = stored;
  if (!canRenew(stored)) return null;
  const fetchFn = authRequests({ serverUrl, fetch, timeoutMs: RENEWAL_MS, signal: AbortSignal.timeout(RENEWAL_MS) });
  try {
    const metadata = await discoverAuthorizationServerMetadata(authorizationServer, { fetchFn });
    const { expiresAt: _, ...lasting } = stored;
    if (grant || refreshToken === undefined) {
      const { requestTokens } = await import('./oauth-program.ts');
      return { ...lasting, ...(await requestTokens(stored, { metadata, serverUrl, fetchFn, now })) };
    }
    const tokens = await refreshAuthorization(authorizationServer, {
      clientInformation: client,
      refreshToken,
      fetchFn,
      ...(metadata && { metadata }),
      ...(resource !== undefined && { resource }),
    });
    return { ...lasting, ...tokensIn(tokens, now()) };
  } catch (error) {
    if (isFinal(error)) return null;
    throw error;
  }
}

function isFinal(error: unknown): boolean {
  return (
    error instanceof InvalidGrantError ||
    error instanceof InvalidClientError ||
    error instanceof UnauthorizedClientError
  );
}
