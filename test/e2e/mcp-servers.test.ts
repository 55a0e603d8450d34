import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AnswerLike, toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { type Line, toolResult } from '../support/lines.ts';
import { readCoverage, sourcesRun } from '../support/loaded.ts';
import { makePlace, type Place } from '../support/place.ts';
import { isAlive } from '../support/processes.ts';
import { ROOT } from '../support/root.ts';

const packageServer = (name: string) => join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
const ODD = join(ROOT, 'test/support/odd-mcp-server.mjs');
const odd = (...args: string[]) => ({ command: 'node', args: [ODD, ...args] });
const config = (mcpServers: object) => ['--mcp-config', JSON.stringify({ mcpServers })];
const adding = (server = 'calc'): AnswerLike[] => [toolUse(`mcp__${server}__add`, { a: 2, b: 3 }), 'Added.'];
const resultsIn = (lines: Line[]) => lines.flatMap((line) => toolResult(line) ?? []);
const toolsIn = ([init]: Line[]) => ((init?.tools ?? []) as string[]).filter((name) => name.startsWith('mcp__'));
/** How a configuration names a variable. */
const ref = (name: string) => `$\{${name}}`;
const serversIn = ([init]: Line[]) =>
  ((init?.mcp_servers ?? []) as { name: string; status: string }[]).map(({ name, status }) => `${name} ${status}`);

function put(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}

async function run(place: Place, args: string[], env: Record<string, string> = {}) {
  return runCli([...STREAM_OUT, 'go', ...args], { place, env });
}

describe('the official servers', () => {
  test('[MCP-01] server-everything over stdio: its tools work', async () => {
    const place = await makePlace([toolUse('mcp__all__echo', { message: 'hello loom' }), 'ok']);
    const servers = config({ all: { command: 'node', args: [packageServer('everything')] } });
    const { lines } = await run(place, [...servers, '--allowedTools', 'mcp__all']);
    expect(serversIn(lines)).toEqual(['all connected']);
    expect(toolsIn(lines)).toContain('mcp__all__echo');
    expect(resultsIn(lines)).toMatchObject([{ content: [{ type: 'text', text: 'Echo: hello loom' }] }]);
  });

  test.each([
    ['sse', '[MCP-02] SSE', '/sse'],
    ['streamableHttp', '[MCP-03] streamable HTTP', '/mcp'],
  ])('server-everything over %s (%s): its tools work, and the session ends', async (transport, _, path) => {
    const port = await freePort();
    const server = spawn('node', [packageServer('everything'), transport], {
      env: { PATH: process.env.PATH, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await listening(server);
    const place = await makePlace([toolUse('mcp__all__echo', { message: 'hello net' }), 'ok']);
    const type = transport === 'sse' ? 'sse' : 'http';
    const servers = config({ all: { type, url: `http://127.0.0.1:${port}${path}` } });
    const { lines, code, stderr } = await run(place, [...servers, '--allowedTools', 'mcp__all']);
    expect(serversIn(lines), stderr).toEqual(['all connected']);
    expect(resultsIn(lines)).toMatchObject([{ content: [{ type: 'text', text: 'Echo: hello net' }] }]);
    expect(code).toBe(0);
  });

  test('server-filesystem knows its directory, and server-memory remembers, side by side', async () => {
    const place = await makePlace([
      toolUse('mcp__files__list_allowed_directories', {}),
      toolUse('mcp__memory__create_entities', {
        entities: [{ name: 'loom', entityType: 'tool', observations: ['weaves'] }],
      }),
      toolUse('mcp__memory__read_graph', {}),
      'ok',
    ]);
    const servers = config({
      files: { command: 'node', args: [packageServer('filesystem'), place.cwd] },
      memory: {
        command: 'node',
        args: [packageServer('memory')],
        env: { MEMORY_FILE_PATH: join(place.cwd, 'memory.jsonl') },
      },
    });
    const { lines } = await run(place, [...servers, '--allowedTools', 'mcp__files,mcp__memory']);
    expect(serversIn(lines)).toEqual(['files connected', 'memory connected']);
    const texts = resultsIn(lines).map(({ content }) => JSON.stringify(content));
    expect(texts).toEqual([expect.stringContaining(place.cwd), expect.anything(), expect.stringContaining('weaves')]);
  });
});

describe('configuration', () => {
  test('[MCP-14, MCP-15] several --mcp-config, one broken server beside a good one', async () => {
    const place = await makePlace(adding());
    put(join(place.cwd, 'servers.json'), { mcpServers: { calc: odd() } });
    const dead = config({ dead: { command: '/no/such/bin' } });
    const { lines, stderr } = await run(place, [
      '--mcp-config',
      'servers.json',
      ...dead,
      '--allowedTools',
      'mcp__calc',
    ]);
    expect(serversIn(lines)).toEqual(['calc connected', 'dead failed']);
    expect(resultsIn(lines)).toMatchObject([{ content: [{ text: '5' }] }]);
    expect(stderr).toContain('The MCP server dead failed: Cannot start /no/such/bin: no such program');
  });

  test('[G1] a project is not believed until it is trusted, and that is said', async () => {
    const place = await makePlace(['ok']);
    put(join(place.cwd, '.mcp.json'), { mcpServers: { calc: odd() } });
    const { lines, stderr } = await run(place, []);
    expect(serversIn(lines)).toEqual([]);
    expect(lines[0]?.trust).toMatchObject({ trusted: false, ignored: ['.mcp.json: calc'] });
    expect(stderr).toContain('the MCP servers of .mcp.json were not started: calc');
    const trusted = await run(place, ['--trust']);
    expect(serversIn(trusted.lines)).toEqual(['calc connected']);
    expect(trusted.lines[0]?.trust).toMatchObject({ trusted: true, ignored: [] });
  });

  test.each([
    [{ disabledMcpjsonServers: ['b'] }, ['a connected', 'b disabled']],
    [{ enabledMcpjsonServers: ['b'] }, ['a disabled', 'b connected']],
    [{ enabledMcpjsonServers: ['b'], enableAllProjectMcpServers: true }, ['a connected', 'b connected']],
    [{ enableAllProjectMcpServers: false }, ['a disabled', 'b disabled']],
  ])('settings choose among the servers of a trusted project: %j', async (settings, expected) => {
    const place = await makePlace(['ok']);
    put(join(place.cwd, '.mcp.json'), { mcpServers: { a: odd(), b: odd() } });
    const { lines } = await run(place, ['--trust', '--settings', JSON.stringify(settings)]);
    expect(serversIn(lines)).toEqual(expected);
  });

  test('of one name the nearest counts: launch, local, project, user', async () => {
    const place = await makePlace(['ok']);
    const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, odd()]));
    put(join(place.home, '.claude.json'), {
      mcpServers: named('a', 'b', 'c', 'd'),
      projects: { [place.cwd]: { mcpServers: named('a', 'b') }, '/elsewhere': { mcpServers: named('x') } },
    });
    put(join(place.cwd, '.mcp.json'), { mcpServers: named('a', 'b', 'c') });
    const cli = startCli([...STREAM_BOTH, '--trust', ...config(named('a'))], { place });
    const { response } = (await cli.control({ subtype: 'mcp_status' })) as { response: { mcpServers: Line[] } };
    expect(response.mcpServers.map(({ name, scope }) => `${name} ${scope}`)).toEqual([
      'a dynamic',
      'b local',
      'c project',
      'd user',
    ]);
  });

  test('[B-007, B-234] --strict-mcp-config: only those of the launch', async () => {
    const place = await makePlace(['ok']);
    put(join(place.home, '.claude.json'), { mcpServers: { mine: odd() } });
    const strict = await run(place, ['--strict-mcp-config', ...config({ calc: odd() })]);
    expect(serversIn(strict.lines)).toEqual(['calc connected']);
    expect(serversIn((await run(place, ['--strict-mcp-config'])).lines)).toEqual([]);
  });

  test('variables are replaced; one that is not set is named, and only its server fails', async () => {
    const place = await makePlace([toolUse('mcp__calc__env', {}), 'ok']);
    const calc = { ...odd(), env: { LOOM: ref('LOOM'), SIZE: ref('SIZE:-large') } };
    const servers = config({
      calc,
      lost: { type: 'http', url: 'https://x/', headers: { A: `Bearer ${ref('NO_KEY')}` } },
    });
    const { lines, stderr } = await run(place, [...servers, '--allowedTools', 'mcp__calc'], { LOOM: 'jacquard' });
    expect(serversIn(lines)).toEqual(['calc connected', 'lost failed']);
    expect(stderr).toContain('the environment variable NO_KEY (in headers) is not set');
    const [result] = resultsIn(lines);
    const env = JSON.parse(((result?.content ?? []) as { text: string }[])[0]?.text ?? '{}');
    expect(env).toMatchObject({ LOOM: 'jacquard', SIZE: 'large', HOME: place.env.HOME });
  });

  test('[G4] a server finds a base environment and its own, not the credentials of the runtime', async () => {
    const place = await makePlace([toolUse('mcp__calc__env', {}), 'ok']);
    const servers = config({ calc: { ...odd(), env: { OWN: '1' } } });
    const { lines } = await run(place, [...servers, '--allowedTools', 'mcp__calc'], { SECRET_OF_MINE: 'x' });
    const text = JSON.stringify(resultsIn(lines));
    expect(text).toContain('OWN');
    for (const name of ['ANTHROPIC_API_KEY', 'key-of-the-test', 'SECRET_OF_MINE']) expect(text).not.toContain(name);
  });

  test('[G2, G4] a project does not get a credential by naming it', async () => {
    const place = await makePlace(['ok']);
    put(join(place.cwd, '.mcp.json'), { mcpServers: { thief: { ...odd(), env: { KEY: ref('ANTHROPIC_API_KEY') } } } });
    const { lines, stderr } = await run(place, ['--trust']);
    expect(serversIn(lines)).toEqual(['thief failed']);
    expect(stderr).toContain('the environment variable ANTHROPIC_API_KEY (in env) is not set');
  });

  test('allowedMcpServers and deniedMcpServers: what is not allowed, or denied, is left out and said', async () => {
    const place = await makePlace(['ok']);
    const servers = config({ a: odd(), b: odd(), c: { type: 'http', url: 'http://127.0.0.1:1/mcp' } });
    const denied = { deniedMcpServers: [{ serverName: 'b' }, { serverUrl: 'http://127.0.0.1:*' }] };
    const first = await run(place, [...servers, '--settings', JSON.stringify(denied)]);
    expect(serversIn(first.lines)).toEqual(['a connected']);
    expect(first.stderr).toContain('The MCP server b was left out: deniedMcpServers');
    const none = await run(place, [...servers, '--settings', '{"allowedMcpServers":[]}']);
    expect(serversIn(none.lines)).toEqual([]);
  });

  test('plugins bring servers, under their name and with their folder', async () => {
    const place = await makePlace([toolUse('mcp__plugin_loom_calc__env', {}), 'ok']);
    const root = join(place.root, 'loom');
    put(join(root, '.claude-plugin/plugin.json'), { name: 'loom' });
    put(join(root, '.mcp.json'), { mcpServers: { calc: { ...odd(), env: { AT: `${ref('CLAUDE_PLUGIN_ROOT')}/x` } } } });
    const { lines } = await run(place, ['--plugin-dir', root, '--allowedTools', 'mcp__plugin_loom_calc']);
    expect(serversIn(lines)).toEqual(['plugin:loom:calc connected']);
    expect(JSON.stringify(resultsIn(lines))).toContain(`${root}/x`);
  });

  test('[B-200] timeout bounds the calls of one server', async () => {
    const place = await makePlace(adding());
    const servers = config({ calc: { ...odd('hang-call'), timeout: 300 } });
    const { lines } = await run(place, [...servers, '--allowedTools', 'mcp__calc']);
    expect(resultsIn(lines)).toMatchObject([
      { is_error: true, content: expect.stringContaining('did not answer within 300 ms') },
    ]);
  });

  test('[B-200] alwaysLoad keeps the tools of a server in every request', async () => {
    const place = await makePlace(['ok']);
    const servers = config({ calc: { ...odd(), alwaysLoad: true }, other: odd() });
    await run(place, servers, { ENABLE_TOOL_SEARCH: 'true' });
    const sent = ((place.api.requests[0]?.body.tools ?? []) as { name: string }[]).map(({ name }) => name);
    expect(sent).toContain('mcp__calc__add');
    expect(sent).not.toContain('mcp__other__add');
  });
});

describe('connections', () => {
  test('a server that dies is connected again, which is said, and its tools go on to work', async () => {
    const place = await makePlace([...adding().slice(0, 1), ...adding()]);
    const servers = config({ calc: odd('crash-once', join(place.cwd, 'crashed')), other: odd() });
    const { lines, stderr } = await run(place, [...servers, '--allowedTools', 'mcp__calc']);
    expect(resultsIn(lines)).toMatchObject([
      { is_error: true, content: expect.stringContaining('exit code 9. Its last words: the thread broke') },
      { content: [{ text: '5' }] },
    ]);
    expect(stderr).toContain('The MCP server calc was lost');
    expect(stderr).not.toContain('other');
  });

  test('[MCP-15] a server that wants a sign-in needs-auth, and is not tried over and over', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked++;
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const place = await makePlace(['ok']);
    const both = config({ far: { type: 'http', url }, older: { type: 'sse', url } });
    const { lines } = await run(place, both);
    expect(serversIn(lines)).toEqual(['far needs-auth', 'older needs-auth']);
    expect(asked).toBeLessThan(6);
  });

  test('[MCP-03] headers reach a remote server', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers['x-loom']);
      response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const place = await makePlace(['ok']);
    await run(place, config({ far: { type: 'http', url, headers: { 'X-Loom': ref('KIND') } } }), { KIND: 'jacquard' });
    expect(seen[0]).toBe('jacquard');
  });

  test('[CTL-09, CTL-11, B-010] statuses, toggle, reconnect and new servers of a running session', async () => {
    const place = await makePlace([...adding('dyn')]);
    const args = [...STREAM_BOTH, ...config({ calc: odd(), dead: odd('crash-start') }), '--allowedTools', 'mcp__dyn'];
    const cli = startCli(args, { place });
    const statuses = async () => {
      const { response } = (await cli.control({ subtype: 'mcp_status' })) as { response: { mcpServers: Line[] } };
      return response.mcpServers;
    };
    expect(await statuses()).toMatchObject([
      { name: 'calc', status: 'connected', serverInfo: { name: 'odd-ok' }, config: { type: 'stdio', command: 'node' } },
      { name: 'dead', status: 'failed', error: 'it ended with the exit code 7. Its last words: no such loom' },
    ]);
    await cli.control({ subtype: 'mcp_toggle', serverName: 'calc', enabled: false });
    expect(await statuses()).toMatchObject([{ status: 'disabled' }, {}]);
    await cli.control({ subtype: 'mcp_toggle', serverName: 'calc', enabled: true });
    expect(await cli.control({ subtype: 'mcp_reconnect', serverName: 'calc' })).toMatchObject({ subtype: 'success' });
    expect(await cli.control({ subtype: 'mcp_reconnect', serverName: 'dead' })).toMatchObject({ subtype: 'error' });
    const set = { subtype: 'mcp_set_servers', servers: { dyn: odd(), bad: { command: '/no/such' } } };
    expect(await cli.control(set)).toMatchObject({
      response: { added: ['dyn', 'bad'], removed: [], errors: { bad: expect.stringContaining('no such program') } },
    });
    cli.say('go');
    expect(await cli.nextResult()).toMatchObject({ result: 'Added.' });
    expect(resultsIn(cli.lines)).toMatchObject([{ content: [{ text: '5' }] }]);
  });

  test('a list that changes is the next turn’s', async () => {
    const place = await makePlace([...adding(), 'Again.']);
    const cli = startCli([...STREAM_BOTH, ...config({ calc: odd('changing') }), '--allowedTools', 'mcp__calc'], {
      place,
    });
    cli.say('go');
    await cli.nextResult();
    cli.say('go on');
    await cli.nextResult();
    const inits = cli.lines.filter(({ subtype }) => subtype === 'init');
    expect(inits.map((line) => toolsIn([line]).includes('mcp__calc__later'))).toEqual([false, true]);
  });
});

describe('agents', () => {
  const weaver = (mcpServers: unknown[]) => [
    '--agents',
    JSON.stringify({ weaver: { description: 'weaves', prompt: 'Weave.', mcpServers } }),
  ];
  const task = toolUse('Task', { description: 'd', prompt: 'weave', subagent_type: 'weaver' });

  test('[B-017] bring servers that live as long as they do', async () => {
    const place = await makePlace([task, toolUse('mcp__own__add', { a: 2, b: 3 }), 'Woven.', 'Done.']);
    const own = { ...odd(), env: { PID_FILE: join(place.cwd, 'pids') } };
    const args = [...weaver([{ own }, 'nobody']), '--allowedTools', 'mcp__own,Task'];
    const cli = startCli([...STREAM_BOTH, ...args], { place });
    cli.say('go');
    await cli.nextResult();
    const names = place.api.requests.map(({ body }) =>
      ((body.tools ?? []) as { name: string }[]).map(({ name }) => name),
    );
    expect(names.map((each) => each.includes('mcp__own__add'))).toEqual([false, true, true, false]);
    expect(JSON.stringify(place.api.requests[2]?.body.messages)).toContain('"5"');
    expect(cli.stderr).toContain('The agent weaver uses the MCP server nobody, which is not there');
    expect(Number(readFileSync(join(place.cwd, 'pids'), 'utf8'))).toSatisfy((pid: number) => !isAlive(pid));
  });

  test('[MCP-16] have the servers of the session', async () => {
    const place = await makePlace([task, ...adding(), 'Done.']);
    const args = [...weaver(['calc']), ...config({ calc: odd() }), '--allowedTools', 'mcp__calc,Task'];
    const { stderr } = await run(place, args);
    expect(JSON.stringify(place.api.requests[2]?.body.messages)).toContain('"5"');
    expect(stderr).not.toContain('MCP server');
  });
});

describe('what is loaded', () => {
  test.each([
    ['no servers', [], []],
    ['a stdio server', config({ calc: odd() }), ['src/mcp']],
  ])('with %s', async (_, args, expected) => {
    const place = await makePlace(['ok']);
    const folder = join(place.root, 'loaded');
    await run(place, args, { NODE_V8_COVERAGE: folder });
    const sources = readdirSync(folder).flatMap((name) => readCoverage(join(folder, name)).flatMap(sourcesRun));
    expect(sources).toContain('src/host/session/open-session.ts');
    const kinds = sources.flatMap((source) => /src\/mcp|modelcontextprotocol/.exec(source)?.[0] ?? []);
    expect([...new Set(kinds)]).toEqual(expected);
  });
});

async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listening(server: ChildProcess): Promise<void> {
  onTestFinished(() => void server.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (data) => {
      if (/port/i.test(String(data))) resolve();
    });
    server.once('exit', () => reject(new Error('the server ended')));
  });
}
