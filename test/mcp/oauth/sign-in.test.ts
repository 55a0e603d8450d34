import { describe, expect, test } from 'vitest';
import { checkAddress } from '../../../src/mcp/oauth/auth-requests.ts';
import { type SignInOptions, signIn } from '../../../src/mcp/oauth/sign-in.ts';
import { HeddleError } from '../../../src/wire/errors.ts';
import { type OAuthServers, startOAuthServers } from '../../support/oauth-servers.ts';

const never = new AbortController().signal;

/** Signs in, with a browser that goes where it is sent. */
function signInTo(servers: OAuthServers, options: Partial<SignInOptions> = {}, signal = never) {
  const shown: string[] = [];
  const pages: Promise<{ status: number; text: string }>[] = [];
  const outcome = signIn(
    {
      serverUrl: servers.url,
      transport: 'http',
      fetch,
      now: () => 1000,
      patienceMs: 5000,
      show(address) {
        shown.push(address);
        pages.push(servers.browse(address));
      },
      ...options,
    },
    signal,
  );
  return { outcome, shown, pages };
}

async function refusal(outcome: Promise<unknown>): Promise<{ reason: unknown; message: string }> {
  const error = await outcome.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!HeddleError.isInstance(error)) throw error ?? new Error('It was not refused');
  expect(error.code).toBe('sign_in_failed');
  return { reason: error.facts.reason, message: error.message };
}

describe('signIn', () => {
  test('finds who signs in, registers, and exchanges the answer for tokens', async () => {
    const servers = await startOAuthServers();
    const { outcome, shown, pages } = signInTo(servers);
    const signedIn = await outcome;
    expect(signedIn).toEqual({
      serverUrl: servers.url,
      authorizationServer: servers.issuer,
      client: { client_id: 'client-1', token_endpoint_auth_method: 'none' },
      resource: servers.url,
      scope: 'tools',
      askedScope: 'tools',
      accessToken: servers.secrets()[0],
      refreshToken: servers.secrets()[1],
      expiresAt: 1000 + 3600 * 1000,
    });
    expect(servers.asked).toEqual([
      'GET /.well-known/oauth-authorization-server',
      'POST /register',
      'GET /authorize',
      'POST /token',
    ]);
    const asked = new URL(shown[0] ?? '').searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
    expect(asked.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(servers.tokenRequests[0]).toMatchObject({ resource: servers.url, redirect_uri: asked.get('redirect_uri') });
    expect(await pages[0]).toMatchObject({ status: 200, text: expect.stringContaining('You are signed in') });
    // Nothing listens any more.
    await expect(fetch(asked.get('redirect_uri') ?? '')).rejects.toThrow('fetch failed');
  });

  test('every attempt has a state, a challenge and a port of its own', async () => {
    const servers = await startOAuthServers();
    const attempts = [signInTo(servers), signInTo(servers)];
    await Promise.all(attempts.map(({ outcome }) => outcome));
    for (const name of ['state', 'code_challenge', 'redirect_uri', 'client_id']) {
      const values = attempts.map(({ shown }) => new URL(shown[0] ?? '').searchParams.get(name));
      expect(new Set(values).size).toBe(2);
    }
  });

  test('an answer with another state is turned away, and the right one still counts', async () => {
    const servers = await startOAuthServers({ forgesState: true });
    expect((await signInTo(servers).outcome).accessToken).toBe(servers.secrets()[0]);
    expect(servers.tokenRequests).toHaveLength(1);
  });

  test('with nothing but wrong states it ends when the time is up, and no token is asked for', async () => {
    const servers = await startOAuthServers();
    const { outcome } = signInTo(servers, {
      patienceMs: 300,
      show(address) {
        const back = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
        back.search = '?code=stolen&state=guessed';
        fetch(back).catch(() => {});
      },
    });
    expect(await refusal(outcome)).toEqual({ reason: 'timeout', message: 'Nobody has signed in within 0 seconds' });
    expect(servers.tokenRequests).toEqual([]);
  });

  test('a refusal of the person ends it', async () => {
    const servers = await startOAuthServers({ denies: true });
    expect(await refusal(signInTo(servers).outcome)).toMatchObject({
      reason: 'refused',
      message: expect.stringContaining('access_denied'),
    });
  });

  test('an answer of another authorization server is not taken', async () => {
    const servers = await startOAuthServers({ issuer: 'https://evil.example' });
    expect((await refusal(signInTo(servers).outcome)).message).toContain('another authorization server');
    expect(servers.tokenRequests).toEqual([]);
    const posing = await startOAuthServers({
      issuer: 'https://honest.example',
      metadata: { issuer: 'https://honest.example' },
    });
    expect((await refusal(signInTo(posing).outcome)).message).toContain('another authorization server');
    expect(posing.tokenRequests).toEqual([]);
    const silent = await startOAuthServers({ metadata: { authorization_response_iss_parameter_supported: true } });
    expect((await refusal(signInTo(silent).outcome)).message).toContain('another authorization server');
  });

  test('without registration a client of one’s own is needed, and is used', async () => {
    const servers = await startOAuthServers({ registration: false });
    expect(await refusal(signInTo(servers).outcome)).toMatchObject({
      reason: 'no_registration',
      message: expect.stringContaining('--client-id'),
    });
    const client = { client_id: 'by-hand', client_secret: 'secret-by-hand' };
    expect((await signInTo(servers, { client }).outcome).client).toEqual(client);
    expect(servers.asked).not.toContain('POST /register');
    expect(servers.tokenRequests[0]).toMatchObject({ client_id: 'by-hand', client_secret: 'secret-by-hand' });
  });

  test('a server that lets everybody in and names nobody needs no sign-in', async () => {
    const servers = await startOAuthServers({ open: true, resourceMetadata: { authorization_servers: undefined } });
    expect((await refusal(signInTo(servers).outcome)).reason).toBe('not_asked');
  });

  test('a resource that is not this server is not signed in to', async () => {
    const servers = await startOAuthServers({ resourceMetadata: { resource: 'https://bank.example/mcp' } });
    expect((await refusal(signInTo(servers).outcome)).message).toContain('bank.example');
  });

  test.each([
    ['a program of the system', 'file:///bin/sh'],
    ['another scheme', 'ms-msdt:/id'],
    ['plain http elsewhere', 'http://198.51.100.7/authorize'],
  ])('no browser is sent to %s', async (_, address) => {
    const servers = await startOAuthServers({ metadata: { authorization_endpoint: address } });
    const { outcome, shown } = signInTo(servers);
    await refusal(outcome);
    expect(shown).toEqual([]);
  });

  test('a remote server cannot have a sign-in sent to this machine', async () => {
    const local = await startOAuthServers();
    const sent: string[] = [];
    const outcome = signIn(
      {
        serverUrl: 'https://mcp.example/mcp',
        transport: 'http',
        now: () => 0,
        patienceMs: 1000,
        show: () => {},
        async fetch(url) {
          sent.push(String(url));
          if (!String(url).includes('protected-resource')) return new Response('{}', { status: 401 });
          return Response.json({ resource: 'https://mcp.example/mcp', authorization_servers: [local.issuer] });
        },
      },
      never,
    );
    expect(await refusal(outcome)).toMatchObject({ reason: 'unsafe_address' });
    expect(sent.filter((url) => !url.startsWith('https://mcp.example/'))).toEqual([]);
  });

  test('nor to this machine over https', () => {
    const check = (to: string, from: string) => () => checkAddress(new URL(to), from);
    expect(check('https://127.0.0.1:8443/token', 'https://mcp.example/mcp')).toThrow(
      'the server is not on this machine',
    );
    expect(check('https://localhost/token', 'http://127.0.0.1:1/mcp')).not.toThrow();
    expect(check('https://auth.example/token', 'https://mcp.example/mcp')).not.toThrow();
    expect(check('ftp://localhost/token', 'http://localhost/mcp')).toThrow('no safe place');
  });

  test('an answer without end is not read to its end', async () => {
    const servers = await startOAuthServers();
    const endless = () => new Response('x'.repeat(2 * 1024 * 1024), { status: 401 });
    expect((await refusal(signInTo(servers, { fetch: async () => endless() }).outcome)).message).toContain('bytes');
  });

  test('a server of the older kind is asked as it listens, and a stream of it is not waited for', async () => {
    const servers = await startOAuthServers();
    const methods: unknown[] = [];
    const spy: typeof fetch = (url, init) => {
      if (String(url) === servers.url) methods.push(init?.method ?? 'GET');
      return fetch(url, init);
    };
    expect((await signInTo(servers, { transport: 'sse', fetch: spy }).outcome).accessToken).toBe(servers.secrets()[0]);
    expect(methods).toEqual(['GET']);
    const stream = () =>
      new Response(new ReadableStream(), { status: 200, headers: { 'content-type': 'text/event-stream' } });
    const open: typeof fetch = async (url) =>
      String(url) === servers.url ? stream() : new Response(null, { status: 404 });
    expect((await refusal(signInTo(servers, { transport: 'sse', fetch: open }).outcome)).reason).toBe('not_asked');
  });

  test('a port that is taken is said; an abort ends the wait', async () => {
    const servers = await startOAuthServers();
    const port = Number(new URL(servers.issuer).port);
    expect((await refusal(signInTo(servers, { callbackPort: port }).outcome)).reason).toBe('port_in_use');
    const stop = new AbortController();
    const { outcome } = signInTo(servers, { show: () => stop.abort() }, stop.signal);
    await expect(outcome).rejects.toMatchObject({ name: 'AbortError' });
  });
});
