import { createHash, type KeyObject, randomUUID, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface OAuthServersOptions {
  /** Programs may register themselves. Default true. */
  registration?: boolean;
  /** How long an access token lasts, in seconds. Default an hour; 0: it is over at once. */
  expiresIn?: number;
  /** Whether the server says how long. Default true. */
  saysExpiry?: boolean;
  /** The person says no. */
  denies?: boolean;
  /** Sends the browser back with a state of its own making before the right one. */
  forgesState?: boolean;
  /** What it says of itself in the answer (RFC 9207), in place of the truth. */
  issuer?: string;
  /** Lets everybody in. */
  open?: boolean;
  /** Laid over the metadata of the authorization server. */
  metadata?: Record<string, unknown>;
  /** Laid over the metadata of the protected resource. */
  resourceMetadata?: Record<string, unknown>;
  /** How long the token endpoint takes, in milliseconds. */
  tokenDelayMs?: number;
  /** Calls of tools need this scope: a token without it is refused with 403 (RFC 6750). */
  callScope?: string;
  /** Refuses calls with 403, whatever the token has. */
  refusesCalls?: boolean;
  /** A program that may sign in for itself: by its secret, or by what its key has signed. */
  program?: { id: string; secret?: string; key?: KeyObject };
  /** Takes what ends the servers, for tests that run side by side. Default: at the end of the running test. */
  whenOver?: (end: () => void) => void;
}

/** An MCP server that wants a sign-in, and the authorization server that it trusts, both on loopback. */
export interface OAuthServers {
  url: string;
  issuer: string;
  /** `METHOD /path` of everything that the authorization server was asked. */
  asked: string[];
  /** Bodies that the token endpoint got. */
  tokenRequests: Record<string, string>[];
  /** The scopes that sign-ins have asked for. */
  askedScopes: (string | null)[];
  /** `Authorization` headers that the MCP server got. */
  authorizations: (string | undefined)[];
  /** The person in the browser: follows the address that was shown to where it leads. Resolves with the last page. */
  browse(address: string): Promise<{ status: number; text: string }>;
  /** Access tokens stop working; renewing them still does. */
  endAccess(): void;
  /** Nothing that was given works any more. */
  revoke(): void;
  /** Every secret that was given out. */
  secrets(): string[];
}

/** Starts both; they go when the running test is over. */
export async function startOAuthServers(options: OAuthServersOptions = {}): Promise<OAuthServers> {
  const clients = new Map<string, string[]>();
  const codes = new Map<string, { challenge: string; redirectUri: string; client: string; scope: string }>();
  const scopes = new Map<string, string>();
  const askedScopes: (string | null)[] = [];
  const access = new Map<string, number>();
  const refresh = new Set<string>();
  const given: string[] = [];
  const asked: string[] = [];
  const tokenRequests: Record<string, string>[] = [];
  const authorizations: (string | undefined)[] = [];

  const authority = await listen(async (request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    asked.push(`${request.method} ${url.pathname}`);
    if (url.pathname === '/.well-known/oauth-authorization-server') return json(response, 200, authorityMetadata());
    if (url.pathname === '/register' && options.registration !== false) return register(request, response);
    if (url.pathname === '/authorize') return authorize(url.searchParams, response);
    if (url.pathname === '/token') return token(request, response);
    if (url.pathname === '/revoke') return revokeOne(request, response);
    json(response, 404, {});
  });
  const resource = await listen(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', base);
    if (pathname.startsWith('/.well-known/oauth-protected-resource')) {
      return json(response, 200, { resource: url, authorization_servers: [issuer], ...options.resourceMetadata });
    }
    if (pathname !== '/mcp') return json(response, 404, {});
    authorizations.push(request.headers.authorization);
    if (!options.open && !isLetIn(request)) {
      const metadata = `${base}/.well-known/oauth-protected-resource/mcp`;
      response.setHeader('www-authenticate', `Bearer resource_metadata="${metadata}", scope="tools"`);
      return json(response, 401, {});
    }
    const body = await textOf(request);
    const scope = scopes.get(tokenOf(request)) ?? '';
    const isCall = body.includes('"tools/call"');
    const { callScope } = options;
    if (isCall && callScope && (options.refusesCalls || !scope.split(' ').includes(callScope))) {
      const parts = ['error="insufficient_scope"', `scope="${callScope}"`];
      response.setHeader('www-authenticate', `Bearer ${parts.join(', ')}`);
      return json(response, 403, { error: 'insufficient_scope' });
    }
    await serveMcp(request, body, response);
  });
  const { whenOver = onTestFinished } = options;
  whenOver(() => {
    for (const server of [authority, resource]) {
      server.close();
      server.closeAllConnections();
    }
  });
  const issuer = addressOf(authority);
  const base = addressOf(resource);
  const url = `${base}/mcp`;

  function authorityMetadata() {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      revocation_endpoint: `${issuer}/revoke`,
      ...(options.registration !== false && { registration_endpoint: `${issuer}/register` }),
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
      ...options.metadata,
    };
  }

  async function register(request: IncomingMessage, response: ServerResponse) {
    const { redirect_uris: uris, ...rest } = JSON.parse(await textOf(request));
    const client = `client-${clients.size + 1}`;
    clients.set(client, uris);
    json(response, 201, { ...rest, redirect_uris: uris, client_id: client });
  }

  function authorize(query: URLSearchParams, response: ServerResponse) {
    const client = query.get('client_id') ?? '';
    const redirectUri = query.get('redirect_uri') ?? '';
    const known = clients.get(client) ?? (options.registration === false && client === 'by-hand' ? [redirectUri] : []);
    if (!known.includes(redirectUri) || query.get('code_challenge_method') !== 'S256') return json(response, 400, {});
    if (query.get('resource') !== url) return json(response, 400, {});
    const back = new URL(redirectUri);
    const code = `code-${randomUUID()}`;
    const scope = query.get('scope') ?? '';
    askedScopes.push(query.get('scope'));
    codes.set(code, { challenge: query.get('code_challenge') ?? '', redirectUri, client, scope });
    if (options.denies) back.searchParams.set('error', 'access_denied');
    else back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    if (options.issuer) back.searchParams.set('iss', options.issuer);
    response.writeHead(302, { location: back.href }).end();
  }

  async function token(request: IncomingMessage, response: ServerResponse) {
    const body = Object.fromEntries(new URLSearchParams(await textOf(request)));
    tokenRequests.push(body);
    if (options.tokenDelayMs) await new Promise((resolve) => setTimeout(resolve, options.tokenDelayMs));
    if (body.resource !== url) return json(response, 400, { error: 'invalid_target' });
    if (body.grant_type === 'client_credentials') {
      if (!isProgram(request, body)) return json(response, 401, { error: 'invalid_client' });
      const { refresh_token: _, ...tokens } = issue(body.scope);
      return json(response, 200, tokens);
    }
    if (body.grant_type === 'authorization_code') {
      const code = codes.get(body.code ?? '');
      codes.delete(body.code ?? '');
      const challenge = createHash('sha256')
        .update(body.code_verifier ?? '')
        .digest('base64url');
      const isRight =
        code?.challenge === challenge && code.redirectUri === body.redirect_uri && code.client === body.client_id;
      return isRight ? json(response, 200, issue(code.scope)) : json(response, 400, { error: 'invalid_grant' });
    }
    // Good for one time only: whoever loses the answer has lost the sign-in.
    if (!refresh.delete(body.refresh_token ?? '')) return json(response, 400, { error: 'invalid_grant' });
    json(response, 200, issue());
  }

  function isProgram(request: IncomingMessage, body: Record<string, string>): boolean {
    const { id, secret, key } = options.program ?? {};
    if (key) return isSignedBy(key, body.client_assertion ?? '', { id, issuer });
    const [user, password] = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64')
      .toString()
      .split(':')
      .map(decodeURIComponent);
    const isBasic = user === id && password === secret;
    return secret !== undefined && (isBasic || (body.client_id === id && body.client_secret === secret));
  }

  async function revokeOne(request: IncomingMessage, response: ServerResponse) {
    const { token: revoked = '' } = Object.fromEntries(new URLSearchParams(await textOf(request)));
    access.delete(revoked);
    refresh.delete(revoked);
    response.writeHead(200).end();
  }

  function issue(scope = '') {
    const seconds = options.expiresIn ?? 3600;
    const tokens = { access_token: `access-${randomUUID()}`, refresh_token: `refresh-${randomUUID()}` };
    given.push(...Object.values(tokens));
    scopes.set(tokens.access_token, scope);
    access.set(tokens.access_token, Date.now() + seconds * 1000);
    refresh.add(tokens.refresh_token);
    return { ...tokens, token_type: 'Bearer', ...(options.saysExpiry !== false && { expires_in: seconds }) };
  }

  function isLetIn(request: IncomingMessage): boolean {
    return (access.get(tokenOf(request)) ?? 0) > Date.now();
  }

  return {
    url,
    issuer,
    asked,
    tokenRequests,
    askedScopes,
    authorizations,
    async browse(address) {
      const step = await fetch(address, { redirect: 'manual' });
      const back = step.headers.get('location');
      if (back === null) return { status: step.status, text: await step.text() };
      if (options.forgesState) {
        const forged = new URL(back);
        forged.searchParams.set('state', 'forged');
        await fetch(forged);
      }
      const page = await fetch(back);
      return { status: page.status, text: await page.text() };
    },
    endAccess: () => access.clear(),
    revoke() {
      access.clear();
      refresh.clear();
    },
    secrets: () => [...given],
  };
}

const TOOL = { name: 'whoami', description: 'Tells who is signed in', inputSchema: { type: 'object', properties: {} } };

/** As little of MCP as a client needs: one tool, answers as JSON, no stream. */
async function serveMcp(request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return json(response, 405, {});
  const { id, method, params } = JSON.parse(body);
  if (id === undefined) return void response.writeHead(202).end();
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'guarded', version: '1.0.0' },
    },
    'tools/list': { tools: [TOOL] },
    'tools/call': { content: [{ type: 'text', text: `You came with ${request.headers.authorization}` }] },
    ping: {},
  };
  const result = results[method];
  const error = { code: -32601, message: 'There is no such method' };
  json(response, 200, { jsonrpc: '2.0', id, ...(result ? { result } : { error }) });
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<Server> {
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function tokenOf({ headers }: IncomingMessage): string {
  return headers.authorization?.replace(/^Bearer /, '') ?? '';
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += part;
  return text;
}

/** Whether a statement (a JWT of a P-256 key) is of this program, for this authorization server, and of now. */
function isSignedBy(
  key: KeyObject,
  statement: string,
  { id, issuer }: { id: string | undefined; issuer: string },
): boolean {
  const [head = '', claims = '', signature = ''] = statement.split('.');
  const text = Buffer.from(`${head}.${claims}`);
  const isSigned = verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
  const { iss, sub, aud, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}');
  return isSigned && iss === id && sub === id && aud === issuer && exp * 1000 > Date.now();
}
