import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { json, makeServer, mcp, projectFile, userFile } from '../support/mcp-command.ts';
import { makePlace } from '../support/place.ts';
import { put } from '../support/put.ts';

/** What public programs take from the lines: the name up to the first colon, the command up to the mark, the words. */
function readAsHostsDo(stdout: string) {
  return stdout.split('\n').flatMap((line) => {
    const found =
      /^([^:]+):\s*(.+?)\s+-\s+([✓✗⚠⏸])\s*(Connected|Failed to connect|Rejected|Needs authentication|Pending approval)/.exec(
        line,
      );
    if (!found) return [];
    const [, name, command, , words = ''] = found;
    const state = { Connected: 'connected', 'Needs authentication': 'needs-auth', 'Pending approval': 'pending' }[
      words
    ];
    return [{ name, command, state: state ?? 'failed' }];
  });
}

describe('heddle mcp list, get and test', () => {
  test('connects to all at once; one that fails or hangs does not hold up the others', async () => {
    const place = await makeServer();
    await mcp(place, 'add', '-e', 'VERSION_OF_IT=7', 'good', 'node', 'server.mjs');
    await mcp(place, 'add', '-s', 'user', 'broken', '--', 'sh', '-c', 'echo it cannot be >&2; exit 3');
    for (const name of ['h1', 'h2', 'h3']) await mcp(place, 'add', '-s', 'user', name, 'sleep', '60');
    const began = Date.now();
    const { code, stdout } = await runCli(['mcp', 'list', '--json'], { place, env: { MCP_TIMEOUT: '1500' } });
    expect(code).toBe(0);
    expect(Date.now() - began).toBeLessThan(4500); // not 3 x 1500 ms on top of the rest
    const [good, broken, hanging] = JSON.parse(stdout);
    expect(good).toEqual({
      name: 'good',
      scope: 'local',
      config: { type: 'stdio', command: 'node', args: ['server.mjs'] },
      status: 'connected',
      serverInfo: { name: 'fixture', version: '7' },
      tools: ['first', 'second'],
      ms: expect.any(Number),
    });
    expect(broken).toMatchObject({ name: 'broken', scope: 'user', status: 'failed' });
    expect(broken.error).toContain('it ended with the exit code 3. Its last words: it cannot be');
    expect(hanging).toMatchObject({ name: 'h1', status: 'failed', error: expect.stringContaining('1500 ms') });
  });

  test('a line each, as programs read those of the reference', async () => {
    const place = await makeServer();
    expect(await mcp(place, 'list')).toMatchObject({
      code: 0,
      stdout: 'No MCP servers configured. Use `heddle mcp add` to add a server.\n',
      stderr: '',
    });
    const locked = createServer((_request, response) => void response.writeHead(401).end());
    await new Promise<void>((resolve) => void locked.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void locked.close());
    const url = `http://127.0.0.1:${(locked.address() as AddressInfo).port}/mcp`;
    await mcp(place, 'add', 'good', 'node', 'server.mjs', 'a', 'b');
    await mcp(place, 'add', 'missing', 'no-such-program-\u001b[2K');
    await mcp(place, 'add', '-s', 'user', 'web', url);
    await mcp(place, 'add', '-s', 'user', 'off', 'x');
    put(projectFile(place), { mcpServers: { theirs: { type: 'sse', url: 'http://127.0.0.1:9/sse' } } });
    put(join(place.home, 'settings.json'), { deniedMcpServers: [{ serverName: 'off' }] });
    const { code, stdout, stderr } = await mcp(place, 'list');
    expect(code).toBe(0);
    const [header, empty, ...lines] = stdout.trimEnd().split('\n');
    expect([header, empty]).toEqual(['Checking MCP server health...', '']);
    expect(lines).toEqual([
      'good: node server.mjs a b - ✓ Connected',
      expect.stringMatching(/^missing: no-such-program-\\u\{1b\}\[2K - ✗ Failed to connect — \S/),
      `web: ${url} (HTTP) - ⚠ Needs authentication`,
      expect.stringMatching(/^off: x - ✗ Rejected — deniedMcpServers of .*settings\.json denies it$/),
      'theirs: http://127.0.0.1:9/sse (SSE) - ⏸ Pending approval (run `heddle trust` to approve)',
    ]);
    expect(stderr).toContain('heddle: web wants a sign-in: heddle mcp login web\n');
    expect(readAsHostsDo(stdout)).toEqual([
      { name: 'good', command: 'node server.mjs a b', state: 'connected' },
      { name: 'missing', command: expect.stringContaining('no-such-program'), state: 'failed' },
      { name: 'web', command: `${url} (HTTP)`, state: 'needs-auth' },
      { name: 'off', command: 'x', state: 'failed' },
      { name: 'theirs', command: 'http://127.0.0.1:9/sse (SSE)', state: 'pending' },
    ]);
    expect((await mcp(place, 'list', '--exit-code')).code).toBe(1);
    const quiet = await mcp(place, 'list', '--no-connect');
    expect(quiet.stdout).toMatch(/^good: node server\.mjs a b - Not checked\nmissing: /);
  });

  test('[G1, R-12] what an untrusted project brings is shown and not started', async () => {
    const place = await makeServer();
    put(projectFile(place), {
      mcpServers: { theirs: { command: 'sh', args: ['-c', 'touch started; exec node server.mjs'] } },
    });
    const [listed] = await json(place, 'list');
    expect(listed).toMatchObject({ name: 'theirs', scope: 'project', status: 'untrusted' });
    expect(listed.error).toContain('heddle trust');
    expect(await mcp(place, 'test', 'theirs')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('untrusted: '),
    });
    expect(await json(place, 'get', 'theirs')).toMatchObject({ trust: 'untrusted', idle: { status: 'untrusted' } });
    expect(existsSync(join(place.cwd, 'started'))).toBe(false);
    await runCli(['trust', '--yes'], { place });
    expect((await json(place, 'list'))[0]).toMatchObject({ name: 'theirs', status: 'connected' });
    expect(await json(place, 'get', 'theirs')).toMatchObject({ trust: 'trusted' });
    writeFileSync(projectFile(place), readFileSync(projectFile(place), 'utf8').replace('touch', 'echo'));
    expect((await json(place, 'list'))[0].error).toContain('has changed since it was trusted');
  });

  test('[G1] what the user adds to a project that is trusted, or has nothing yet, is trusted', async () => {
    const place = await makeServer();
    await mcp(place, 'add', '-s', 'project', 'ours', 'node', 'server.mjs');
    expect((await json(place, 'list'))[0]).toMatchObject({ name: 'ours', status: 'connected' });
    await mcp(place, 'remove', 'ours');
    put(projectFile(place), { mcpServers: { theirs: { command: 'x' } } });
    await mcp(place, 'add', '-s', 'project', 'ours', 'node', 'server.mjs');
    const statuses = (await json(place, 'list')).map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(['untrusted', 'untrusted']);
  });

  test('of one name the strongest scope counts, and get tells of the others', async () => {
    const place = await makePlace();
    for (const scope of ['user', 'project', 'local']) await mcp(place, 'add', '-s', scope, 'x', `of-${scope}`);
    const got = await json(place, 'get', 'x');
    expect(got).toMatchObject({ scope: 'local', file: userFile(place), config: { command: 'of-local' } });
    expect(got.alsoIn).toEqual([
      { scope: 'project', file: projectFile(place) },
      { scope: 'user', file: userFile(place) },
    ]);
    expect(await json(place, 'list', '--no-connect')).toHaveLength(1);
  });

  test('get shows the names of variables and headers, never their values', async () => {
    const place = await makePlace();
    await mcp(place, 'add', '-e', 'API_KEY=sesame-opens', 'x', 'run-it', 'now');
    await mcp(place, 'add', '-H', 'X-Key: sesame-opens', 'y', 'https://user:sesame-opens@y.example/mcp');
    for (const args of [
      ['get', 'x'],
      ['get', 'y', '--no-connect'],
      ['get', 'x', '--json'],
      ['get', 'y', '--json', '--no-connect'],
      ['list', '--no-connect'],
    ]) {
      expect((await mcp(place, ...args)).stdout).not.toContain('sesame');
    }
    expect(await mcp(place, 'get', 'z')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No MCP server named "z"'),
    });
  });

  test('get has the lines of the reference, and ours behind them', async () => {
    const place = await makeServer();
    await mcp(place, 'add', '-e', 'API_KEY=sesame-opens', 'files', 'node', 'server.mjs', 'now');
    await mcp(place, 'add', '-s', 'user', '-H', 'X-Key: sesame-opens', 'web', 'http://127.0.0.1:9/mcp');
    expect((await mcp(place, 'get', 'files')).stdout).toBe(
      [
        'files:',
        '  Scope: Local config (private to you in this project)',
        '  Status: ✓ Connected',
        '  Type: stdio',
        '  Command: node',
        '  Args: server.mjs now',
        '  Environment:',
        '    API_KEY=***',
        `  File: ${userFile(place)}`,
        '',
        'To remove this server, run: heddle mcp remove files -s local',
        '',
      ].join('\n'),
    );
    const web = (await mcp(place, 'get', 'web')).stdout;
    expect(web).toMatch(
      /^ {2}Scope: User config \(available in all your projects\)\n {2}Status: ✗ Failed to connect\n {2}Issue: \S/m,
    );
    expect(web).toContain('  Type: http\n  URL: http://127.0.0.1:9/mcp\n  Headers:\n    X-Key: ***\n');
    await mcp(place, 'add', 'bare', 'node', 'server.mjs');
    expect((await mcp(place, 'get', 'bare')).stdout).toContain('  Args: server.mjs\n  Environment:\n  File: ');
    expect(await json(place, 'get', 'files')).toMatchObject({ status: 'connected', env: ['API_KEY'] });
    expect((await json(place, 'get', 'web', '--no-connect')).status).toBeUndefined();
  });

  test('[C-1] test lists the tools with times; of one that fails it shows all that it said', async () => {
    const place = await makeServer();
    await mcp(place, 'add', 'good', 'node', 'server.mjs');
    const good = await mcp(place, 'test', 'good');
    expect(good.code).toBe(0);
    expect(good.stdout).toMatch(
      /^good: node server\.mjs \(local\)\nconnected to fixture 0 in \d+ ms; 2 tools in \d+ ms\n {2}first +Does the first thing\n {2}second/,
    );
    expect(good.stderr).toBe('');
    await mcp(place, 'add', 'broken', '--', 'sh', '-c', 'echo one >&2; echo two >&2; exit 4');
    const broken = await mcp(place, 'test', 'broken');
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain('heddle: failed: it ended with the exit code 4');
    expect(broken.stderr).toContain('It said on stderr:\n  one\n  two\n');
    expect(await json(place, 'test', 'good')).toMatchObject({
      status: 'connected',
      tools: [{ name: 'first', description: 'Does the first thing\nand more' }, { name: 'second' }],
      connectMs: expect.any(Number),
      listMs: expect.any(Number),
      stderr: 'the server says hello',
    });
  });

  test('[G4] a server gets its own variables and not the key of the model', async () => {
    const place = await makePlace();
    await mcp(place, 'add', '-e', 'MINE=1', 'x', '--', 'sh', '-c', 'env >&2; exit 1');
    const { stderr } = await json(place, 'test', 'x');
    expect(stderr).toContain('MINE=1');
    expect(stderr).not.toContain('key-of-the-test');
  });

  test('servers of the launch can be tried, too', async () => {
    const place = await makeServer();
    const config = JSON.stringify({ mcpServers: { given: { command: 'node', args: ['server.mjs'] } } });
    expect((await mcp(place, 'test', 'given', '--mcp-config', config)).code).toBe(0);
  });
});
