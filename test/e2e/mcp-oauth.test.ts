import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { CLI, runCli, STREAM_OUT, startCli } from '../support/cli.ts';
import { forwardProxy } from '../support/forward-proxy.ts';
import { type OAuthServers, type OAuthServersOptions, startOAuthServers } from '../support/oauth-servers.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';

const mcp = (place: Place, ...args: string[]) => runCli(['mcp', ...args], { place });
const authFiles = (place: Place) => {
  const folder = join(place.home, 'mcp-auth');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
};

interface Guarded {
  place: Place;
  servers: OAuthServers;
}

/** A place with one configured server that wants a sign-in. */
async function makeGuarded(options: OAuthServersOptions = {}): Promise<Guarded> {
  const servers = await startOAuthServers(options);
  const place = await makePlace((request) =>
    JSON.stringify(request.body).includes('tool_result') ? 'Done.' : toolUse('mcp__guarded__whoami', {}),
  );
  await mcp(place, 'add', '-s', 'user', 'guarded', servers.url);
  return { place, servers };
}

/** Starts `heddle mcp login`, and is the person in the browser. */
async function login({ place, servers }: Guarded, ...args: string[]) {
  const cli = startCli(['mcp', 'login', 'guarded', ...args], { place });
  await cli.until(() => /Sign in here:\n {2}\S+\n/.test(cli.stdout) || cli.stderr !== '');
  const [, address] = /Sign in here:\n {2}(\S+)\n/.exec(cli.stdout) ?? [];
  if (address !== undefined) await servers.browse(address);
  return { ...(await cli.finished), address };
}

/** A run that asks the server who is signed in. */
const ask = ({ place }: Guarded, env = {}) =>
  runCli([...STREAM_OUT, '--allowedTools', 'mcp__guarded', '--debug', '--', 'who am I?'], { place, env });
const statusIn = (lines: readonly object[]) =>
  (lines.find((line) => 'mcp_servers' in line) as { mcp_servers: unknown[] } | undefined)?.mcp_servers;

describe('heddle mcp login', () => {
  test('[MCP-15] before it a server needs-auth, after it the tools work, until logout', async () => {
    const guarded = await makeGuarded();
    const { place, servers } = guarded;
    expect(statusIn((await ask(guarded)).lines)).toEqual([{ name: 'guarded', source: 'user', status: 'needs-auth' }]);
    const tried = await mcp(place, 'test', 'guarded');
    expect(tried).toMatchObject({ code: 1, stderr: expect.stringContaining('heddle mcp login guarded') });
    expect(servers.asked).toEqual([]);

    expect(await login(guarded)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('You are signed in to guarded'),
    });
    expect(authFiles(place).map((file) => statSync(file).mode & 0o777)).toEqual([0o600]);
    expect((await mcp(place, 'test', 'guarded')).stdout).toContain('whoami');
    const run = await ask(guarded);
    expect(statusIn(run.lines)).toEqual([{ name: 'guarded', source: 'user', status: 'connected' }]);
    expect(servers.authorizations.at(-1)).toBe(`Bearer ${servers.secrets()[0]}`);

    expect((await mcp(place, 'logout', 'guarded')).code).toBe(0);
    expect(authFiles(place)).toEqual([]);
    expect(servers.asked.filter((each) => each === 'POST /revoke')).toHaveLength(2);
    expect((await mcp(place, 'test', 'guarded')).code).toBe(1);
    expect(await mcp(place, 'logout', 'guarded')).toMatchObject({ code: 1, stderr: expect.stringContaining('nobody') });
  });

  test('[G4] tokens are in their file and nowhere else: not for the model, nor in a transcript, a log or an answer', async () => {
    const guarded = await makeGuarded({ expiresIn: 20 });
    const { place, servers } = guarded;
    const said = await login(guarded);
    const run = await ask(guarded); // renews them first
    const got = await Promise.all([
      mcp(place, 'get', 'guarded'),
      mcp(place, 'get', 'guarded', '--json'),
      mcp(place, 'list'),
    ]);
    expect(servers.secrets().length).toBeGreaterThan(2);
    // The tool tells the token that it was called with.
    expect(run.stdout).toContain('You came with Bearer [credential hidden]');
    const everything = [
      ...[said, run, ...got].map(({ stdout, stderr }) => stdout + stderr),
      JSON.stringify(place.api.requests),
      ...filesBelow(place.root)
        .filter((file) => !authFiles(place).includes(file))
        .map((file) => readFileSync(file, 'utf8')),
    ].join('\n');
    expect(servers.secrets().filter((secret) => everything.includes(secret))).toEqual([]);
    expect(got[0]?.stdout).toContain('renewed by itself');
  });

  test('two processes that renew at once keep the sign-in', async () => {
    const guarded = await makeGuarded({ tokenDelayMs: 300 });
    const { place, servers } = guarded;
    await login(guarded);
    for (let round = 0; round < 2; round++) {
      servers.endAccess();
      const before = servers.tokenRequests.length;
      const runs = await Promise.all([1, 2, 3].map(() => mcp(place, 'test', 'guarded')));
      expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(servers.tokenRequests).toHaveLength(before + 1);
    }
  });

  test('a sign-in that was revoked is said, and another one helps', async () => {
    const guarded = await makeGuarded();
    await login(guarded);
    guarded.servers.revoke();
    expect(statusIn((await ask(guarded)).lines)).toEqual([{ name: 'guarded', source: 'user', status: 'needs-auth' }]);
    expect(authFiles(guarded.place)).toEqual([]);
    expect((await login(guarded)).code).toBe(0);
    expect((await mcp(guarded.place, 'test', 'guarded')).code).toBe(0);
  });

  test('signs in, uses and renews through the proxy that the environment names', async () => {
    const guarded = await makeGuarded();
    const proxy = await forwardProxy();
    const { place } = guarded;
    Object.assign(place.env, { HTTP_PROXY: proxy.url });
    expect(await login(guarded)).toMatchObject({ code: 0 });
    const tokenRequests = () => proxy.asked.filter((each) => /^POST .*\/token$/.test(each)).length;
    expect(tokenRequests()).toBe(1);
    guarded.servers.endAccess();
    expect(statusIn((await ask(guarded)).lines)).toEqual([{ name: 'guarded', source: 'user', status: 'connected' }]);
    expect(tokenRequests()).toBeGreaterThan(1);
    expect(proxy.asked).toContain(`POST ${guarded.servers.url}`);
    const revocations = () => proxy.asked.filter((each) => each.includes('/revoke')).length;
    await mcp(place, 'logout', 'guarded');
    expect(revocations()).toBeGreaterThan(0);
  });

  test('a browser is opened on a terminal only, with the address as one word', async () => {
    const guarded = await makeGuarded();
    const { place, servers } = guarded;
    const opener = join(place.root, 'bin', 'xdg-open');
    put(
      opener,
      `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > '${place.root}/opened.new'\nmv '${place.root}/opened.new' '${place.root}/opened'\n`,
    );
    chmodSync(opener, 0o755);
    place.env.PATH = `${join(place.root, 'bin')}:${place.env.PATH}`;
    const opened = join(place.root, 'opened');
    expect((await login(guarded)).code).toBe(0);
    expect(existsSync(opened)).toBe(false);

    const command = `'${process.execPath}' '${CLI}' mcp login guarded`;
    const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: place.cwd, env: place.env, stdio: 'pipe' });
    const ended = once(child, 'close');
    const deadline = Date.now() + 10_000;
    while (!existsSync(opened) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    const [count, address = ''] = readFileSync(opened, 'utf8').trim().split('\n');
    expect(count).toBe('1');
    expect(address).toContain('/authorize?');
    await servers.browse(address);
    expect(await ended).toEqual([0, null]);
  });

  test('says what is wrong', async () => {
    const guarded = await makeGuarded({ registration: false });
    const { place } = guarded;
    expect(await login(guarded)).toMatchObject({ code: 1, stderr: expect.stringMatching(/--client-id\n$/) });
    expect((await login(guarded, '--client-id', 'by-hand')).code).toBe(0);
    await mcp(place, 'add', 'local', 'run-it');
    await mcp(place, 'add', '-H', 'Authorization: Bearer mine', 'own', guarded.servers.url);
    for (const [name, text] of [
      ['nobody', 'No MCP server named "nobody"'],
      ['local', 'is no remote server'],
      ['own', 'an Authorization header of its own'],
    ]) {
      expect(await mcp(place, 'login', name ?? '')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(text ?? ''),
      });
    }
    const late = await mcp(place, 'login', 'guarded', '--client-id', 'by-hand', '--wait', '0');
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('Nobody has signed in within 0 seconds') });
  });

  test('[K6] a signal ends the wait', async () => {
    const { place } = await makeGuarded();
    const cli = startCli(['mcp', 'login', 'guarded'], { place });
    await cli.until(() => cli.stdout.includes('/authorize'));
    cli.kill('SIGINT');
    expect((await cli.finished).code).toBe(130);
  });

  test('[G1] nobody signs in to what an untrusted project names', async () => {
    const servers = await startOAuthServers();
    const place = await makePlace();
    put(join(place.cwd, '.mcp.json'), { mcpServers: { theirs: { type: 'http', url: servers.url } } });
    expect(await mcp(place, 'login', 'theirs')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not trusted'),
    });
    expect(servers.authorizations).toEqual([]);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('a server that wants a wider scope for a call', () => {
  const resultIn = (lines: readonly object[]) => JSON.stringify(lines.filter((line) => 'tool_use_result' in line));

  test('[MCP-15] is told with the command that asks for it, besides what was granted; then the call works', async () => {
    const guarded = await makeGuarded({ callScope: 'files:write' });
    const { servers } = guarded;
    await login(guarded);
    expect(servers.askedScopes).toEqual(['tools']);
    const refused = await ask(guarded);
    const words = 'it asks for a wider sign-in (files:write): heddle mcp login guarded';
    expect(resultIn(refused.lines)).toContain(words);
    expect(refused.stderr.split(`The MCP server guarded refused a request: ${words}`)).toHaveLength(2);
    expect(statusIn(refused.lines)).toEqual([{ name: 'guarded', source: 'user', status: 'connected' }]);

    expect((await login(guarded)).code).toBe(0);
    expect(servers.askedScopes).toEqual(['tools', 'tools files:write']);
    expect(resultIn((await ask(guarded)).lines)).toContain('You came with');
    await login(guarded);
    expect(servers.askedScopes.at(-1)).toBe('tools files:write');
  });

  test('that refuses all the same is not signed in to again and again', async () => {
    const guarded = await makeGuarded({ callScope: 'files:write', refusesCalls: true });
    await login(guarded);
    expect(resultIn((await ask(guarded)).lines)).toContain('heddle mcp login guarded');
    await login(guarded);
    const again = await ask(guarded);
    expect(resultIn(again.lines)).toContain(
      'it refuses this although the sign-in has asked for all that it wants (files:write)',
    );
    expect(resultIn(again.lines)).not.toContain('heddle mcp login');
  });

  test('--scopes asks for that, and nothing else', async () => {
    const guarded = await makeGuarded({ callScope: 'files:write' });
    await login(guarded);
    await ask(guarded);
    await login(guarded, '--scopes', 'mine');
    expect(guarded.servers.askedScopes.at(-1)).toBe('mine');
  });
});
