import {
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type OAuthServerInfo,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { checkResourceAllowed, resourceUrlFromServerUrl } from '@modelcontextprotocol/sdk/shared/auth-utils.js';
import type { FetchLike } from './fetch-like.ts';
import { signInFailed } from './oauth-requests.ts';
import { joinedScope } from './oauth-scope.ts';

export interface DiscoverOptions {
  serverUrl: string;
  transport: 'http' | 'sse';
  /** What to ask for; otherwise what the server asks for. */
  scope?: string;
  /** What to ask for besides: what an earlier sign-in had, and what the server has wanted since. */
  moreScope?: string;
}

export interface Discovered {
  info: OAuthServerInfo;
  /** What the tokens are for. */
  resource: string | undefined;
  /** What to ask for. */
  scope: string | undefined;
}

/** Who signs in to a server, and what it wants. Rejects with `sign_in_failed` when it wants nobody to. */
export async function discover(options: DiscoverOptions, fetchFn: FetchLike): Promise<Discovered> {
  const { serverUrl } = options;
  const asked = await probe(options, fetchFn);
  const { resourceMetadataUrl } = asked;
  const info = await discoverOAuthServerInfo(serverUrl, {
    fetchFn,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
  });
  if (!asked.isRefused && !info.authorizationServerMetadata) {
    throw signInFailed('not_asked', `${new URL(serverUrl).host} does not ask for a sign-in (HTTP ${asked.status})`);
  }
  const wanted = asked.scope ?? info.resourceMetadata?.scopes_supported?.join(' ');
  return {
    info,
    resource: resourceOf(info, serverUrl),
    scope: options.scope ?? joinedScope(wanted, options.moreScope),
  };
}

interface Asked {
  status: number;
  isRefused: boolean;
  resourceMetadataUrl?: URL;
  scope?: string;
}

/** The most harmless request that there is: a server that wants a sign-in refuses it. */
async function probe({ serverUrl, transport }: DiscoverOptions, fetchFn: FetchLike): Promise<Asked> {
  const accept = 'application/json, text/event-stream';
  const response = await fetchFn(
    serverUrl,
    transport === 'sse'
      ? { headers: { accept } }
      : {
          method: 'POST',
          headers: { accept, 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
        },
  );
  const { status } = response;
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    status,
    isRefused: status === 401,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
    ...(scope && { scope }),
  };
}

/** What the tokens are for (RFC 8707), in the server's own spelling; it must be this server. */
function resourceOf({ resourceMetadata }: OAuthServerInfo, serverUrl: string): string | undefined {
  if (!resourceMetadata) return undefined;
  const requestedResource = resourceUrlFromServerUrl(serverUrl);
  const { resource } = resourceMetadata;
  if (checkResourceAllowed({ requestedResource, configuredResource: resource })) return resource;
  throw signInFailed('failed', `The server asks for a sign-in to another one: ${resource}`);
}
