import { existsSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { fileTokens } from '../../src/server/embedded/file-tokens.ts';
import { SCOPES, type Scope } from '../../src/server/ports/tokens.ts';
import { toolUse } from '../../src/testing/index.ts';
import { runCli, startCli } from '../support/cli.ts';
import { isResult, type Line } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { eventually } from '../support/processes.ts';
import { type ServedCli, startServer } from '../support/serve-cli.ts';
import { openSocket } from '../support/socket-client.ts';

const FAST = ['--rate', '1000'];
const HOOKS = { PreToolUse: [{ hookCallbackIds: ['one'] }] };
const user = (content: string, fields: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  ...fields,
});

const isRequest =
  (subtype: string) =>
  ({ request }: Line) =>
    (request as Line | undefined)?.subtype === subtype;

async function newToken(place: Place, scopes: readonly Scope[], fields: object = {}) {
  const tokens = fileTokens(join(place.home, 'serve', 'tokens.json'), { now: () => Date.now() });
  const about = { tenant: 'local', name: 'other', scopes: [...scopes], sessionId: null, expiresAt: null, ...fields };
  return tokens.create(about);
}

async function newSession(server: ServedCli, body: object = {}): Promise<string> {
  return (await server.call('POST', '/v1/sessions', { body })).body.id;
}

function storedInitialize({ home }: Place): unknown {
  const rows = readFileSync(join(home, 'serve', 'sessions.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return JSON.parse(rows.at(-1) ?? '').initialize;
}

test('a program that is refused as the driver leaves the stored initialize as it was', async () => {
  const place = await makePlace();
  const server = await startServer(place, FAST);
  const id = await newSession(server);
  const driver = await openSocket(server, id);
  expect(await driver.request({ subtype: 'initialize', hooks: HOOKS })).toMatchObject({ subtype: 'success' });
  const thief = await openSocket(server, id);
  const hooks = { PreToolUse: [{ hookCallbackIds: ['stolen'] }] };
  const refused = await thief.request({ subtype: 'initialize', hooks });
  expect(refused).toMatchObject({ error_code: 'driver_connected' });
  expect(storedInitialize(place)).toMatchObject({ hooks: HOOKS });
  const replaced = await thief.request({ subtype: 'initialize', hooks, replace: true });
  expect(replaced).toMatchObject({ subtype: 'success' });
  expect(storedInitialize(place)).toMatchObject({ hooks });
});

test('a session that is opened again asks the program that still drives it', async () => {
  const place = await makePlace([[toolUse('Bash', { command: 'touch one' })], 'Done.']);
  const server = await startServer(place, FAST);
  const id = await newSession(server, { config: { allowedTools: ['Bash'] } });
  const driver = await openSocket(server, id);
  await driver.request({ subtype: 'initialize', hooks: HOOKS });
  await server.call('PATCH', `/v1/sessions/${id}`, { body: { config: { maxTurns: 5 } } });
  await server.call('POST', `/v1/sessions/${id}/messages`, { body: { content: 'go' } });
  const { request_id } = await driver.next(isRequest('hook_callback'));
  const hookSpecificOutput = { hookEventName: 'PreToolUse', permissionDecision: 'deny' };
  driver.send({
    type: 'control_response',
    response: { subtype: 'success', request_id, response: { hookSpecificOutput } },
  });
  await driver.next(isResult);
  expect(existsSync(join(place.cwd, 'one'))).toBe(false);
});

test('a token of one session reads nothing of the others, and makes no other tokens', async () => {
  const place = await makePlace(['Hello.']);
  const server = await startServer(place, FAST);
  const id = await newSession(server);
  const { secret: token } = await newToken(place, SCOPES, { sessionId: id });
  for (const path of ['/v1/home/sessions', '/v1/home/projects', '/v1/home/search?q=hello', '/v1/tokens']) {
    expect([path, (await server.call('GET', path, { token })).status]).toEqual([path, 403]);
  }
  const body = { name: 'more', scopes: ['admin'] };
  expect((await server.call('POST', '/v1/tokens', { token, body })).status).toBe(403);
  expect((await server.call('POST', '/v1/page-codes', { token, body: {} })).status).toBe(403);
  expect((await server.call('GET', '/v1/sessions', { token })).body.sessions).toHaveLength(1);
});

test.each([
  { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'userSettings' },
  { type: 'addDirectories', directories: ['/'], destination: 'session' },
  { type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
])('a hook of the program that drives cannot change $type as an answer cannot', async (update) => {
  const place = await makePlace([[toolUse('Bash', { command: 'touch one' })], 'Done.']);
  const server = await startServer(place, FAST);
  const id = await newSession(server);
  const socket = await openSocket(server, id);
  await socket.request({ subtype: 'initialize', hooks: { PermissionRequest: [{ hookCallbackIds: ['one'] }] } });
  socket.send(user('go'));
  const { request_id } = await socket.next(isRequest('hook_callback'));
  const decision = { behavior: 'allow', updatedPermissions: [update] };
  const response = { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
  socket.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
  expect(await socket.next(({ subtype }) => subtype === 'input_error')).toMatchObject({ error_code: 'not_permitted' });
  // The hook has decided nothing, so people are asked.
  const asked = await socket.next(isRequest('can_use_tool'));
  await server.call('POST', `/v1/questions/${asked.request_id}/answer`, { body: { behavior: 'deny', message: 'no' } });
  await socket.next(isResult);
  expect([existsSync(join(place.cwd, 'one')), existsSync(join(place.home, 'settings.json'))]).toEqual([false, false]);
});

/** The status of the answer to an upgrade with a ticket. */
function useTicket(server: ServedCli, id: string, ticket: string): Promise<number> {
  return new Promise((resolve) => {
    const address = `${server.url.replace('http', 'ws')}/v1/sessions/${id}/connect`;
    const socket = new WebSocket(address, ['heddle.v1', `heddle.ticket.${ticket}`]);
    socket.on('error', () => {});
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
  });
}

test('a ticket works once, and not after its token was revoked', async () => {
  const place = await makePlace();
  const server = await startServer(place, FAST);
  const id = await newSession(server);
  const { secret: token, info } = await newToken(place, ['sessions:read']);
  const [first, second] = [
    (await server.call('POST', '/v1/tickets', { token })).body.ticket,
    (await server.call('POST', '/v1/tickets', { token })).body.ticket,
  ];
  const both = await Promise.all([useTicket(server, id, first), useTicket(server, id, first)]);
  expect(both.sort()).toEqual([101, 401]);
  expect((await server.call('DELETE', `/v1/tokens/${info.id}`)).status).toBe(204);
  expect(await useTicket(server, id, second)).toBe(401);
});

test('streams and sockets end within 20 s after their token was revoked or has expired', async () => {
  const place = await makePlace();
  const server = await startServer(place, FAST);
  const id = await newSession(server);
  const { secret: token } = await newToken(place, ['sessions:read'], { expiresAt: Date.now() + 3000 });
  const socket = await openSocket(server, id, { token });
  const { secret, info } = await newToken(place, ['sessions:read']);
  const streamed = request(`${server.url}/v1/sessions/${id}/events/stream`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  const ended = new Promise<string>((resolve, reject) => {
    streamed.once('response', (response) => {
      response.resume().once('close', () => resolve('ended'));
      server.call('DELETE', `/v1/tokens/${info.id}`).catch(reject);
    });
    streamed.on('error', () => {}).end();
  });
  expect([await ended, (await socket.closed).code]).toEqual(['ended', 4401]);
}, 30_000);

/** What a server answers to a handshake, and whether it ends the connection although the client does not. */
function handshake(server: ServedCli, id: string, headers: readonly string[]): Promise<[string, 'ended' | 'open']> {
  return new Promise((resolve) => {
    const port = Number(new URL(server.url).port);
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    const done = (how: 'ended' | 'open') => {
      clearInterval(poke);
      socket.destroy();
      resolve([text.split('\r\n')[0] ?? '', how]);
    };
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    // A peer that has closed its side for good answers what is sent with a reset.
    const poke = setInterval(() => text !== '' && socket.write('x'), 50);
    socket.once('error', () => done('ended'));
    setTimeout(() => done('open'), 3000).unref();
    const upgrade = ['Host: 127.0.0.1', 'Connection: upgrade', 'Upgrade: websocket', ...headers];
    socket.write([`GET /v1/sessions/${id}/connect HTTP/1.1`, ...upgrade, '', ''].join('\r\n'));
  });
}

test('handshakes that fail hold neither a stream of the token nor a connection', async () => {
  const server = await startServer(await makePlace(), FAST);
  const id = await newSession(server);
  expect(await handshake(server, id, [])).toEqual(['HTTP/1.1 401 Unauthorized', 'ended']);
  const authorization = `Authorization: Bearer ${server.token}`;
  for (let no = 0; no < 25; no++) {
    expect(await handshake(server, id, [authorization])).toEqual(['HTTP/1.1 400 Bad Request', 'ended']);
  }
  const socket = await openSocket(server, id);
  expect(await socket.request({ subtype: 'initialize' })).toMatchObject({ subtype: 'success' });
});

test('a message of a socket has a name that can be one', async () => {
  const server = await startServer(await makePlace(['Hello.']), FAST);
  const id = await newSession(server);
  const socket = await openSocket(server, id, { query: '?acks=1' });
  for (const uuid of ['../../x', 'x'.repeat(5000), '']) socket.send(user('hi', { uuid }));
  socket.send(user('hi', { uuid: 'mine-1' }));
  expect(await socket.next(({ type }) => type === 'stored')).toMatchObject({ uuid: 'mine-1', inbox_seq: 1 });
  expect(socket.lines.filter(({ subtype }) => subtype === 'input_error')).toHaveLength(3);
});

test('a unix socket is for its user only, and one that a killed server has left does not stop the next', async () => {
  const place = await makePlace();
  const path = join(place.root, 'serve.sock');
  const first = startCli(['serve', '--listen', path], { place });
  await eventually(() => first.stdout.includes('heddle serves'), 15_000);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  first.child.kill('SIGKILL');
  await eventually(() => first.child.signalCode !== null, 5000);
  expect(existsSync(path)).toBe(true);
  const second = startCli(['serve', '--listen', path], { place });
  await eventually(() => second.stdout.includes('heddle serves') || second.child.exitCode !== null, 15_000);
  expect(second.stdout).toContain('heddle serves');
  const other = { ...place, home: `${place.home}2`, env: { ...place.env, HEDDLE_HOME: `${place.home}2` } };
  const refused = await runCli(['serve', '--listen', path], { place: other });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('another program listens there')]);
});
