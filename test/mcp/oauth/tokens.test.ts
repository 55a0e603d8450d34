import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { authorizedRequests, openAuthStore } from '../../../src/host/mcp/auth-store.ts';
import { McpNeedsAuth } from '../../../src/mcp/needs-auth.ts';
import { authorizedFetch } from '../../../src/mcp/oauth/authorized-fetch.ts';
import { signIn } from '../../../src/mcp/oauth/sign-in.ts';
import { tokensIn } from '../../../src/mcp/oauth/signed-in.ts';
import { createServerAuth } from '../../../src/mcp/oauth/tokens.ts';
import { type OAuthServers, type OAuthServersOptions, startOAuthServers } from '../../support/oauth-servers.ts';
import { put } from '../../support/put.ts';

interface Signed {
  servers: OAuthServers;
  home: string;
  file: string;
  secrets: Set<string>;
  auth: ReturnType<typeof createServerAuth>;
  /** Another process, as far as that can be had in one. */
  another(): ReturnType<typeof createServerAuth>;
  send(): Promise<Response>;
}

/** Somebody has signed in. */
async function signedIn(options: OAuthServersOptions = {}): Promise<Signed> {
  const servers = await startOAuthServers(options);
  const home = mkdtempSync(join(tmpdir(), 'heddle-oauth-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const show = (address: string) => void servers.browse(address);
  const serverUrl = servers.url;
  const common = { serverUrl, fetch, now: Date.now };
  const got = await signIn({ ...common, transport: 'http', patienceMs: 5000, show }, new AbortController().signal);
  const store = openAuthStore(home, serverUrl);
  await store.locked(() => store.write(got));
  const secrets = new Set<string>();
  const onSecrets = (given: readonly string[]) => {
    for (const each of given) secrets.add(each);
  };
  const another = () => createServerAuth({ ...common, store: openAuthStore(home, serverUrl), onSecrets });
  const auth = another();
  const send = () => authorizedFetch({ serverName: 'guarded', serverUrl, auth, fetch })(serverUrl, ping);
  const [name = ''] = readdirSync(join(home, 'mcp-auth'));
  return { servers, home, file: join(home, 'mcp-auth', name), secrets, auth, another, send };
}

const ping = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };

describe('the tokens of a sign-in', () => {
  test('[G8] are in a file of their own that only the user can read', async () => {
    const { home, file, servers } = await signedIn();
    expect(statSync(join(home, 'mcp-auth')).mode & 0o777).toBe(0o700);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home, 'mcp-auth'))).toHaveLength(1);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 1, serverUrl: servers.url });
  });

  test('go with every request to the server, and are told as secrets first', async () => {
    const { servers, secrets, send } = await signedIn();
    expect((await send()).status).toBe(200);
    expect(servers.authorizations.at(-1)).toBe(`Bearer ${servers.secrets()[0]}`);
    expect([...secrets]).toEqual(servers.secrets());
  });

  test('are for this server only, and not in the place of a header that was configured', async () => {
    const { servers, auth } = await signedIn();
    const sent: [string, string | null][] = [];
    const spy = async (url: string | URL, init?: RequestInit) => {
      sent.push([String(url), new Headers(init?.headers).get('authorization')]);
      return new Response(null, { status: 200 });
    };
    const send = authorizedFetch({ serverName: 'guarded', serverUrl: servers.url, auth, fetch: spy });
    await send('http://127.0.0.1:1/elsewhere', ping);
    await send(servers.url, { ...ping, headers: { Authorization: 'Basic own' } });
    expect(sent).toEqual([
      ['http://127.0.0.1:1/elsewhere', null],
      [servers.url, 'Basic own'],
    ]);
  });

  test('in a file that names another server are not used', async () => {
    const { servers, file, auth } = await signedIn();
    put(file, { ...JSON.parse(readFileSync(file, 'utf8')), serverUrl: 'https://other.example/mcp' });
    expect(await auth.token()).toBeNull();
    expect(servers.tokenRequests).toHaveLength(1);
  });

  test.each(['', '{"accessToken": "secr', '[]', '{"accessToken":1}'])(
    'in a broken file (%s) are none',
    async (text) => {
      const { file, send } = await signedIn();
      put(file, text);
      await expect(send()).rejects.toThrow(McpNeedsAuth);
    },
  );

  test('that are over are renewed before they are sent', async () => {
    const { servers, send, file, secrets } = await signedIn({ expiresIn: 20 });
    expect((await send()).status).toBe(200);
    expect([...secrets]).toEqual(servers.secrets());
    expect(servers.tokenRequests.at(-1)).toMatchObject({ grant_type: 'refresh_token', resource: servers.url });
    expect(servers.authorizations.at(-1)).toBe(`Bearer ${servers.secrets()[2]}`);
    expect(JSON.parse(readFileSync(file, 'utf8')).refreshToken).toBe(servers.secrets()[3]);
  });

  test('that the server rejects are renewed, also where nobody has said how long they last', async () => {
    const { servers, send, secrets } = await signedIn({ saysExpiry: false });
    servers.endAccess();
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(200);
    expect(servers.tokenRequests).toHaveLength(2);
    expect([...secrets]).toEqual(servers.secrets());
  });

  test('that were revoked are forgotten, and somebody has to sign in', async () => {
    const { servers, send, file } = await signedIn();
    servers.revoke();
    await expect(send()).rejects.toThrow('heddle mcp login guarded');
    expect(existsSync(file)).toBe(false);
    await expect(send()).rejects.toThrow(McpNeedsAuth);
    expect(servers.tokenRequests).toHaveLength(2);
  });

  test('are kept when they cannot be renewed just now', async () => {
    const { servers, home, file } = await signedIn();
    servers.endAccess();
    const before = readFileSync(file, 'utf8');
    const broken: typeof fetch = async (url, init) =>
      String(url).endsWith('/token') ? new Response('busy', { status: 503 }) : fetch(url, init);
    const means = { configHome: home, fetch: broken, now: Date.now, onSecrets: () => {} };
    const send = authorizedRequests({ name: 'guarded', url: servers.url }, means);
    const error = await send(servers.url, ping).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(McpNeedsAuth);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('are renewed by one for all: a refresh token is good for one time', async () => {
    const { servers, another } = await signedIn({ tokenDelayMs: 100 });
    const [old = ''] = servers.secrets();
    servers.endAccess();
    const tokens = await Promise.all(Array.from({ length: 5 }, () => another().token(old)));
    expect(new Set(tokens).size).toBe(1);
    expect(tokens[0]).toBe(servers.secrets()[2]);
    expect(servers.tokenRequests).toHaveLength(2);
  });

  test('without a sign-in a server that asks for one is asked once, and says so', async () => {
    const servers = await startOAuthServers();
    const home = mkdtempSync(join(tmpdir(), 'heddle-oauth-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const send = authorizedRequests(
      { name: 'guarded', url: servers.url },
      { configHome: home, fetch, now: Date.now, onSecrets: () => {} },
    );
    await expect(send(servers.url, ping)).rejects.toThrow('it asks for a sign-in: heddle mcp login guarded');
    expect(servers.authorizations).toEqual([undefined]);
    expect(servers.asked).toEqual([]);
  });
});

test('who says that a token lasts for ever is believed, within what a date can hold', () => {
  const { expiresAt = 0 } = tokensIn({ access_token: 'a', expires_in: 1e300 }, 0);
  expect(() => new Date(expiresAt).toISOString()).not.toThrow();
});
