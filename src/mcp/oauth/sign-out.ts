import { discoverAuthorizationServerMetadata } from '@modelcontextprotocol/sdk/client/auth.js';
import { stringField } from '../util/json.ts';
import type { FetchLike } from './fetch-like.ts';
import { authRequests } from './oauth-requests.ts';
import type { SignedIn } from './oauth-tokens.ts';

const REVOCATION_MS = 5000;

/**
 * Tells the authorization server that the tokens are not wanted any more (RFC 7009). False when it does not take that;
 * rejects when it cannot be asked.
 */
export async function revokeTokens(signedIn: SignedIn, fetch: FetchLike): Promise<boolean> {
  const { serverUrl, authorizationServer, accessToken, refreshToken } = signedIn;
  const { client_id, client_secret } = signedIn.client;
  const signal = AbortSignal.timeout(REVOCATION_MS);
  const fetchFn = authRequests({ serverUrl, fetch, timeoutMs: REVOCATION_MS, signal });
  const metadata = await discoverAuthorizationServerMetadata(authorizationServer, { fetchFn });
  const endpoint = stringField(metadata, 'revocation_endpoint');
  if (endpoint === undefined) return false;
  // The refresh token first: with it the other could be had again.
  for (const token of [refreshToken, accessToken]) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, client_id, ...(client_secret !== undefined && { client_secret }) });
    const response = await fetchFn(endpoint, { method: 'POST', body });
    if (!response.ok) return false;
  }
  return true;
}
