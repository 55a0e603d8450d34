import { stringField } from '../../util/json.ts';
import type { FetchLike } from '../remote/fetch-like.ts';
import { authRequests } from './auth-requests.ts';
import type { SignedIn } from './signed-in.ts';

const REVOCATION_MS = 5000;

/**
 * Revokes the tokens at the authorization server (RFC 7009). False when it does not support that; rejects when it
 * cannot be reached.
 */
export async function revokeTokens(signedIn: SignedIn, fetch: FetchLike): Promise<boolean> {
  const { serverUrl, authorizationServer, accessToken, refreshToken } = signedIn;
  const { client_id, client_secret } = signedIn.client;
  const signal = AbortSignal.timeout(REVOCATION_MS);
  const fetchFn = authRequests({ serverUrl, fetch, timeoutMs: REVOCATION_MS, signal });
  const { discoverAuthorizationServerMetadata } = await import('../mcp-package.ts');
  const metadata = await discoverAuthorizationServerMetadata(authorizationServer, { fetchFn });
  const endpoint = stringField(metadata, 'revocation_endpoint');
  if (endpoint === undefined) return false;
  // The refresh token first: it could obtain the access token again.
  for (const token of [refreshToken, accessToken]) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, client_id, ...(client_secret !== undefined && { client_secret }) });
    const response = await fetchFn(endpoint, { method: 'POST', body });
    if (!response.ok) return false;
  }
  return true;
}
