import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { helpText } from '../../src/cli/help.ts';
import { runCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';

const mcp = (place: Place, ...args: string[]) => runCli(['mcp', ...args], { place });
const userFile = (place: Place) => join(place.home, '.claude.json');
const projectFile = (place: Place) => join(place.cwd, '.mcp.json');
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const json = async (place: Place, ...args: string[]) => JSON.parse((await mcp(place, ...args, '--json')).stdout);

/** A server with two tools, one of which tells its environment. */
const SERVER = `
  import { createInterface } from 'node:readline';
  console.error('the server says hello');
  const tools = [
    { name: 'first', description: 'Does the first thing\\nand more', inputSchema: { type: 'object' } },
    { name: 'second', inputSchema: { type: 'object' } },
  ];
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const serverInfo = { name: 'fixture', version: process.env.VERSION_OF_IT ?? '0' };
    const result = method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }
      : { tools };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
`;

async function makeServer(): Promise<Place> {
  const place = await makePlace();
  put(join(place.cwd, 'server.mjs'), SERVER);
  return place;
}

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

/** What `add` does not take, and a part of what it says. */
const REFUSED: [string[], string][] = [
  [['taken', 'x'], 'There is a server taken in the scope local'],
  [['../x', 'x'], "'../x' is no name for a server"],
  [['__proto__', 'x'], 'is no name for a server'],
  [[], 'NAME is missing'],
  [['x'], 'COMMAND or URL is missing'],
  [['-t', 'ws', 'x', 'y'], 'Allowed choices are stdio, http, sse.'],
  [['-s', 'team', 'x', 'y'], 'Allowed choices are local, project, user.'],
  [['-e', 'A', 'x', 'y'], "option '--env' needs NAME=VALUE, not 'A'"],
  [['-H', ': v', 'x', 'https://x.example'], "option '--header' needs 'Name: value'"],
  [['-H', 'A: b', 'x', 'y'], "option '--header' is for remote servers"],
  [['-e', 'A=b', 'x', 'https://x.example'], "option '--env' is for commands"],
  [['x', 'https://x.example', 'y'], "unexpected argument 'y'"],
  [['-t', 'http', 'x', 'ftp://x.example'], 'it needs a url that begins with http'],
  [['x', 'npx', '-y'], "unknown option '-y' (heddle mcp add --help"],
  [['--callback-port', '70000', 'x', 'https://x.example'], 'needs a port'],
];

describe('heddle mcp add', () => {
  test('writes a command into the file of its scope; the scope is local unless it is named', async () => {
    const place = await makePlace();
    const added = await mcp(place, 'add', '-e', 'A=1=2', '--env', 'B=', 'files', '--', 'npx', '-y', 'it', '-s', 'x');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toBe(`files was added: scope local, in ${userFile(place)}\n`);
    const given = { type: 'stdio', command: 'npx', args: ['-y', 'it', '-s', 'x'], env: { A: '1=2', B: '' } };
    expect(read(userFile(place))).toEqual({ projects: { [place.cwd]: { mcpServers: { files: given } } } });
    expect((await mcp(place, 'add', '-s', 'user', 'plain', 'run-it')).code).toBe(0);
    expect(read(userFile(place)).mcpServers).toEqual({ plain: { type: 'stdio', command: 'run-it', args: [] } });
    expect((await mcp(place, 'add', '--scope=project', 'shared', 'run-it')).code).toBe(0);
    expect(read(projectFile(place))).toEqual({
      mcpServers: { shared: { type: 'stdio', command: 'run-it', args: [] } },
    });
  });

  test('writes an address with its headers; what looks like one needs no -t', async () => {
    const place = await makePlace();
    const header = ['-H', 'X-Team: blue: sky', '--header', `Authorization: Bearer \${KEY}`];
    expect((await mcp(place, 'add', '-s', 'user', '-t', 'sse', ...header, 'a', 'https://a.example/sse')).code).toBe(0);
    expect((await mcp(place, 'add', '-s', 'user', 'b', 'http://b.example/mcp')).code).toBe(0);
    const login = ['--client-id', 'me', '--callback-port', '7777'];
    expect((await mcp(place, 'add', '-s', 'user', ...login, 'c', 'https://c.example/')).code).toBe(0);
    expect(read(userFile(place)).mcpServers).toEqual({
      a: {
        type: 'sse',
        url: 'https://a.example/sse',
        headers: { 'X-Team': 'blue: sky', Authorization: `Bearer \${KEY}` },
      },
      b: { type: 'http', url: 'http://b.example/mcp' },
      c: { type: 'http', url: 'https://c.example/', oauth: { clientId: 'me', callbackPort: 7777 } },
    });
  });

  test('[G8] keeps everything else in the file, and makes it for the user alone', async () => {
    const place = await makePlace();
    put(userFile(place), { theme: 'dark', projects: { '/elsewhere': { history: [1] } }, mcpServers: { old: {} } });
    await mcp(place, 'add', 'files', 'run-it');
    expect(read(userFile(place))).toMatchObject({
      theme: 'dark',
      projects: { '/elsewhere': { history: [1] } },
      mcpServers: { old: {} },
    });
    const fresh = await makePlace();
    await mcp(fresh, 'add', 'files', 'run-it');
    expect(statSync(userFile(fresh)).mode & 0o777).toBe(0o600);
  });

  test('several at once are all there afterwards', async () => {
    const place = await makePlace();
    const names = ['a', 'b', 'c', 'd', 'e'];
    const all = await Promise.all(names.map((name) => mcp(place, 'add', '-s', 'user', name, 'run-it')));
    expect(all.map(({ code }) => code)).toEqual(names.map(() => 0));
    expect(Object.keys(read(userFile(place)).mcpServers).sort()).toEqual(names);
  });

  test('refuses what could not be used, and changes nothing', async () => {
    const place = await makePlace();
    await mcp(place, 'add', 'taken', 'run-it');
    const before = readFileSync(userFile(place), 'utf8');
    const refused = REFUSED.map(async ([args, text]) => {
      const { code, stdout, stderr } = await mcp(place, 'add', ...args);
      expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' });
      expect(stderr).toContain(text);
      // The reason, and at most the usage below it.
      expect(stderr).toMatch(/^[^\n]+\n(\nUsage: [\s\S]*)?$/);
    });
    await Promise.all(refused);
    expect(readFileSync(userFile(place), 'utf8')).toBe(before);
  });

  test('a variable that is not set here is told, and no reason to refuse', async () => {
    const place = await makePlace();
    const { code, stderr } = await mcp(place, 'add', 'x', `https://x.example/\${NOT_SET_HERE}`);
    expect(code).toBe(0);
    expect(stderr).toContain('NOT_SET_HERE');
  });

  test('a secret in a file that is shared is told, without telling it', async () => {
    const place = await makePlace();
    const args = ['-s', 'project', '-e', 'API_KEY=sesame-opens', '-e', `OTHER_KEY=\${OTHER_KEY:-}`, 'x', 'run-it'];
    const { stdout, stderr } = await mcp(place, 'add', ...args);
    expect(stderr).toContain('the value of API_KEY is in a file that is meant to be shared');
    expect(stderr).not.toContain('OTHER_KEY');
    expect(stdout + stderr).not.toContain('sesame');
  });

  test('add-json takes what would stand in .mcp.json', async () => {
    const place = await makePlace();
    const given = { command: 'run-it', args: ['-x'], timeout: 5, ours: true };
    expect((await mcp(place, 'add-json', '-s', 'user', 'x', JSON.stringify(given))).code).toBe(0);
    expect(read(userFile(place)).mcpServers.x).toEqual(given);
    for (const [text, why] of [
      ['[1]', 'JSON must be an object'],
      ['{"command":1}', 'it needs a command'],
      ['{"type":"sdk","name":"x"}', 'lives in a program'],
      ['{"type":"carrier-pigeon"}', 'carrier-pigeon are not supported'],
    ]) {
      expect(await mcp(place, 'add-json', 'y', text ?? '')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(why ?? ''),
      });
    }
  });

  test('a file that cannot be read is not overwritten', async () => {
    const place = await makePlace();
    const broken = '{"mcpServers": {"a": {"env": {"KEY": sk-loom-1234}}}}';
    put(userFile(place), broken);
    for (const words of [['add', 'x', 'y'], ['list']]) {
      const { stderr } = await mcp(place, ...words);
      expect(stderr).toContain('not valid JSON');
      expect(stderr, 'a key may stand there').not.toContain('loom');
    }
    expect(await mcp(place, 'add', 'x', 'y')).toMatchObject({ code: 1 });
    expect(readFileSync(userFile(place), 'utf8')).toBe(broken);
  });
});

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

describe('heddle mcp remove', () => {
  test('takes it out of its file, and nothing else', async () => {
    const place = await makePlace();
    put(userFile(place), { theme: 'dark' });
    await mcp(place, 'add', 'x', 'run-it');
    expect(await mcp(place, 'remove', 'x')).toMatchObject({
      code: 0,
      stdout: `x was removed from ${userFile(place)} (scope local)\n`,
    });
    expect(read(userFile(place))).toEqual({ theme: 'dark' });
    expect(await mcp(place, 'remove', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no MCP server x'),
    });
  });

  test('wants the scope named where several have it', async () => {
    const place = await makePlace();
    for (const scope of ['user', 'project']) await mcp(place, 'add', '-s', scope, 'x', 'run-it');
    const unsure = await mcp(place, 'remove', 'x');
    expect(unsure).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('project and user: say which with --scope'),
    });
    expect((await mcp(place, 'remove', '-s', 'project', 'x')).code).toBe(0);
    expect(read(userFile(place)).mcpServers).toHaveProperty('x');
    expect((await mcp(place, 'remove', 'x')).code).toBe(0);
  });
});

describe('the help of heddle mcp', () => {
  test('is in the help of all, and each command has its own', async () => {
    expect(helpText()).toMatch(/^ {2}mcp add\|/m);
    const place = await makePlace();
    const { code, stdout } = await mcp(place, '--help');
    expect(code).toBe(0);
    const commands = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name]) => name ?? '');
    expect(commands).toEqual(['add', 'add-json', 'list', 'get', 'remove', 'test', 'login', 'logout']);
    for (const name of commands) {
      const own = await mcp(place, name, '--help');
      expect(own).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(`Usage: heddle mcp ${name}`) });
      expect(own.stdout.split('\n').filter((line) => line.length > 120)).toEqual([]);
    }
    expect(await mcp(place, 'frobnicate')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('use one of add,'),
    });
  });
});
