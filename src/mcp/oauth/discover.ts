import type { OAuthServerInfo } from '@modelcontextprotocol/sdk/client/auth.js';
import type { FetchLike } from '../remote/fetch-like.ts';
import { signInFailed } from './auth-requests.ts';
import { joinedScope } from './scope.ts';

export interface DiscoverOptions {
  serverUrl: string;
  transport: 'http' | 'sse';
  /** The scope to request; absent: the scope that the server asks for. */
  scope?: string;
  /** Scope to request in addition: that of an earlier sign-in, and what the server has asked for since. */
  moreScope?: string;
}

export interface Discovered {
  info: OAuthServerInfo;
  /** The resource that the tokens are for. */
  resource: string | undefined;
  /** The scope to request. */
  scope: string | undefined;
}

/**
 * Finds the authorization server of a server, and the scope it wants. Rejects with `sign_in_failed` when the server
 * wants no sign-in.
 */
export async function discover(options: DiscoverOptions, fetchFn: FetchLike): Promise<Discovered> {
  const { serverUrl } = options;
  const asked = await probe(options, fetchFn);
  const { resourceMetadataUrl } = asked;
  const { discoverOAuthServerInfo } = await import('../mcp-package.ts');
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
    resource: await resourceOf(info, serverUrl),
    scope: options.scope ?? joinedScope(wanted, options.moreScope),
  };
}

interface Asked {
  status: number;
  isRefused: boolean;
  resourceMetadataUrl?: URL;
  scope?: string;
}

/** Sends the most harmless request: a server that wants a sign-in refuses it. */
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
  const { extractWWWAuthenticateParams } = await import('../mcp-package.ts');
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    status,
    isRefused: status === 401,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
    ...(scope && { scope }),
  };
}

/** The resource that the tokens are for (RFC 8707), in the server's own spelling; it must be this server. */
async function resourceOf({ resourceMetadata }: OAuthServerInfo, serverUrl: string): Promise<string | undefined> {
  if (!resourceMetadata) return undefined;
  const { checkResourceAllowed, resourceUrlFromServerUrl } = await import('../mcp-package.ts');
  const requestedResource = resourceUrlFromServerUrl(serverUrl);
  const { resource } = resourceMetadata;
  if (checkResourceAllowed({ requestedResource, configuredResource: resource })) return resource;
  throw signInFailed('failed', `The server asks for a sign-in to another one: ${resource}`);
}
