import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { assistant, call, result, user } from '../../sessions/support.ts';
import { digestOf, type HomeServer, homeServer } from './support.ts';

const ID = '3f2a9c11-0000-4000-8000-000000000001';
const PNG = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.alloc(200, 7)]).toString('base64');

/** A prompt with a call, and two branches behind the answer. */
const branched = [
  user('u1', 'fix the login form', { at: '2026-01-01T00:00:01Z', cwd: '/w/project' }),
  assistant('u2', [call('c1')], { parent: 'u1', at: '2026-01-01T00:00:02Z' }),
  result('u3', 'c1', { parent: 'u2', at: '2026-01-01T00:00:14Z' }),
  assistant('u4', 'It works <b>now</b>', { parent: 'u3', at: '2026-01-01T00:00:15Z' }),
  user('u5', 'with a test', { parent: 'u4', at: '2026-01-01T00:00:20Z' }),
  user('u6', 'without one', { parent: 'u4', at: '2026-01-01T00:00:30Z' }),
  assistant('u7', 'done', { parent: 'u6', at: '2026-01-01T00:00:31Z' }),
];

async function withSession() {
  const home = await homeServer();
  return { ...home, written: home.session(branched, { sessionId: ID }) };
}

describe('reading', () => {
  test('sessions are listed newest first, filtered by words, and counted', async () => {
    const home = await withSession();
    home.session([user('a', 'another one', { cwd: '/w/other' })], { project: '/w/other', age: 60 });
    const all = (await home.ask('/v1/home/sessions')).json;
    expect(all).toMatchObject({ total: 2, sessions: [{ id: ID, title: 'without one', holder: null }, {}] });
    const found = (await home.ask('/v1/home/sessions?q=OTHER%20another')).json;
    expect(found).toMatchObject({ total: 1, sessions: [{ cwd: '/w/other' }] });
    const projects = (await home.ask('/v1/home/projects')).json;
    expect(projects.projects).toMatchObject([
      { cwd: '/w/project', sessions: 1 },
      { cwd: '/w/other', sessions: 1 },
    ]);
  });

  test('rows come once; later only those that changed', async () => {
    const { ask, written: session } = await withSession();
    const first = (await ask(`/v1/home/sessions/${ID}/rows`)).json;
    expect(first).toMatchObject({ total: 7, leaf: 6, cwd: '/w/project' });
    expect(first.rows.map(({ kind }: { kind: string }) => kind)).toEqual([
      'prompt',
      'answer',
      'result',
      'answer',
      'prompt',
      'prompt',
      'answer',
    ]);
    expect(first.rows[6]).toMatchObject({ id: 'u7', parent: 5, up: 5 });
    await new Promise((resolve) => setTimeout(resolve, 120)); // the server looks at a file at most so often
    appendFileSync(session.path, `${JSON.stringify(user('u8', 'and now?', { parent: 'u7' }))}\n`);
    const more = (await ask(`/v1/home/sessions/${ID}/rows?since=${first.version}&life=${first.life}`)).json;
    expect(more).toMatchObject({ total: 8, leaf: 7, rows: [{ id: 'u8', n: 7 }] });
  });

  test('entries are cut, named, and to be had as a whole; images only by their bytes', async () => {
    const { ask, session: write } = await homeServer();
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
    const svg = Buffer.from('<svg onload="alert(1)"/>'.repeat(9)).toString('base64');
    const evil = { type: 'image', source: { type: 'base64', media_type: 'image/svg+xml', data: svg } };
    write([user('u1', [{ type: 'text', text: 'x'.repeat(9000) }, image, evil])], { sessionId: ID });
    const { entries } = (await ask(`/v1/home/sessions/${ID}/entries?rows=0-5,9`)).json;
    expect(entries).toHaveLength(1);
    expect(entries[0].entry.message.content[0].text).toHaveLength(4096);
    expect(entries[0].cuts).toMatchObject([{ path: ['message', 'content', 0, 'text'], chars: 9000 }, {}, {}]);
    const at = (way: unknown) => `/v1/home/sessions/${ID}/rows/0/blob?path=${encodeURIComponent(JSON.stringify(way))}`;
    const whole = await ask(at(['message', 'content', 0, 'text']));
    expect(whole.text).toBe('x'.repeat(9000));
    const shown = await ask(at(['message', 'content', 1, 'source', 'data']));
    expect(shown.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
    });
    expect((await ask(at(['message', 'content', 2, 'source', 'data']))).status).toBe(404);
    expect((await ask(at(['message', 'nothing']))).status).toBe(404);
    expect((await ask(at(['__proto__']))).status).toBe(404);
  });

  test('the tail of a file comes without reading the rest', async () => {
    const { ask } = await withSession();
    const { entries } = (await ask(`/v1/home/sessions/${ID}/tail`)).json;
    expect(entries.map(({ entry }: { entry: { uuid: string } }) => entry.uuid)).toEqual(
      branched.map(({ uuid }) => uuid),
    );
  });

  test('agents are read like sessions, with the calls that started them', async () => {
    const { ask, written: session } = await withSession();
    const folder = join(session.path.replace(/\.jsonl$/, ''), 'subagents');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'agent-a1.jsonl'), `${JSON.stringify(user('s1', 'look', { isSidechain: true }))}\n`);
    writeFileSync(join(folder, 'agent-a1.meta.json'), JSON.stringify({ toolUseId: 'c1', agentType: 'Explore' }));
    const { agents } = (await ask(`/v1/home/sessions/${ID}/agents`)).json;
    expect(agents).toMatchObject([{ id: 'a1', call: 'c1', kind: 'Explore' }]);
    expect((await ask(`/v1/home/sessions/${ID}/agents/a1/rows`)).json).toMatchObject({ rows: [{ id: 's1' }] });
    expect((await ask(`/v1/home/sessions/${ID}/agents/a2/rows`)).status).toBe(404);
  });

  test('search finds texts in one session and in all', async () => {
    const home = await withSession();
    home.session([user('a', 'the login again')], { project: '/w/other' });
    const all = (await home.ask('/v1/home/search?q=login')).json;
    expect(all.hits).toHaveLength(2);
    const own = (await home.ask(`/v1/home/sessions/${ID}/search?q=login`)).json;
    expect(own.hits).toMatchObject([{ sessionId: ID, uuid: 'u1', match: 'login' }]);
    expect((await home.ask('/v1/home/search?q=(&regex=true')).status).toBe(400);
  });

  test('a damaged file is shown with what was repaired', async () => {
    const { ask, session } = await homeServer();
    session([branched[0] ?? '', '{"torn":\n', user('x', 'lost', { parent: 'nowhere' })], { sessionId: ID });
    const { problems, rows } = (await ask(`/v1/home/sessions/${ID}/rows`)).json;
    expect(rows).toHaveLength(2);
    expect(problems).toMatchObject([{ line: 2 }, { line: 3, text: expect.stringContaining('missing') }]);
  });
});

describe('changing', () => {
  test('rename, tag, archive, switch, fork and delete do what the command line does', async () => {
    const { ask, written: session, home } = await withSession();
    const post = (action: string, body: object) => ask(`/v1/home/sessions/${ID}/${action}`, { method: 'POST', body });
    expect((await post('rename', { title: 'a new name' })).status).toBe(200);
    expect((await post('tag', { tag: 'release' })).status).toBe(200);
    expect((await post('archive', { archived: true })).status).toBe(200);
    const [listed] = (await ask('/v1/home/sessions?archived=true')).json.sessions;
    expect(listed).toMatchObject({ title: 'a new name', tag: 'release', archived: true });
    expect((await ask('/v1/home/sessions')).json.total).toBe(0);

    const before = readFileSync(session.path);
    expect((await post('switch', { leaf: 'u5' })).json).toEqual({ leaf: 'u5', isChanged: true });
    expect(readFileSync(session.path).subarray(0, before.length).equals(before)).toBe(true);
    expect((await ask(`/v1/home/sessions/${ID}/rows`)).json).toMatchObject({ leaf: 4 });

    const forked = await post('fork', { at: 'u4', title: 'the other way' });
    expect(forked.status).toBe(201);
    expect((await ask(`/v1/home/sessions/${forked.json.id}/rows`)).json).toMatchObject({ total: 4 });

    const gone = await ask(`/v1/home/sessions/${ID}`, { method: 'DELETE' });
    expect(gone.json.moved_to).toContain(join(home, 'trash'));
    expect((await ask(`/v1/home/sessions/${ID}`)).status).toBe(404);
  });

  test('a read-only server has no route that changes a session', async () => {
    const { server } = await homeServer({ isReadOnly: true });
    const own = server.routes.filter(({ path }) => path.startsWith('/v1/home'));
    expect(own.length).toBeGreaterThan(10);
    expect(own.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('a token for reading changes nothing', async () => {
    const { ask, tokenWith } = await withSession();
    const token = await tokenWith('home:read');
    expect((await ask(`/v1/home/sessions/${ID}/rows`, { token })).status).toBe(200);
    const refused = await ask(`/v1/home/sessions/${ID}/rename`, { token, method: 'POST', body: { title: 'x' } });
    expect(refused.status).toBe(403);
    const client = await tokenWith('sessions:read', 'sessions:write');
    expect((await ask('/v1/home/sessions', { token: client })).status).toBe(403);
  });
});

describe('live', () => {
  test('rows and their writer arrive as they come', async () => {
    const { url, token, written: session } = await withSession();
    let seen = '';
    const request = get(`${url}/v1/home/sessions/${ID}/live`, { headers: { authorization: `Bearer ${token}` } });
    request.on('response', (response) => response.on('data', (piece) => (seen += piece)));
    request.on('error', () => {}); // it is destroyed below
    await expect.poll(() => seen).toContain('"id":"u7"');
    await expect.poll(() => seen).toContain('event: holder\ndata: {"holder":null}');
    appendFileSync(session.path, `${JSON.stringify(user('u8', 'and now?', { parent: 'u7' }))}\n`);
    await expect.poll(() => seen, { interval: 5, timeout: 2000 }).toContain('"id":"u8"');
    request.destroy();
  });
});

describe('the checks before every route', () => {
  const TRAVERSALS = traversals();

  test('[W-1] without a token: 401, except for what answers nothing of anybody', async () => {
    const { ask, server } = await withSession();
    for (const { method, path, scope } of server.routes) {
      const { status } = await ask(filled(path), { method, token: null, body: method === 'GET' ? undefined : {} });
      if (scope !== 'none') expect([`${method} ${path}`, status]).toEqual([`${method} ${path}`, 401]);
    }
  });

  test('[W-2] [W-3] a wrong host: 421; a foreign origin or a page that embeds: 403', async () => {
    const { ask, server } = await withSession();
    for (const { method, path } of server.routes) {
      const body = method === 'GET' ? undefined : {};
      const status = async (headers: Record<string, string>) =>
        (await ask(filled(path), { method, body, headers })).status;
      expect(await status({ host: 'evil.example' })).toBe(421);
      expect(await status({ origin: 'https://evil.example' })).toBe(403);
      expect(await status({ origin: 'null' })).toBe(403);
      expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    }
  });

  test('[W-3] no answer allows another origin to read it', async () => {
    const { ask } = await withSession();
    const { headers } = await ask('/v1/home/sessions');
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['set-cookie']).toBeUndefined();
    expect(headers['cache-control']).toBe('no-store');
  });

  test('[W-4] a change needs JSON that says so', async () => {
    const { ask } = await withSession();
    const path = `/v1/home/sessions/${ID}/rename`;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await ask(path, { method: 'POST', body: { title: 'x' }, headers: form })).status).toBeGreaterThanOrEqual(
      400,
    );
    expect(
      (await ask(path, { method: 'POST', body: { title: 'x' }, headers: { 'content-type': 'text/plain' } })).status,
    ).toBeGreaterThanOrEqual(400);
  });

  test('[W-5] ids are ids: no payload leads to another file', async () => {
    const home = await withSession();
    writeFileSync(join(home.home, 'secret.jsonl'), `${JSON.stringify(user('s', 'the secret'))}\n`);
    expect(TRAVERSALS.length).toBeGreaterThanOrEqual(50);
    for (const payload of TRAVERSALS) {
      for (const path of [
        `/v1/home/sessions/${payload}`,
        `/v1/home/sessions/${payload}/rows`,
        `/v1/home/sessions/${ID}/agents/${payload}/rows`,
        `/${payload}`,
      ]) {
        const { status, text } = await home.ask(path);
        expect([path, status]).toEqual([path, 404]);
        expect(text).not.toContain('the secret');
      }
    }
  });

  test('[W-4] reading changes nothing in the home', async () => {
    const home = await withSession();
    const before = digestOf(home.home);
    for (const { method, path } of home.server.routes) {
      if (method !== 'GET' || path.endsWith('/live') || !path.startsWith('/v1/home')) continue;
      await home.ask(`${filled(path)}?q=login&rows=0-9&path=%5B%5D`);
    }
    expect(digestOf(home.home)).toBe(before);
  });

  test('[W-8] large bodies and headers are refused', async () => {
    const { ask } = await withSession();
    const big = await ask(`/v1/home/sessions/${ID}/rename`, {
      method: 'POST',
      body: { title: 'x'.repeat(20_000_000) },
    }).catch(() => ({ status: 413 }));
    expect(big.status).toBe(413);
    const headers = { 'x-large': 'x'.repeat(20_000) };
    expect((await ask('/v1/home/sessions', { headers })).status).toBe(431);
  });
});

describe('[W-7] the code that opens a page', () => {
  const trade = (home: HomeServer, code: string) =>
    home.ask('/v1/page-tokens', { method: 'POST', token: null, body: { code } });

  test('is traded once for a token, and is worthless then', async () => {
    const home = await withSession();
    const { json } = await home.ask('/v1/page-codes', { method: 'POST', body: {} });
    const made = await trade(home, json.code);
    expect(made.status).toBe(201);
    expect((await home.ask('/v1/home/sessions', { token: made.json.token })).status).toBe(200);
    expect((await home.ask('/v1/tokens', { token: made.json.token })).status).toBe(403);
    expect((await trade(home, json.code)).status).toBe(401);
    expect((await trade(home, 'guessed')).status).toBe(401);
  });

  test('may be for reading only', async () => {
    const home = await withSession();
    const { json } = await home.ask('/v1/page-codes', { method: 'POST', body: { read_only: true } });
    const { token } = (await trade(home, json.code)).json;
    const body = { title: 'x' };
    expect((await home.ask(`/v1/home/sessions/${ID}/rename`, { method: 'POST', token, body })).status).toBe(403);
  });

  test('is made by nobody without the scope admin', async () => {
    const home = await withSession();
    const token = await home.tokenWith('home:read', 'home:write');
    expect((await home.ask('/v1/page-codes', { method: 'POST', token, body: {} })).status).toBe(403);
  });
});

function filled(path: string): string {
  const values: Record<string, string> = { id: ID, agent: 'a1', row: '0' };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'x1');
}

function traversals(): string[] {
  const ups = ['../', '..%2f', '..%5c', '%2e%2e/', '%2e%2e%2f', '..%252f', '..%c0%af', '....//', '..;/', '.%2e/'];
  const files = ['secret.jsonl', 'secret', 'etc/passwd', '%00', `secret.jsonl%00${ID}`];
  return ups.flatMap((up) => files.map((file) => up.repeat(3) + file));
}
