import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileTokens } from '../../src/server/embedded/file-tokens.ts';
import { SCOPES, type Scope } from '../../src/server/ports/tokens.ts';
import { FLAGS } from '../../src/wire/flags.ts';
import { runCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { type ServedCli, startServer } from '../support/serve-cli.ts';
import { openSocket } from '../support/socket-client.ts';

/** The files of the page are the same for every client. The last one takes a code that works once. */
const PAGE = ['GET /', 'GET /assets/page.css', 'GET /assets/page.js'];
const OPEN = [...PAGE, 'GET /healthz', 'GET /readyz', 'POST /v1/page-tokens'];
const FAST = ['--rate', '1000'];

interface Row {
  method: string;
  path: string;
}

/** All routes, from the document that the server itself gives. */
async function routesOf(server: ServedCli): Promise<Row[]> {
  const { paths } = (await server.call('GET', '/openapi.json')).body;
  return Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
}

const withIds = (path: string, id: string) => path.replaceAll(/\{\w+\}/g, id);
const UNKNOWN = '11111111-1111-4111-8111-111111111111';

/** A request with headers that `fetch` does not send. */
function rawRequest(
  server: ServedCli,
  { method, path }: Row,
  headers: Record<string, string>,
  body = '',
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}${path}`, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function otherToken(
  place: Place,
  scopes: Scope[],
  fields: { tenant?: string; sessionId?: string } = {},
): Promise<string> {
  const tokens = fileTokens(join(place.home, 'serve', 'tokens.json'), { now: () => Date.now() });
  const about = { tenant: 'local', name: 'other', scopes, sessionId: null, expiresAt: null, ...fields };
  return (await tokens.create(about)).secret;
}

describe('every route of the server', () => {
  test('[W-1] answers nothing without a token, and listens on the loopback interface', async () => {
    const server = await startServer(await makePlace(), FAST);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const routes = await routesOf(server);
    expect(routes.length).toBeGreaterThan(25);
    const open: string[] = [];
    for (const { method, path } of routes) {
      const { status, body } = await server.call(method, withIds(path, UNKNOWN), { token: null });
      if (status !== 401 || body.error?.code !== 'not_authenticated') open.push(`${method} ${path}`);
    }
    expect(open.sort()).toEqual(OPEN);
    expect(
      (await server.call('POST', '/v1/page-tokens', { token: null, body: { code: 'x' } })).status,
    ).toBeGreaterThanOrEqual(400);
    for (const path of ['/nothing', '/v1/nothing'])
      expect((await server.call('GET', path, { token: null })).status).toBe(401);
    const { id } = (await server.call('POST', '/v1/sessions', { body: {} })).body;
    await expect(openSocket(server, id, { token: 'hdl_0_0' })).rejects.toThrow('HTTP 401');
  });

  test('[W-1] does not listen elsewhere unless a proxy is promised', async () => {
    const refused = await runCli(['serve', '--listen', '0.0.0.0', '--port', '0'], { place: await makePlace() });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--behind-proxy')]);
  });

  test('[W-2] refuses a host that is not on the list', async () => {
    const server = await startServer(await makePlace(), FAST);
    const authorization = `Bearer ${server.token}`;
    for (const row of await routesOf(server)) {
      const path = withIds(row.path, UNKNOWN);
      const { status } = await rawRequest(server, { ...row, path }, { host: 'evil.example', authorization });
      expect([row.method, row.path, status]).toEqual([row.method, row.path, 421]);
    }
  });

  test('[W-3] refuses pages of other origins, and tells none that it may read', async () => {
    const server = await startServer(await makePlace(), [...FAST, '--origin', 'https://good.example']);
    const authorization = `Bearer ${server.token}`;
    for (const row of await routesOf(server)) {
      const path = withIds(row.path, UNKNOWN);
      for (const origin of ['https://evil.example', 'null', 'https://good.example.evil.example']) {
        const { status, headers } = await rawRequest(server, { ...row, path }, { authorization, origin });
        expect([row.path, status, headers['access-control-allow-origin']]).toEqual([row.path, 403, undefined]);
      }
    }
    const info = { method: 'GET', path: '/v1/info' };
    const good = await rawRequest(server, info, { authorization, origin: 'https://good.example' });
    expect([good.status, good.headers['access-control-allow-origin']]).toEqual([200, 'https://good.example']);
    const { id } = (await server.call('POST', '/v1/sessions', { body: {} })).body;
    const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
    const headers = { ...upgrade, ...key, authorization, origin: 'https://evil.example' };
    expect((await rawRequest(server, { method: 'GET', path: `/v1/sessions/${id}/connect` }, headers)).status).toBe(403);
  });

  test('[W-4] changes nothing by GET or by a form', async () => {
    const server = await startServer(await makePlace(), FAST);
    const authorization = `Bearer ${server.token}`;
    const { id } = (await server.call('POST', '/v1/sessions', { body: {} })).body;
    const posts = (await routesOf(server)).filter(({ method }) => method !== 'GET');
    for (const row of posts.filter(({ method }) => method === 'POST')) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const path = withIds(row.path, id);
        const { status } = await rawRequest(
          server,
          { ...row, path },
          { authorization, 'content-type': type },
          '{"content":"x"}',
        );
        // Routes without a body do not look at it: a form cannot send the token.
        expect([row.path, status >= 400 || status === 201 || status === 200]).toEqual([row.path, true]);
      }
      const { status } = await rawRequest(
        server,
        { ...row, path: withIds(row.path, id) },
        { 'content-type': 'text/plain' },
        '{}',
      );
      expect([row.path, status]).toEqual([row.path, OPEN.includes(`POST ${row.path}`) ? 415 : 401]);
    }
    expect((await server.call('GET', `/v1/sessions/${id}/turns`)).body.turns).toEqual([]);
    expect((await server.call('GET', `/v1/sessions/${id}`)).body.newest_seq).toBe(0);
  });

  test('[W-5] takes no id that leads elsewhere', async () => {
    const place = await makePlace();
    writeFileSync(join(place.root, 'canary.jsonl'), '{"canary":"treasure"}\n');
    const server = await startServer(place, FAST);
    const steps = ['..', '%2e%2e', '..%2f', '%2e%2e%2f', '..\\', '%00', '....//', '.%2e', '%252e%252e', '/', '~', 'C:'];
    const payloads = steps.flatMap((step) => [
      step,
      `${step}/canary`,
      `${step}/${step}/canary`,
      `${step}%2fcanary.jsonl`,
      `a${step}`,
    ]);
    expect(payloads.length).toBeGreaterThanOrEqual(50);
    const routes = (await routesOf(server)).filter(
      ({ path }) => path.includes('{id}') && path.startsWith('/v1/sessions'),
    );
    const authorization = `Bearer ${server.token}`;
    for (const { method, path } of routes) {
      for (const payload of payloads) {
        const { status, text } = await rawRequest(
          server,
          { method, path: path.replace('{id}', payload).replaceAll(/\{\w+\}/g, UNKNOWN) },
          { authorization },
        );
        // `..` may lead to another route, and never to a file.
        expect([payload, status < 500, text.includes('treasure')]).toEqual([payload, true, false]);
      }
    }
  });

  test('[W-7] the token is in no line that the server writes, and no answer leaves a referrer', async () => {
    const place = await makePlace(['Hello.']);
    const server = await startServer(place, [...FAST, '--log-requests']);
    const secret = server.token.split('_').slice(2).join('_'); // it may have such characters itself
    const { id } = (await server.call('POST', '/v1/sessions', { body: { title: 'a title' } })).body;
    await server.call('POST', `/v1/sessions/${id}/messages`, {
      body: { content: 'a prompt' },
      headers: { prefer: 'wait=10' },
    });
    await server.call('GET', `/v1/sessions/${id}?token=${server.token}`);
    await server.call('GET', '/v1/info', { token: `${server.token}x` });
    const { headers } = await server.call('GET', '/v1/info');
    expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual(['no-referrer', 'no-store']);
    const logged = server.cli.stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    expect(logged.map(({ route }) => route)).toContain('/v1/sessions/{id}/messages');
    const written = `${server.cli.stdout}${server.cli.stderr}`;
    for (const word of [secret, 'a prompt', 'a title', 'Hello.']) expect(written).not.toContain(word);
    const stored = readFileSync(join(place.home, 'serve', 'tokens.json'), 'utf8');
    expect(stored).not.toContain(secret);
  });

  test('[W-8] bodies, frames, headers and slow clients are bounded', async () => {
    const server = await startServer(await makePlace(), FAST);
    const { id } = (await server.call('POST', '/v1/sessions', { body: {} })).body;
    const large = await server.call('POST', `/v1/sessions/${id}/messages`, {
      body: { content: 'x'.repeat(10_000_001) },
    });
    expect([large.status, large.body.error.code]).toEqual([413, 'too_large']);
    const withoutToken = await server.call('POST', '/v1/page-tokens', {
      token: null,
      body: { code: 'x'.repeat(5000) },
    });
    expect([withoutToken.status, withoutToken.body.error.code]).toEqual([413, 'too_large']);
    const socket = await openSocket(server, id);
    socket.send({ type: 'user', message: { role: 'user', content: 'x'.repeat(10_000_001) } });
    expect((await socket.closed).code).toBe(1009);
    const { status } = await rawRequest(server, { method: 'GET', path: '/v1/info' }, { 'x-long': 'x'.repeat(20_000) });
    expect(status).toBe(431);
    const begun = performance.now();
    const slow = connect(Number(new URL(server.url).port), '127.0.0.1');
    slow.write('POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n');
    await new Promise((resolve) => slow.once('close', resolve).resume());
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect((await server.call('GET', '/v1/info')).status).toBe(200);
  }, 60_000);
});

test('a token of another tenant finds nothing, and one of a session finds that one only', async () => {
  const place = await makePlace(['Hello.']);
  const server = await startServer(place, FAST);
  const { id } = (await server.call('POST', '/v1/sessions', { body: { title: 'mine' } })).body;
  const other = (await server.call('POST', '/v1/sessions', { body: {} })).body.id;
  await server.call('POST', `/v1/sessions/${id}/messages`, { body: { content: 'hi' }, headers: { prefer: 'wait=10' } });
  const strangers = [
    await otherToken(place, [...SCOPES], { tenant: 'another' }),
    await otherToken(
      place,
      [...SCOPES].filter((scope) => scope !== 'admin'),
      { sessionId: other },
    ),
  ];
  const routes = (await routesOf(server)).filter(
    ({ path }) => path.includes('{id}') && path.startsWith('/v1/sessions'),
  );
  for (const token of strangers) {
    for (const { method, path } of routes) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : { content: 'x', subtype: 'interrupt' };
      const answer = await server.call(method, withIds(path.replace('{id}', id), UNKNOWN), {
        token,
        ...(body && { body }),
      });
      const absent = await server.call(method, withIds(path, UNKNOWN), { token, ...(body && { body }) });
      // What is said of a session of somebody else is what is said of none.
      expect([method, path, answer.status]).toEqual([method, path, absent.status]);
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    const listed = (await server.call('GET', '/v1/sessions', { token })).body.sessions;
    expect(listed.map((each: { id: string }) => each.id)).not.toContain(id);
  }
  expect((await server.call('POST', '/v1/sessions', { token: strangers[1] ?? '', body: {} })).status).toBe(403);
});

test('a token can do what its scopes say, until it is revoked', async () => {
  const place = await makePlace();
  const server = await startServer(place, FAST);
  const { id } = (await server.call('POST', '/v1/sessions', { body: {} })).body;
  const made = await runCli(['serve', 'token', 'create', '--name', 'reader', '--json'], { place });
  const { token, id: tokenId } = JSON.parse(made.stdout);
  expect((await server.call('GET', `/v1/sessions/${id}`, { token })).status).toBe(200);
  const denied = await server.call('POST', `/v1/sessions/${id}/messages`, { token, body: { content: 'hi' } });
  expect([denied.status, denied.body.error.facts]).toEqual([403, { scope: 'sessions:write' }]);
  const control = { token, body: { subtype: 'set_model', model: 'haiku' } };
  expect((await server.call('POST', `/v1/sessions/${id}/control`, control)).status).toBe(403);
  expect((await server.call('GET', '/v1/tokens', { token })).status).toBe(403);
  const listed = await runCli(['serve', 'token', 'list'], { place });
  expect(listed.stdout).toContain('reader');
  expect(listed.stdout).not.toContain(token);
  expect((await runCli(['serve', 'token', 'revoke', tokenId], { place })).code).toBe(0);
  expect((await server.call('GET', `/v1/sessions/${id}`, { token })).status).toBe(401);
});

/** What clients may set; every other field of a run is kept from the network. */
const FREE = [
  ...['model', 'fallbackModel', 'effort', 'thinking', 'maxThinkingTokens', 'thinkingDisplay', 'betas', 'systemPrompt'],
  ...[
    'appendSystemPrompt',
    'jsonSchema',
    'agent',
    'name',
    'maxTurns',
    'maxBudgetUsd',
    'maxDurationMs',
    'backgroundWait',
  ],
  ...['teams', 'onEnd', 'autoCompact', 'toolUseSummaries', 'tools', 'hostTools', 'allowedTools', 'disallowedTools'],
  ...['permissionMode', 'permissionPrompts', 'disableSlashCommands', 'verbatimPrompts', 'includePartialMessages'],
  ...['includeHookEvents', 'forwardSubagentText', 'replayUserMessages', 'fileCheckpointing'],
];

test('[W-9] a configuration from the network cannot name programs, files or settings of the server', async () => {
  const place = await makePlace();
  const server = await startServer(place, FAST);
  const kept = FLAGS.map(({ key }) => String(key)).filter((key) => !FREE.includes(key));
  expect(kept).toEqual(
    expect.arrayContaining(['settings', 'mcpConfig', 'pluginDir', 'addDir', 'dangerouslySkipPermissions']),
  );
  for (const field of [...kept, 'cwd', 'env', 'hooks']) {
    const config = JSON.parse(`{"${field}": "x"}`);
    const { status } = await server.call('POST', '/v1/sessions', { body: { config } });
    expect([field, status >= 400 && status < 500]).toEqual([field, true]);
  }
  const bypass = await server.call('POST', '/v1/sessions', {
    body: { config: { permissionMode: 'bypassPermissions' } },
  });
  expect([bypass.status, bypass.body.error.code]).toEqual([403, 'not_permitted']);
  const outside = await server.call('POST', '/v1/sessions', { body: { workspace: { kind: 'directory', path: '/' } } });
  expect([outside.status, outside.body.error.code]).toEqual([403, 'not_permitted']);
  expect((await server.call('GET', '/v1/sessions')).body.sessions).toEqual([]);
  // A value that looks like a flag is a value.
  const model = await server.call('POST', '/v1/sessions', { body: { config: { model: '--settings={"hooks":{}}' } } });
  expect(model.status).toBe(201);
});
