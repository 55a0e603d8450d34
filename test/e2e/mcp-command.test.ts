import { readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { helpText } from '../../src/cli/flags/help-text.ts';
import { mcp, projectFile, read, userFile } from '../support/mcp-command.ts';
import { makePlace } from '../support/place.ts';
import { put } from '../support/put.ts';

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
