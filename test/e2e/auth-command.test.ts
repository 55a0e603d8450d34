import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEngine, inProcess } from '../../src/host/index.ts';
import { query } from '../../src/sdk/index.ts';
import { startFakeOpenAi, toolUse } from '../../src/testing/index.ts';
import { auth, BARE, KEY, keyFile, login } from '../support/auth-cli.ts';
import { CLI, type CliOptions, runCli, STREAM_OUT } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { put } from '../support/put.ts';
import { sessionFiles } from '../support/session-files.ts';
import { startOnTerminal } from '../support/terminal.ts';

describe('heddle auth login', () => {
  test('[G8] stores the key for the user alone and for one server; runs use it, nothing shows it', async () => {
    const place = await makePlace(['one']);
    const stored = await login(place);
    expect(stored).toMatchObject({
      code: 0,
      stdout: `Stored the key …WXYZ for ${place.api.url} in ${keyFile(place)}.\n`,
      stderr: '',
    });
    expect([statSync(keyFile(place)).mode & 0o777, statSync(place.home).mode & 0o777]).toEqual([0o600, 0o700]);
    const run = await runCli([...STREAM_OUT, 'hi', '--debug'], { place, env: BARE });
    expect(run.code).toBe(0);
    expect(place.api.requests[0]?.headers['x-api-key']).toBe(KEY);
    expect(run.lines[0]).toMatchObject({ subtype: 'init', apiKeySource: '/login managed key' });
    const others = await Promise.all(
      [
        ['auth', 'status', '--json'],
        ['auth', 'status', '--text'],
        ['config', 'list'],
        ['doctor', '--json'],
      ].map((args) => runCli(args, { place, env: BARE })),
    );
    for (const { stdout, stderr } of [stored, run, ...others]) expect(stdout + stderr).not.toContain(KEY);
  });

  test('[G4] on a terminal the key is not shown while it is typed', async () => {
    const place = await makePlace();
    const terminal = startOnTerminal(['auth', 'login'], { place, env: BARE });
    await terminal.until('(it is not shown): ');
    terminal.type(`${KEY}\r`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).not.toContain(KEY.slice(0, 8));
    expect(terminal.stdout()).toContain('Stored the key …WXYZ');
    expect(readFileSync(keyFile(place), 'utf8')).toContain(KEY);
  });

  test('Ctrl-C on the terminal stores nothing', async () => {
    const place = await makePlace();
    const terminal = startOnTerminal(['auth', 'login'], { place, env: BARE });
    await terminal.until('(it is not shown): ');
    terminal.type('half-a-key\u0003');
    expect(await terminal.ended).toBe(130);
    expect(terminal.screen()).not.toContain('half');
    expect(existsSync(keyFile(place))).toBe(false);
  });

  test.each([
    ['nothing', '', 'No key was given'],
    ['two words', 'sk-of the-test-0123', 'must be one word'],
    ['two lines', 'sk-of-the-test-0123\nsk-another', 'must be one word'],
    ['a short word', 'sk-1', 'at least 8 plain characters'],
    ['control characters', 'sk-of-the-\u001b[31mtest', 'plain characters'],
    ['a book', 'x'.repeat(200_000), 'That is no API key'],
  ])('refuses %s, without repeating it', async (_, given, words) => {
    const place = await makePlace();
    const { code, stdout, stderr } = await auth(place, ['login', '--stdin'], { stdin: given });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(words);
    if (given !== '') expect(stderr).not.toContain(given.slice(0, 10));
    expect(existsSync(keyFile(place))).toBe(false);
  });

  test('options of an account sign-in are answered', async () => {
    const place = await makePlace();
    expect((await login(place, ['--claudeai'])).stderr).toContain(
      '--claudeai is for accounts, and Heddle stores an API key',
    );
    expect((await login(place, ['--provider', 'acme'])).stderr).toContain(
      'Allowed choices are anthropic, openai, gemini, openrouter.',
    );
  });

  test('replaces the key of the same server and keeps others, also those of later versions', async () => {
    const place = await makePlace();
    const later = { provider: 'later', origin: 'https://later.example', token: 'x' };
    put(keyFile(place), { version: 1, keys: [later] });
    chmodSync(keyFile(place), 0o644);
    await login(place, [], 'sk-the-first-key');
    await login(place, [], KEY);
    await login(place, ['--provider', 'openai'], 'sk-of-openai-01234', { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
    const { keys } = JSON.parse(readFileSync(keyFile(place), 'utf8'));
    expect(keys).toEqual([
      later,
      { provider: 'anthropic', origin: place.api.url, apiKey: KEY, storedAt: expect.any(String) },
      { provider: 'openai', origin: 'http://127.0.0.1:9', apiKey: 'sk-of-openai-01234', storedAt: expect.any(String) },
    ]);
    expect(statSync(keyFile(place)).mode & 0o777).toBe(0o600);
  });
});

describe('which credential counts', () => {
  test('the environment, then apiKeyHelper, then what is stored', async () => {
    const place = await makePlace(['one', 'two', 'three']);
    const used = async (env: CliOptions['env'], settings: object) => {
      put(join(place.home, 'settings.json'), settings);
      const { lines } = await runCli([...STREAM_OUT, 'hi'], { place, env: { ...BARE, ...env } });
      return [place.api.requests.at(-1)?.headers['x-api-key'], lines[0]?.apiKeySource];
    };
    await login(place);
    const helper = { apiKeyHelper: 'echo sk-of-the-helper' };
    expect(await used({ ANTHROPIC_API_KEY: 'sk-of-the-shell' }, helper)).toEqual([
      'sk-of-the-shell',
      'ANTHROPIC_API_KEY',
    ]);
    expect(await used({}, helper)).toEqual(['sk-of-the-helper', 'apiKeyHelper']);
    expect(await used({}, {})).toEqual([KEY, '/login managed key']);
    expect((await login(place, [], KEY, { ANTHROPIC_API_KEY: 'x' })).stderr).toBe(
      'heddle: ANTHROPIC_API_KEY is set, and wins over the stored key\n',
    );
  });

  test('[R-15] a stored key is sent to no other server than the one it was stored for', async () => {
    const place = await makePlace(['one']);
    await login(place, [], KEY, { ANTHROPIC_BASE_URL: undefined });
    const { code, stdout } = await runCli(['-p', 'hi'], { place, env: BARE });
    expect(code).toBe(1);
    expect(stdout).toContain('No model credentials were found');
    expect(stdout).toContain(
      `A key is stored for https://api.anthropic.com, and is sent nowhere else: heddle auth login stores one for ${place.api.url}.`,
    );
    expect(place.api.requests).toEqual([]);
    expect((await auth(place, ['status'])).code).toBe(1);
  });

  test('[P4] an OpenAI-compatible server has its own', async () => {
    const place = await makePlace();
    const server = await startFakeOpenAi(['hello', 'again']);
    const env = { ...BARE, OPENAI_BASE_URL: `${server.url}/v1` };
    try {
      const { stderr, code } = await login(place, ['--provider', 'openai'], KEY, env);
      expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
      const run = await runCli([...STREAM_OUT, '--model', 'openai/x', 'hi'], { place, env });
      expect(run.lines[0]).toMatchObject({ apiKeySource: '/login managed key' });
      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
      const given = await runCli([...STREAM_OUT, '--model', 'openai/x', 'hi'], {
        place,
        env: { ...env, OPENAI_API_KEY: 'sk-of-the-shell', ANTHROPIC_API_KEY: 'x' },
      });
      expect(given.lines[0]).toMatchObject({ apiKeySource: 'OPENAI_API_KEY' });
      expect(server.requests[1]?.headers.authorization).toBe('Bearer sk-of-the-shell');
    } finally {
      await server.close();
    }
  });

  test('[P4, G4] so have servers that a name or the settings choose; nothing shows it', async () => {
    const place = await makePlace();
    const server = await startFakeOpenAi(['one', 'two']);
    onTestFinished(() => server.close());
    const rows = { mine: { baseUrl: server.url, keyVariable: 'MINE_KEY', keyHeader: 'x-mine' } };
    const env = {
      ...{ ...BARE, GEMINI_API_KEY: undefined, GOOGLE_API_KEY: undefined, GEMINI_BASE_URL: server.url },
      HEDDLE_MODEL_PROVIDERS: JSON.stringify(rows),
    };
    for (const provider of ['gemini', 'mine']) {
      const bare = await runCli(['-p', 'hi', '--model', `${provider}/m`], { place, env });
      expect([bare.code, bare.stderr]).toEqual([
        1,
        expect.stringContaining(`heddle auth login --provider ${provider}`),
      ]);
      const stored = await auth(place, ['login', '--provider', provider], { env, stdin: `${KEY}\n` });
      expect([stored.code, stored.stderr]).toEqual([0, '']);
      const run = await runCli([...STREAM_OUT, 'hi', '--debug', '--model', `${provider}/m`], { place, env });
      expect(run.code).toBe(0);
      expect(run.lines[0]).toMatchObject({ subtype: 'init', apiKeySource: '/login managed key' });
      const status = await auth(place, ['status', '--model', `${provider}/m`], { env });
      expect(JSON.parse(status.stdout)).toMatchObject({ loggedIn: true, apiKeySource: '/login managed key' });
      expect(run.stdout + run.stderr + status.stdout + stored.stdout).not.toContain(KEY);
    }
    expect(server.requests.map(({ headers }) => headers.authorization ?? headers['x-mine'])).toEqual([
      `Bearer ${KEY}`,
      KEY,
    ]);
    const gone = await auth(place, ['logout', '--provider', 'gemini'], { env });
    expect(gone.stdout).toContain('Removed the key');
    expect((await auth(place, ['status', '--provider', 'gemini'], { env })).code).toBe(1);
    expect((await auth(place, ['status', '--provider', 'mine'], { env })).code).toBe(0);
  });

  test.each(['subprocess', 'in process'])('the SDK finds it: %s', async (how) => {
    const place = await makePlace(['hello']);
    await login(place);
    const { ANTHROPIC_API_KEY: _, ...env } = place.env;
    const engine = createEngine({ cwd: place.cwd, env });
    const options =
      how === 'subprocess' ? { env, cwd: place.cwd, pathToHeddleExecutable: CLI } : { transport: inProcess(engine) };
    for await (const message of query({ prompt: 'hi', options })) {
      if (message.type === 'result') expect(message).toMatchObject({ is_error: false, result: 'hello' });
    }
    expect(place.api.requests[0]?.headers['x-api-key']).toBe(KEY);
    await engine.close();
  });

  test('a key that is replaced or removed while a session runs counts from then on', async () => {
    const place = await makePlace(['one', 'two', 'three']);
    await login(place, [], 'sk-the-first-key');
    const { ANTHROPIC_API_KEY: _, ...env } = place.env;
    const engine = createEngine({ cwd: place.cwd, env });
    const results: unknown[] = [];
    async function* prompts() {
      for (const change of [async () => {}, () => login(place), () => auth(place, ['logout'])]) {
        const before = results.length;
        await change();
        yield {
          type: 'user' as const,
          session_id: '',
          parent_tool_use_id: null,
          message: { role: 'user' as const, content: 'hi' },
        };
        while (results.length === before) await new Promise((resolve) => setImmediate(resolve));
      }
    }
    for await (const message of query({ prompt: prompts(), options: { transport: inProcess(engine) } })) {
      if (message.type === 'result')
        results.push(message.is_error ? message.subtype === 'success' && message.result : 'fine');
    }
    await engine.close();
    expect(place.api.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['sk-the-first-key', KEY]);
    expect(results).toEqual(['fine', 'fine', expect.stringContaining('is gone: heddle auth login stores one')]);
  });
});

describe('tools', () => {
  test('[R-16, G4] see neither the stored key that is used nor one that is not', async () => {
    const other = 'sk-of-openai-9876543210-unused';
    const calls = ['cat ~/.heddle/api-keys.json', 'env'].map((command) => toolUse('Bash', { command }));
    const place = await makePlace([...calls, 'Done.']);
    await login(place);
    await login(place, ['--provider', 'openai'], other);
    const flags = ['--permission-mode', 'bypassPermissions', '--debug', '--record', 'calls.jsonl'];
    const run = await runCli([...STREAM_OUT, ...flags, 'go'], { place, env: BARE });
    expect(run.stdout.split('[credential hidden]').length).toBeGreaterThan(2);
    const stored = [...sessionFiles(place), join(place.cwd, 'calls.jsonl')].map((file) => readFileSync(file, 'utf8'));
    const sent = place.api.requests.map(({ body }) => JSON.stringify(body));
    for (const seen of [run.stdout, run.stderr, ...stored, ...sent]) {
      expect(seen).not.toContain(KEY);
      expect(seen).not.toContain(other);
    }
  });

  test('[G6, R-11] cannot write the file, in any mode', async () => {
    const place = await makePlace();
    await login(place);
    const before = readFileSync(keyFile(place), 'utf8');
    const explained = await runCli(
      [
        'permissions',
        'explain',
        '--permission-mode',
        'bypassPermissions',
        '--tool',
        'Write',
        '--input',
        JSON.stringify({ file_path: keyFile(place), content: '{}' }),
      ],
      { place },
    );
    expect(explained.code).toBe(3);
    expect(readFileSync(keyFile(place), 'utf8')).toBe(before);
  });
});

describe('heddle auth logout', () => {
  test('removes what is stored, and says what else would be used', async () => {
    const place = await makePlace();
    await login(place);
    await login(place, ['--provider', 'openai'], 'sk-short-one');
    const one = await auth(place, ['logout', '--provider', 'openai'], { env: { ...BARE, ANTHROPIC_API_KEY: 'x' } });
    expect(one).toMatchObject({ code: 0, stdout: 'Removed the key for https://api.openai.com.\n', stderr: '' });
    const all = await auth(place, ['logout'], { env: { ...BARE, ANTHROPIC_API_KEY: 'x' } });
    expect(all).toMatchObject({
      code: 0,
      stdout: `Removed the key …WXYZ for ${place.api.url}.\n`,
      stderr: 'heddle: ANTHROPIC_API_KEY is still set, and is used for anthropic\n',
    });
    expect(existsSync(keyFile(place))).toBe(false);
    expect(await auth(place, ['logout'])).toMatchObject({ code: 0, stdout: 'No key was stored.\n' });
  });
});

describe('heddle doctor', () => {
  test('names the stored key, and heddle auth login where there is none', async () => {
    const place = await makePlace();
    const checks = async () => {
      const { stdout } = await runCli(['doctor', '--json'], { place, env: BARE });
      const { checks: all } = JSON.parse(stdout) as { checks: { id: string }[] };
      return Object.fromEntries(all.map((check) => [check.id, check]));
    };
    expect((await checks()).model).toMatchObject({
      status: 'problem',
      next: expect.stringMatching(/^heddle auth login, or/),
    });
    await login(place);
    const found = await checks();
    expect(found.model).toMatchObject({ status: 'ok' });
    expect(found.credentials).toMatchObject({
      summary: `Anthropic: a stored key for ${place.api.url}; OpenAI-compatible: none`,
    });
  });
});
