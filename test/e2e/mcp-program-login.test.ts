import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { type OAuthServersOptions, startOAuthServers } from '../support/oauth-servers.ts';
import { makePlace, type Place } from '../support/place.ts';

const SECRET = 'sesame & opens';
const ID = 'ci:runner';

async function makeGuarded(options: OAuthServersOptions = {}) {
  const servers = await startOAuthServers({ registration: false, program: { id: ID, secret: SECRET }, ...options });
  const place = await makePlace((request) =>
    JSON.stringify(request.body).includes('tool_result') ? 'Done.' : toolUse('mcp__guarded__whoami', {}),
  );
  await runCli(['mcp', 'add', '-s', 'user', 'guarded', servers.url], { place });
  const login = (issuer = servers.issuer, env: Record<string, string> = { MCP_CLIENT_SECRET: SECRET }) => {
    const flags = ['--client-credentials', '--client-id', ID, '--issuer', issuer];
    return runCli(['mcp', 'login', ...flags, 'guarded'], { place, env });
  };
  return { servers, place, login };
}

/** A run that asks the server who is signed in. */
const ask = (place: Place) => runCli([...STREAM_OUT, '--allowedTools', 'mcp__guarded', '--', 'who am I?'], { place });

describe('heddle mcp login --client-credentials', () => {
  test.each([
    ['in a header', {}],
    ['in the body', { metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] } }],
    ['in a header, as it says', { metadata: { token_endpoint_auth_methods_supported: ['client_secret_basic'] } }],
  ])('[MCP-15] signs in with a secret %s: no browser, no person, and the tools work', async (_how, options) => {
    const { servers, place, login } = await makeGuarded(options);
    expect(await login()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^You are signed in to guarded/) });
    expect(servers.asked).not.toContain('GET /authorize');
    expect(servers.tokenRequests).toMatchObject([{ grant_type: 'client_credentials', scope: 'tools' }]);
    expect(JSON.stringify((await ask(place)).lines)).toContain('You came with');
  });

  test('signs in with a key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { servers, place, login } = await makeGuarded({ program: { id: ID, key: publicKey } });
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    expect(await login(servers.issuer, { MCP_CLIENT_KEY: pem })).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.stringify((await ask(place)).lines)).toContain('You came with');
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const wrong = String(other.export({ type: 'pkcs8', format: 'pem' }));
    expect((await login(servers.issuer, { MCP_CLIENT_KEY: wrong })).code).toBe(1);
    const broken = await login(servers.issuer, { MCP_CLIENT_KEY: 'no key' });
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('must be PEM, without a password') });
  });

  test('tokens that are over are had again by itself, by the same program', async () => {
    const { servers, place, login } = await makeGuarded({ expiresIn: 20 });
    await login();
    const before = servers.tokenRequests.length;
    expect(JSON.stringify((await ask(place)).lines)).toContain('You came with');
    expect(servers.tokenRequests.length).toBeGreaterThan(before);
    const get = JSON.parse((await runCli(['mcp', 'get', 'guarded', '--json'], { place })).stdout);
    expect(get.signIn).toMatchObject({ canRenew: true });
    const folder = join(place.home, 'mcp-auth');
    const [file = ''] = readdirSync(folder);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(folder, file), 'utf8'))).toMatchObject({ grant: 'client_credentials' });
  });

  test('[G2] the secret is sent to the authorization server that is named, and to no other', async () => {
    const { servers, login } = await makeGuarded();
    const refused = await login('https://id.example.com');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('it was not sent') });
    expect(servers.tokenRequests).toEqual([]);
  });

  test.each<[string, string[], Record<string, string>, RegExp]>([
    ['no issuer', ['--client-credentials', '--client-id', ID], { MCP_CLIENT_SECRET: SECRET }, /needs --issuer URL/],
    ['no id', ['--client-credentials', '--issuer', 'https://a.b'], { MCP_CLIENT_SECRET: SECRET }, /give --client-id/],
    ['no secret', ['--client-credentials', '--client-id', ID, '--issuer', 'https://a.b'], {}, /set MCP_CLIENT_SECRET/],
    ['an issuer alone', ['--issuer', 'https://a.b'], {}, /goes with --client-credentials/],
  ])('says what is missing: %s', async (_what, flags, env, expected) => {
    const { place } = await makeGuarded();
    const { code, stderr } = await runCli(['mcp', 'login', ...flags, 'guarded'], { place, env });
    expect(code).toBe(1);
    expect(stderr).toMatch(expected);
  });
});
