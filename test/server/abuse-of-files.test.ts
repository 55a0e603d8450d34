import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { fileTokens } from '../../src/server/embedded/file-tokens.ts';
import type { Scope } from '../../src/server/ports/tokens.ts';
import { runCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { startServer } from '../support/serve-cli.ts';

const FAST = ['--rate', '1000'];

/** Another process that changes the tokens, as `heddle serve token` does. */
const otherTokens = ({ home }: Place) => fileTokens(join(home, 'serve', 'tokens.json'), { now: () => Date.now() });
const made = (scopes: Scope[]) => ({ tenant: 'local', name: 'other', scopes, sessionId: null, expiresAt: null });

test('tokens that the server and a command change at the same time are neither lost nor valid again', async () => {
  const place = await makePlace();
  const server = await startServer(place, FAST);
  const tokens = otherTokens(place);
  for (let no = 0; no < 20; no++) {
    const { info, secret } = await tokens.create(made(['sessions:read']));
    const body = { name: 'mine', scopes: ['sessions:read'] };
    const [answer] = await Promise.all([
      server.call('POST', '/v1/tokens', { body }),
      new Promise((resolve) => setTimeout(resolve, no % 5)).then(() => tokens.revoke('local', info.id)),
    ]);
    const isValid = async (token: string) => (await server.call('GET', '/v1/info', { token })).status === 200;
    expect([no, await isValid(secret), await isValid(answer.body.token)]).toEqual([no, false, true]);
  }
});

test('wrong tokens are slowed down, and keep nobody with a right one out', async () => {
  const server = await startServer(await makePlace(), FAST);
  const statuses: number[] = [];
  for (let no = 0; no < 15; no++)
    statuses.push((await server.call('GET', '/v1/info', { token: `hdl_0_${no}` })).status);
  expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
  expect((await server.call('GET', '/v1/info')).status).toBe(200);
});

test('damage in the file of tokens lets nobody in, and keeps nobody out', async () => {
  const place = await makePlace();
  const server = await startServer(place, FAST);
  const path = join(place.home, 'serve', 'tokens.json');
  const { tokens } = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ tokens: [null, {}, { id: 'x', tenant: 'local', sha256: '' }, ...tokens] }));
  expect((await server.call('GET', '/v1/tokens')).body.tokens).toHaveLength(1);
  expect((await server.call('GET', '/v1/info', { token: 'hdl_x_x' })).status).toBe(401);
});

test('a session that another program has written is continued by those who may write to the home', async () => {
  const place = await makePlace(['Treasure.', 'More.']);
  const { stdout } = await runCli(['-p', 'where is it', '--output-format', 'json'], { place });
  const id = JSON.parse(stdout).session_id;
  const server = await startServer(place, FAST);
  const few: Scope[] = ['sessions:read', 'sessions:write'];
  const { secret: token } = await otherTokens(place).create(made(few));
  const refused = await server.call('POST', '/v1/sessions', { token, body: { id } });
  expect([refused.status, refused.body.error.facts]).toEqual([403, { scope: 'home:write' }]);
  expect((await server.call('GET', `/v1/sessions/${id}/messages`, { token })).status).toBe(404);
  const { secret } = await otherTokens(place).create(made([...few, 'home:write']));
  expect((await server.call('POST', '/v1/sessions', { token: secret, body: { id } })).status).toBe(201);
  const { messages } = (await server.call('GET', `/v1/sessions/${id}/messages`, { token: secret })).body;
  expect(JSON.stringify(messages)).toContain('Treasure.');
});

/** In MB. */
function memoryOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

test.runIf(process.platform === 'linux')(
  'frames that come faster than they are stored wait with their client',
  async () => {
    const place = await makePlace();
    const server = await startServer(place, FAST);
    const { id } = (await server.call('POST', '/v1/sessions', { body: {} })).body;
    const headers = { authorization: `Bearer ${server.token}` };
    const socket = new WebSocket(
      `${server.url.replace('http', 'ws')}/v1/sessions/${id}/connect?acks=1`,
      ['heddle.v1'],
      {
        headers,
      },
    );
    const lines: { type: string; subtype?: string; error_code?: string }[] = [];
    socket.on('message', (data) => lines.push(JSON.parse(String(data))));
    await new Promise((resolve) => socket.once('open', resolve));
    const pid = server.cli.child.pid ?? 0;
    const before = memoryOf(pid);
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, memoryOf(pid));
    }, 20);
    const content = 'x'.repeat(1_000_000);
    const line = (uuid: string) =>
      JSON.stringify({ type: 'user', uuid, message: { role: 'user', content, x: [content] } });
    for (let no = 0; no < 150; no++) socket.send(line(`again-${no % 3}`));
    const isTold = ({ type, subtype }: (typeof lines)[number]) => type === 'stored' || subtype === 'input_error';
    while (lines.filter(isTold).length < 150) await new Promise((resolve) => setTimeout(resolve, 50));
    clearInterval(watch);
    socket.terminate();
    expect(most - before).toBeLessThan(250);
  },
  60_000,
);

test('an upgrade with an address that is none is refused like any other without a token', async () => {
  const server = await startServer(await makePlace(), FAST);
  const { port } = new URL(server.url);
  const answered = await new Promise<number>((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}//`, ['heddle.v1']);
    socket.on('error', () => {});
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
  });
  expect(answered).toBe(401);
});
