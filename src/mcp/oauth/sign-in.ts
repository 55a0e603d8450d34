import { randomBytes } from 'node:crypto';
import type { OAuthServerInfo } from '@modelcontextprotocol/sdk/client/auth.js';
import { Aborted } from '../../util/abort.ts';
import { isObject } from '../../util/json.ts';
import type { FetchLike } from '../remote/fetch-like.ts';
import { asSignInFailure, authRequests, checkAddress, signInFailed } from './auth-requests.ts';
import { type CallbackAnswer, type CallbackListener, listenForCallback } from './callback.ts';
import { type DiscoverOptions, discover } from './discover.ts';
import { type SignedIn, tokensIn } from './signed-in.ts';

export interface SignInOptions extends DiscoverOptions {
  fetch: FetchLike;
  now(): number;
  /** Shows the address to the person, or opens it. */
  show(address: string): void;
  /** How long the person may take, in milliseconds. */
  patienceMs: number;
  /** A client that was registered by hand; otherwise Heddle registers itself. */
  client?: { client_id: string; client_secret?: string };
  /** The port to which the browser returns; 0 or absent is any free port. */
  callbackPort?: number;
}

const REQUEST_MS = 10_000;

/**
 * Signs in to a server that asks for it (OAuth 2.1 as MCP uses it):
 * 1 probe      the server refuses, and names its authorization server
 * 2 discover   the abilities of that authorization server
 * 3 listen     on this machine, for the browser to return
 * 4 client     the given one, or one that is registered now
 * 5 authorize  the person agrees in the browser; PKCE and the state bind the answer to this attempt
 * 6 exchange   the answer for tokens
 * Rejects with `sign_in_failed`, and with the signal's reason. It stores nothing.
 */
export async function signIn(options: SignInOptions, signal: AbortSignal): Promise<SignedIn> {
  return asSignInFailure(() => attempt(options, signal), signal);
}

async function attempt(options: SignInOptions, signal: AbortSignal): Promise<SignedIn> {
  const { serverUrl, fetch, now } = options;
  const fetchFn = authRequests({ serverUrl, fetch, timeoutMs: REQUEST_MS, signal });
  const { info, resource, scope } = await discover(options, fetchFn);
  const { authorizationServerUrl, authorizationServerMetadata: metadata } = info;
  const shared = { ...(metadata && { metadata }), ...(resource !== undefined && { resource }) };
  const { exchangeAuthorization, startAuthorization } = await import('../mcp-package.ts');
  const listener = await listenForCallback(options.callbackPort);
  try {
    const { redirectUri } = listener;
    const client = options.client ?? (await register(info, { redirectUri, scope, fetchFn }));
    const state = randomBytes(32).toString('base64url');
    const { authorizationUrl, codeVerifier } = await startAuthorization(authorizationServerUrl, {
      ...shared,
      clientInformation: client,
      redirectUrl: redirectUri,
      state,
      ...(scope && { scope }),
    });
    checkAddress(authorizationUrl, serverUrl);
    options.show(authorizationUrl.href);
    const answer = await answerWithin(options.patienceMs, listener, state, signal);
    checkIssuer(answer, info);
    const tokens = await exchangeAuthorization(authorizationServerUrl, {
      ...shared,
      clientInformation: client,
      authorizationCode: answer.code,
      codeVerifier,
      redirectUri,
      fetchFn,
    });
    if (tokens.token_type.toLowerCase() !== 'bearer') {
      throw signInFailed(
        'failed',
        `The authorization server gave a token of the kind ${tokens.token_type}, not Bearer`,
      );
    }
    return {
      serverUrl,
      authorizationServer: authorizationServerUrl,
      client: saved(client),
      ...(resource !== undefined && { resource }),
      ...(scope && { scope, askedScope: scope }),
      ...tokensIn(tokens, now()),
    };
  } finally {
    await listener.close();
  }
}

type Client = NonNullable<SignInOptions['client']> & { token_endpoint_auth_method?: string };

async function register(
  { authorizationServerUrl, authorizationServerMetadata: metadata }: OAuthServerInfo,
  { redirectUri, scope, fetchFn }: { redirectUri: string; scope: string | undefined; fetchFn: FetchLike },
): Promise<Client> {
  if (metadata && !metadata.registration_endpoint) {
    const { host } = new URL(authorizationServerUrl);
    const hint = 'register one there by hand, and name it with --client-id';
    throw signInFailed('no_registration', `${host} does not register programs by itself: ${hint}`);
  }
  const { registerClient } = await import('../mcp-package.ts');
  const registered = await registerClient(authorizationServerUrl, {
    clientMetadata: {
      client_name: 'Heddle',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    fetchFn,
    ...(metadata && { metadata }),
    ...(scope && { scope }),
  });
  return saved(registered);
}

function saved({
  client_id,
  client_secret,
  token_endpoint_auth_method: method,
}: {
  client_id: string;
  client_secret?: string | undefined;
  token_endpoint_auth_method?: string | undefined;
}): Client {
  return {
    client_id,
    ...(client_secret !== undefined && { client_secret }),
    ...(method !== undefined && { token_endpoint_auth_method: method }),
  };
}

async function answerWithin(
  patienceMs: number,
  listener: CallbackListener,
  state: string,
  signal: AbortSignal,
): Promise<CallbackAnswer> {
  const late = new AbortController();
  const text = `Nobody has signed in within ${Math.round(patienceMs / 1000)} seconds`;
  const timer = setTimeout(() => late.abort(new Aborted('timeout', text)), patienceMs);
  try {
    return await listener.answer(state, AbortSignal.any([signal, late.signal]));
  } catch (error) {
    throw late.signal.aborted && !signal.aborted ? signInFailed('timeout', text, error) : error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Rejects an answer of another authorization server than the one that was asked (RFC 9207). A server's own metadata is
 * not enough: a server that poses as another would get that one's code.
 */
function checkIssuer({ issuer }: CallbackAnswer, info: OAuthServerInfo): void {
  const { authorizationServerMetadata: metadata, authorizationServerUrl } = info;
  const said: unknown = metadata;
  const isPromised = isObject(said) && said.authorization_response_iss_parameter_supported === true;
  const isAsked = issuer !== undefined && originOf(issuer) === originOf(authorizationServerUrl);
  if (issuer === undefined ? !isPromised : isAsked && (!metadata || issuer === metadata.issuer)) return;
  throw signInFailed('failed', 'The answer to the sign-in comes from another authorization server than was asked');
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}
