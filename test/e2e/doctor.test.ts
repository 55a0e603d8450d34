import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Check } from '../../src/admin/doctor/check.ts';
import type { DoctorReport } from '../../src/admin/doctor/doctor.ts';
import { type CliOptions, runCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';
import { ask, ID } from '../support/session-commands.ts';

/** The report, and its checks by their ids. */
async function doctor(place: Place, args: string[] = [], options: Omit<CliOptions, 'place'> = {}) {
  const { code, stdout, stderr } = await runCli(['doctor', '--json', ...args], { place, ...options });
  const report = JSON.parse(stdout) as DoctorReport;
  const byId = Object.fromEntries(report.checks.map((check) => [check.id, check])) as Record<string, Check>;
  return { code, stdout, stderr, report, byId };
}

const userSettings = (place: Place, values: unknown) => put(join(place.home, 'settings.json'), values);
const userServers = (place: Place, mcpServers: object) => put(join(place.home, '.claude.json'), { mcpServers });

describe('heddle doctor', () => {
  test('a fresh place has no problem; JSON has the documented shape, and nothing is written', async () => {
    const place = await makePlace();
    const temporary = join(place.root, 'tmp');
    mkdirSync(temporary);
    const { code, report, byId, stderr } = await doctor(place, [], { env: { TMPDIR: temporary } });
    expect([code, report.ok, stderr]).toEqual([0, true, '']);
    for (const check of report.checks) {
      expect(check).toEqual({
        id: expect.any(String),
        status: expect.stringMatching(/^(ok|warning|problem)$/),
        summary: expect.stringMatching(/\S/),
        ...('next' in check && { next: expect.any(String) }),
        facts: expect.any(Object),
      });
    }
    expect(new Set(report.checks.map(({ id }) => id)).size).toBe(report.checks.length);
    expect(byId.node).toMatchObject({ status: 'ok', facts: { version: process.versions.node } });
    expect(byId.heddle?.summary).toMatch(/^Heddle \d.*wire version \d/);
    expect(byId.ripgrep?.summary).toMatch(/^ripgrep \d/);
    expect(byId.home).toMatchObject({ status: 'ok', facts: { exists: false } });
    expect(byId.sessions).toMatchObject({ status: 'ok', facts: { count: 0 } });
    expect(existsSync(place.home)).toBe(false);
    expect(readdirSync(place.cwd)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
    expect(place.api.requests).toEqual([]);
  });

  test('for people: a line for each check, what to do below it, and a sum', async () => {
    const place = await makePlace();
    const { code, stdout } = await runCli(['doctor'], { place, env: { ANTHROPIC_API_KEY: undefined } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ok {7}node +Node \d/m);
    expect(stdout).toMatch(/^problem {2}model .*there is no key\n +→ heddle auth login, or set ANTHROPIC_API_KEY/m);
    expect(stdout).toMatch(/\n1 problem, (no|\d+) warnings?\n$/);
  });

  test('another directory than this one can be named', async () => {
    const place = await makePlace();
    const other = join(place.root, 'other');
    put(join(other, '.claude', 'settings.json'), { permissions: { allow: ['Bash'] } });
    const { byId } = await doctor(place, [other]);
    expect(byId.trust).toMatchObject({ status: 'warning', facts: { directory: other } });
    expect(await runCli(['doctor', join(place.root, 'nowhere')], { place })).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('[G2] credentials', () => {
  test('are named, and no part of them is shown', async () => {
    const place = await makePlace();
    userSettings(place, { apiKeyHelper: 'echo helper-secret-1', env: { OPENAI_API_KEY: 'settings-secret-2' } });
    const env = {
      ANTHROPIC_API_KEY: 'key-secret-3',
      ANTHROPIC_AUTH_TOKEN: 'token-secret-4',
      ANTHROPIC_BASE_URL: 'http://user:password-secret-5@127.0.0.1:9',
    };
    const text = await runCli(['doctor'], { place, env });
    const { byId, stdout, stderr } = await doctor(place, [], { env });
    expect(byId.credentials?.facts).toEqual({
      anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', expect.stringContaining('apiKeyHelper of ')],
      openai: ['OPENAI_API_KEY'],
      apiKeyHelper: join(place.home, 'settings.json'),
    });
    expect(byId.model?.facts).toMatchObject({ provider: 'anthropic', host: '127.0.0.1:9' });
    expect(`${text.stdout}${text.stderr}${stdout}${stderr}`).not.toMatch(/secret|sk-|user:/);
  });

  test('that a server says on its way out are hidden', async () => {
    const place = await makePlace();
    const env = { OPENAI_API_KEY: 'sk-open-secret-6' };
    userServers(place, {
      leaky: { command: 'sh', args: ['-c', 'echo $K >&2; exit 3'], env: { K: `\${OPENAI_API_KEY}` } },
    });
    const { byId, stdout } = await doctor(place, [], { env });
    expect(byId['mcp.leaky']).toMatchObject({ status: 'problem', summary: expect.stringContaining('***') });
    expect(stdout).not.toContain('sk-open-secret-6');
  });

  test('that are the server’s own are hidden as well', async () => {
    const place = await makePlace();
    const echo = { command: 'sh', args: ['-c', 'echo "$A, $B" >&2; exit 3'] };
    userServers(place, { leaky: { ...echo, env: { A: 'own-secret-7', B: `\${TRACKER_TOKEN}` } } });
    const { byId, stdout } = await doctor(place, [], { env: { TRACKER_TOKEN: 'tracker-secret-8' } });
    expect(byId['mcp.leaky']).toMatchObject({ status: 'problem', summary: expect.stringContaining('***, ***') });
    expect(stdout).not.toMatch(/secret-/);
  });

  test('what asks the model names it where a flag did', async () => {
    const place = await makePlace();
    expect((await doctor(place)).byId.model?.next).toBe('heddle -p hi asks it');
    const { byId } = await doctor(place, ['--model', 'offline']);
    expect(byId.model?.next).toBe('heddle -p --model offline hi asks it');
  });

  test.each([
    ['offline', {}, 'ok', 'built in'],
    ['openai/x', {}, 'problem', 'there is no key'],
    ['openai/x', { OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' }, 'ok', 'at 127.0.0.1:11434'],
    ['sonnet', { ANTHROPIC_BASE_URL: 'nonsense' }, 'problem', 'is no URL'],
    ['sonnet', { CLAUDE_CODE_USE_BEDROCK: '1' }, 'problem', 'Amazon Bedrock needs a region'],
    ['replay:x.jsonl', {}, 'ok', 'recording x.jsonl'],
  ])('[P4] %s with %j: %s', async (model, env, status, part) => {
    const place = await makePlace();
    const { byId } = await doctor(place, ['--model', model], { env });
    expect(byId.model).toMatchObject({ status, summary: expect.stringContaining(part) });
    expect(place.api.requests).toEqual([]);
  });
});

describe('the config home', () => {
  test('[P2, K52] ~/.claude is pointed at when there is no home of ours yet', async () => {
    const place = await makePlace();
    const reference = join(place.root, 'home', '.claude');
    mkdirSync(reference, { recursive: true });
    const { byId } = await doctor(place, [], { env: { HEDDLE_HOME: undefined } });
    const next = expect.stringContaining(`heddle config home ${reference}`);
    expect(byId.home).toMatchObject({ status: 'ok', next, facts: { source: 'default' } });
  });

  test('[G8] that others can enter is a warning; one that is a file a problem', async () => {
    const place = await makePlace();
    mkdirSync(place.home, { recursive: true });
    chmodSync(place.home, 0o755);
    const open = await doctor(place);
    expect([open.code, open.byId.home?.status, open.byId.home?.next]).toEqual([
      0,
      'warning',
      `chmod go= ${place.home}`,
    ]);
    const odd = join(place.root, "Ada's home");
    mkdirSync(odd, { mode: 0o755 });
    const quoted = await doctor(place, [], { env: { HEDDLE_HOME: odd } });
    expect(quoted.byId.home?.next).toBe(`chmod go= '${odd.replace("'", "'\\''")}'`);
    chmodSync(place.home, 0o700);
    expect((await doctor(place)).byId.home?.status).toBe('ok');
    const file = put(join(place.root, 'file'), '');
    const broken = await doctor(place, [], { env: { HEDDLE_HOME: file } });
    expect([broken.code, broken.byId.home?.status]).toEqual([1, 'problem']);
  });

  // /proc can be written by nobody, root included, and has no room.
  test.skipIf(!existsSync('/proc/self'))('that can hold nothing is a problem', async () => {
    const place = await makePlace();
    const { code, byId } = await doctor(place, [], { env: { HEDDLE_HOME: '/proc/heddle' } });
    expect([code, byId.disk?.status]).toEqual([1, 'problem']);
  });

  test('none at all is a problem, and the rest is checked', async () => {
    const place = await makePlace();
    const { code, byId } = await doctor(place, [], { env: { HEDDLE_HOME: undefined, HOME: undefined } });
    expect([code, byId.home?.status, byId.model?.status]).toEqual([1, 'problem', 'ok']);
    expect(byId).not.toHaveProperty('mcp');
  });
});

describe('settings', () => {
  test('[R-18] that are no JSON are a problem with its place; what needs them is not checked', async () => {
    const place = await makePlace();
    const file = userSettings(place, '{\n  "model": "haiku",\n}');
    const { code, byId } = await doctor(place);
    expect(code).toBe(1);
    expect(byId['settings.user']).toMatchObject({
      status: 'problem',
      summary: expect.stringContaining(`${file}, line 3, column 1`),
    });
    expect(byId.model).toMatchObject({ status: 'warning', summary: 'not checked: the settings cannot be read' });
  });

  test('[K53] that cannot be used are a warning, or a problem where they forbid; misspelt ones a warning', async () => {
    const place = await makePlace();
    userSettings(place, { model: 5 });
    expect((await doctor(place)).byId.settings).toMatchObject({
      status: 'warning',
      summary: expect.stringContaining('model must be a text, and is 5. It was left out.'),
    });
    userSettings(place, { permissions: { deny: 5 } });
    expect((await doctor(place)).byId.settings).toMatchObject({ status: 'problem' });
    userSettings(place, { permisions: {} });
    expect((await doctor(place)).byId.settings).toMatchObject({
      status: 'warning',
      summary: expect.stringContaining('Did you mean permissions?'),
    });
    userSettings(place, { sandbox: { enabled: 'yes' } });
    const { byId } = await doctor(place);
    expect(byId.settings).toMatchObject({ status: 'problem', summary: expect.stringContaining('sandbox.enabled') });
    expect(byId.sandbox).toMatchObject({ status: 'warning', summary: expect.stringContaining('not checked') });
  });

  test('[K53] of an untrusted project that are broken are a warning, of a trusted one a problem', async () => {
    const place = await makePlace();
    put(join(place.cwd, '.claude', 'settings.json'), '{oops');
    const untrusted = await doctor(place);
    expect(untrusted.byId['settings.project']).toMatchObject({
      status: 'warning',
      next: expect.stringContaining('runs start without it'),
    });
    const trusted = await doctor(place, ['--trust']);
    expect(trusted.byId['settings.project']).toMatchObject({ status: 'problem' });
  });

  test('[G1] of a project are ignored without trust, which is said', async () => {
    const place = await makePlace();
    put(join(place.cwd, '.claude', 'settings.json'), { permissions: { allow: ['Bash'] } });
    const { code, byId } = await doctor(place);
    expect(code).toBe(0);
    expect(byId.trust).toMatchObject({ status: 'warning', facts: { ignored: ['permissions.allow'] } });
    expect((await doctor(place, ['--trust'])).byId.trust).toMatchObject({ status: 'ok' });
  });
});

test('without bubblewrap and git on PATH there are warnings, and a problem only where the sandbox is on', async () => {
  const place = await makePlace();
  const bin = join(place.root, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  const env = { PATH: bin };
  const { code, byId } = await doctor(place, [], { env });
  expect([code, byId.git?.status, byId['sandbox-programs']?.status, byId.sandbox?.status]).toEqual([
    0,
    ...['warning', 'warning', 'warning'],
  ]);
  expect(byId.sandbox?.summary).toMatch(/bwrap is not installed.*it is off/);
  userSettings(place, { sandbox: { enabled: true } });
  expect((await doctor(place, [], { env })).byId.sandbox).toMatchObject({ status: 'problem' });
});

/** Answers as a server does; leaves a file where it was started. */
const SERVER = `
  import { writeFileSync } from 'node:fs';
  import { createInterface } from 'node:readline';
  writeFileSync(process.argv[2], '');
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const { protocolVersion } = params ?? {};
    const result = method === 'initialize'
      ? { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fixture', version: '1' } }
      : { tools: [{ name: 'one', inputSchema: { type: 'object' } }] };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
`;

describe('MCP servers', () => {
  test('[G1] are tried; those of an untrusted project are not started, remote ones not asked', async () => {
    const place = await makePlace();
    const script = put(join(place.root, 'server.mjs'), SERVER);
    const server = (mark: string) => ({ command: process.execPath, args: [script, join(place.root, mark)] });
    userServers(place, {
      good: server('good-ran'),
      broken: { command: '/nonexistent/program' },
      remote: { type: 'http', url: `${place.api.url}/mcp` },
    });
    put(join(place.cwd, '.mcp.json'), { mcpServers: { ours: server('ours-ran') } });
    const { code, byId } = await doctor(place);
    expect(code).toBe(1);
    expect(byId['mcp.good']).toMatchObject({ status: 'ok', facts: { status: 'connected', tools: 1 } });
    expect(byId['mcp.broken']).toMatchObject({ status: 'problem', next: expect.stringContaining('mcp test broken') });
    expect(byId['mcp.remote']).toMatchObject({ status: 'ok', facts: { status: 'not asked' } });
    expect(byId['mcp.ours']).toMatchObject({ status: 'warning', next: 'heddle trust' });
    expect(['good-ran', 'ours-ran'].map((mark) => existsSync(join(place.root, mark)))).toEqual([true, false]);
    expect(place.api.requests).toEqual([]);
  });

  test('--network asks remote ones, too', async () => {
    const place = await makePlace();
    userServers(place, { remote: { type: 'http', url: 'http://127.0.0.1:9/mcp' } });
    const { code, byId } = await doctor(place, ['--network']);
    expect([code, byId['mcp.remote']?.status]).toEqual([1, 'problem']);
  });

  test('one that never answers is a warning, and the time is bounded', async () => {
    const place = await makePlace();
    userServers(place, { slow: { command: 'sleep', args: ['30'] } });
    const { code, byId } = await doctor(place, [], { env: { MCP_TIMEOUT: '300' } });
    expect([code, byId['mcp.slow']?.summary]).toEqual([0, 'no answer within 0.3 s']);
  });

  test('in a file that cannot be read are a problem', async () => {
    const place = await makePlace();
    put(join(place.home, '.claude.json'), '{"mcpServers": {');
    const { code, byId } = await doctor(place);
    expect([code, byId.mcp?.status]).toEqual([1, 'problem']);
  });
});

test('sessions, leases of the dead and tasks are counted', async () => {
  const place = await makePlace(['Hello.']);
  const { sessionId } = await ask(place, 'hi');
  const lease = { pid: 2 ** 22 + 1, host: hostname(), since: new Date(0).toISOString(), token: 'abc' };
  put(join(place.home, 'locks', `${ID}.json`), lease);
  put(join(place.home, 'locks', 'odd.json'), 'x'.repeat(5000));
  const { code, byId } = await doctor(place);
  expect(code).toBe(0);
  expect(byId.sessions).toMatchObject({ facts: { count: 1, newest: sessionId } });
  expect(byId.leases?.facts).toMatchObject({ held: 0, left: 1, holders: [{ sessionId: ID, isLeft: true }] });
  expect(byId.tasks?.facts).toMatchObject({ running: [], lost: 0 });
});
