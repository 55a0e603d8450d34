import { createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { FetchLike } from '../remote/fetch-like.ts';
import { asSignInFailure, authRequests, checkAddress, signInFailed } from './auth-requests.ts';
import { type DiscoverOptions, discover } from './discover.ts';
import { type SignedIn, tokensIn } from './signed-in.ts';

/** A program that signs in for itself: with a secret, or with a PEM key that signs a statement (RFC 7523). */
export type ProgramClient = { client_id: string } & (
  | { client_secret: string; private_key?: undefined }
  | { client_secret?: undefined; private_key: string }
);

export interface ProgramSignInOptions extends DiscoverOptions {
  fetch: FetchLike;
  now(): number;
  client: ProgramClient;
  /** The only authorization server that may get the secret, whatever the MCP server says. */
  issuer: string;
}

const REQUEST_MS = 10_000;
/** How long a signed statement of identity is valid. */
const STATEMENT_SECONDS = 300;

/**
 * Signs in as a program, without a person (the client credentials grant of OAuth). Rejects with `sign_in_failed`, and
 * with the signal's reason. It stores nothing.
 */
export function signInAsProgram(options: ProgramSignInOptions, signal: AbortSignal): Promise<SignedIn> {
  const { serverUrl, fetch, now, client, issuer } = options;
  const fetchFn = authRequests({ serverUrl, fetch, timeoutMs: REQUEST_MS, signal });
  return asSignInFailure(async () => {
    const { info, resource, scope } = await discover(options, fetchFn);
    const { authorizationServerUrl: authorizationServer, authorizationServerMetadata: metadata } = info;
    if (withoutSlash(authorizationServer) !== withoutSlash(issuer)) {
      const text = `The server has people sign in at ${authorizationServer}, and the secret is for ${issuer}`;
      throw signInFailed('unsafe_address', `${text}: it was not sent`);
    }
    const asked = { authorizationServer, client, ...(resource && { resource }), ...(scope && { askedScope: scope }) };
    const tokens = await requestTokens(asked, { metadata, serverUrl, fetchFn, now });
    return { serverUrl, ...asked, grant: 'client_credentials', ...(scope && { scope }), ...tokens };
  }, signal);
}

type Asked = Pick<SignedIn, 'authorizationServer' | 'client' | 'resource' | 'askedScope'>;

interface Request {
  metadata: AuthorizationServerMetadata | undefined;
  serverUrl: string;
  fetchFn: FetchLike;
  now(): number;
}

/**
 * Requests tokens, also when those of an earlier sign-in have expired. Rejects with the error of the authorization
 * server.
 */
export async function requestTokens(
  { authorizationServer, client, resource, askedScope }: Asked,
  { metadata, serverUrl, fetchFn, now }: Request,
): Promise<ReturnType<typeof tokensIn>> {
  const endpoint = new URL(metadata?.token_endpoint ?? '/token', authorizationServer);
  checkAddress(endpoint, serverUrl);
  const headers = new Headers({ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' });
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(askedScope !== undefined && { scope: askedScope }),
    ...(resource !== undefined && { resource }),
  });
  const { OAuthTokensSchema, parseErrorResponse } = await import('../mcp-package.ts');
  await authenticate(client, { headers, body, metadata, audience: metadata?.issuer ?? authorizationServer, now });
  const response = await fetchFn(endpoint, { method: 'POST', headers, body });
  if (!response.ok) throw await parseErrorResponse(response);
  const tokens = OAuthTokensSchema.parse(await response.json());
  if (tokens.token_type.toLowerCase() !== 'bearer') {
    throw signInFailed('failed', `The authorization server gave a token of the kind ${tokens.token_type}, not Bearer`);
  }
  return tokensIn(tokens, now());
}

interface Authenticated {
  headers: Headers;
  body: URLSearchParams;
  metadata: AuthorizationServerMetadata | undefined;
  audience: string;
  now(): number;
}

async function authenticate(
  client: SignedIn['client'],
  { headers, body, metadata, audience, now }: Authenticated,
): Promise<void> {
  const { client_id: id, client_secret: secret, private_key: key } = client;
  if (key !== undefined) {
    body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    body.set('client_assertion', statementOf(id, { key, audience, now: now() }));
    return;
  }
  const { selectClientAuthMethod } = await import('../mcp-package.ts');
  const method = selectClientAuthMethod({ client_id: id, ...(secret !== undefined && { client_secret: secret }) }, [
    ...(metadata?.token_endpoint_auth_methods_supported ?? []),
  ]);
  if (method === 'client_secret_post') {
    body.set('client_id', id);
    body.set('client_secret', secret ?? '');
    return;
  }
  const pair = [id, secret ?? ''].map(encodeURIComponent).join(':');
  headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
}

/** A signed statement of identity for this authorization server, valid for a few minutes (a JWT). */
function statementOf(id: string, { key, audience, now }: { key: string; audience: string; now: number }): string {
  const privateKey = readKey(key);
  const { alg, hash } = algorithmOf(privateKey);
  const at = Math.floor(now / 1000);
  const claims = { iss: id, sub: id, aud: audience, jti: randomUUID(), iat: at, exp: at + STATEMENT_SECONDS };
  const words = [{ alg, typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const text = words.join('.');
  const signature = sign(hash, Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // Without the cause, which could show the key.
    throw signInFailed('failed', 'The private key cannot be read: it must be PEM, without a password');
  }
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): {
  alg: string;
  hash: string | null;
} {
  const curve = asymmetricKeyDetails?.namedCurve;
  if (type === 'rsa') return { alg: 'RS256', hash: 'sha256' };
  if (type === 'ed25519') return { alg: 'EdDSA', hash: null };
  if (type === 'ec' && curve === 'prime256v1') return { alg: 'ES256', hash: 'sha256' };
  if (type === 'ec' && curve === 'secp384r1') return { alg: 'ES384', hash: 'sha384' };
  throw signInFailed('failed', 'The private key is of a kind that cannot be used: RSA, P-256, P-384 or Ed25519');
}

function withoutSlash(address: string): string {
  return address.replace(/\/$/, '');
}
