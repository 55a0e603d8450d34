import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hang, text, toolUse } from '../../src/testing/script.ts';
import { Editor } from './editor.ts';

describe('the beginning', () => {
  test('tells what works, in the schema of the protocol', async () => {
    const editor = new Editor([]);
    const answer = await editor.initialize();
    expect(answer).toMatchObject({
      ...{ protocolVersion: 1, agentInfo: { name: 'heddle' } },
      agentCapabilities: {
        ...{ loadSession: true, promptCapabilities: { image: true, embeddedContext: true } },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {}, additionalDirectories: {} },
        _meta: { heddle: { methods: expect.arrayContaining(['_heddle/session/tree']) } },
      },
    });
    expect(editor.wrong).toEqual([]);
  });

  test('offers the login in a terminal only where the editor has one', async () => {
    const plain = await new Editor([]).initialize();
    expect(plain.authMethods).toEqual([expect.not.objectContaining({ type: 'terminal' })]);
    const able = await new Editor([]).initialize({ auth: { terminal: true } });
    expect(able.authMethods).toEqual([expect.objectContaining({ type: 'terminal', args: ['auth', 'login'] })]);
  });

  test('without a credential a session is not opened, and the error says what to do', async () => {
    const editor = new Editor([], { env: {} });
    await editor.initialize();
    const failure = await editor.fails('session/new', { cwd: editor.dir, mcpServers: [] });
    expect(failure).toMatchObject({ code: -32000, data: { error_code: 'authentication' } });
    expect(failure.message).toContain('heddle auth login');
    expect(await editor.fails('authenticate', { methodId: 'api-key' })).toMatchObject({ code: -32000 });
    const offline = new Editor(['fine'], { env: {}, config: { model: 'offline' } });
    await offline.prompt(await offline.open(), 'hi');
  });

  test('nor without what another provider needs, which the error names', async () => {
    const editor = new Editor([], { env: {}, config: { model: 'gemini/gemini-3-pro-preview' } });
    await editor.initialize();
    const failure = await editor.fails('session/new', { cwd: editor.dir, mcpServers: [] });
    expect(failure).toEqual({
      ...{
        code: -32000,
        message:
          'gemini needs a key: set GEMINI_API_KEY or GOOGLE_API_KEY, or store one with heddle auth login --provider gemini.',
      },
      data: { error_code: 'authentication' },
    });
    expect(await editor.fails('authenticate', { methodId: 'api-key' })).toMatchObject({ code: -32000 });
  });

  test('the answer comes before anything about the session', async () => {
    const editor = new Editor([]);
    await editor.open();
    await editor.sees(() => editor.updates('available_commands_update').length > 0);
    const opened = editor.lines.findIndex(({ result }) => result !== undefined && 'sessionId' in (result as object));
    const told = editor.lines.findIndex(({ method }) => method === 'session/update');
    expect(opened).toBeGreaterThan(0);
    expect(told).toBeGreaterThan(opened);
    expect(editor.wrong).toEqual([]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a relative directory', { cwd: 'here' }],
    ['a directory that is gone', { cwd: '/no/such/place' }],
    ['no directory', {}],
    ['a relative additional directory', { additionalDirectories: ['../x'] }],
    ['servers that are no list', { mcpServers: 'x' }],
    ['a server without a name', { mcpServers: [{ command: 'x', args: [], env: [] }] }],
    ['a server without a command', { mcpServers: [{ name: 'x', args: [], env: [] }] }],
    ['a remote server without an address', { mcpServers: [{ type: 'http', name: 'x', headers: [] }] }],
  ])('%s is an error about the parameters', async (what, params) => {
    const editor = new Editor([]);
    await editor.initialize();
    const cwd = what === 'no directory' ? {} : { cwd: editor.dir };
    const failure = await editor.fails('session/new', { ...cwd, mcpServers: [], ...params });
    expect(failure).toMatchObject({ code: -32602, data: { error_code: 'invalid_option' } });
  });

  test('what a server’s words contain reaches no shell', async () => {
    const editor = new Editor(['fine']);
    const name = '$(touch pwned)';
    const args = [`; touch ${join(editor.dir, 'pwned')}`];
    const session = await editor.open({}, { mcpServers: [{ name, command: 'true; touch pwned', args, env: [] }] });
    await editor.prompt(session, 'hi');
    expect(existsSync(join(editor.dir, 'pwned'))).toBe(false);
  });
});

describe('what is set', () => {
  test('modes and options are told, changed, and told again', async () => {
    const editor = new Editor([], { config: { model: 'opus' } });
    await editor.initialize();
    const { sessionId, modes, configOptions } = await editor.call('session/new', { cwd: editor.dir, mcpServers: [] });
    expect(modes).toMatchObject({ currentModeId: 'default' });
    expect((configOptions as { id: string }[]).map(({ id }) => id)).toEqual(['mode', 'model', 'effort', 'agent']);
    await editor.call('session/set_mode', { sessionId, modeId: 'plan' });
    const set = async (configId: string, value: unknown) =>
      (await editor.call('session/set_config_option', { sessionId, configId, value })).configOptions as {
        id: string;
        currentValue: unknown;
      }[];
    expect((await set('effort', 'high')).find(({ id }) => id === 'effort')?.currentValue).toBe('high');
    const after = await set('mode', 'acceptEdits');
    expect(after.find(({ id }) => id === 'mode')?.currentValue).toBe('acceptEdits');
    expect(editor.wrong).toEqual([]);
  });

  test('a wrong option, value or mode is an error, and changes nothing', async () => {
    const editor = new Editor([]);
    const sessionId = await editor.open();
    expect(await editor.fails('session/set_mode', { sessionId, modeId: 'banana' })).toBeTruthy();
    expect(await editor.fails('session/set_config_option', { sessionId, configId: 'x', value: 'y' })).toMatchObject({
      code: -32602,
    });
    expect(await editor.fails('session/set_mode', { sessionId, modeId: 'bypassPermissions' })).toBeTruthy();
  });

  test('switches are offered to editors that have them', async () => {
    const editor = new Editor([]);
    await editor.initialize({ session: { configOptions: { boolean: {} } } });
    const { sessionId, configOptions } = await editor.call('session/new', { cwd: editor.dir, mcpServers: [] });
    expect(configOptions).toContainEqual(
      expect.objectContaining({ id: 'thinking', type: 'boolean', currentValue: false }),
    );
    const answer = await editor.call('session/set_config_option', {
      ...{ sessionId, configId: 'thinking', type: 'boolean', value: true },
    });
    expect(answer.configOptions).toContainEqual(expect.objectContaining({ id: 'thinking', currentValue: true }));
    expect(editor.wrong).toEqual([]);
  });
});

describe('stored sessions', () => {
  test('are listed, loaded with all that was said, and continued', async () => {
    const first = new Editor([toolUse('Read', { file_path: 'a.txt' }), [text('It says hello.')]]);
    first.file('a.txt', 'hello');
    const sessionId = await first.open();
    await first.prompt(sessionId, 'what is in it?');
    await first.dies();

    const second = new Editor(['I remember.'], { home: first.home });
    await second.initialize();
    const { sessions } = await second.call('session/list');
    expect(sessions).toEqual([expect.objectContaining({ sessionId, cwd: first.dir, title: 'what is in it?' })]);
    await second.call('session/load', { sessionId, cwd: first.dir, mcpServers: [] });
    expect(second.said('user_message_chunk')).toBe('what is in it?');
    expect(second.said()).toBe('It says hello.');
    expect(second.updates('tool_call')).toEqual([expect.objectContaining({ title: 'Read a.txt', kind: 'read' })]);
    expect(second.updates('tool_call_update').at(-1)).toMatchObject({ status: 'completed' });
    const before = second.updates('tool_call').length;
    await second.prompt(sessionId, 'and now?');
    expect(second.updates('tool_call')).toHaveLength(before);
    expect(JSON.stringify(second.model.requests[0]?.messages)).toContain('what is in it?');
    expect(second.wrong).toEqual([]);
  });

  test('are loaded with what agents did below their call', async () => {
    const first = new Editor([
      toolUse('Task', { description: 'look', prompt: 'look around', subagent_type: 'general-purpose' }),
      toolUse('Glob', { pattern: '*.none' }),
      'The agent is done.',
      'All done.',
      'New start.',
    ]);
    const sessionId = await first.open();
    await first.prompt(sessionId, 'use an agent');
    await first.dies();
    const second = new Editor([], { home: first.home });
    await second.initialize();
    await second.call('session/load', { sessionId, cwd: first.dir, mcpServers: [] });
    const [task, glob] = second.updates('tool_call');
    expect(task).toMatchObject({ name: 'Task' });
    expect(glob).toMatchObject({ name: 'Glob', _meta: { heddle: { agent: { parentToolCallId: task?.toolCallId } } } });
    expect(second.wrong).toEqual([]);
  });

  test('are resumed without being shown again, forked, renamed, archived and deleted', async () => {
    const editor = new Editor(['one', 'two', 'three']);
    const sessionId = await editor.open();
    await editor.prompt(sessionId, 'first');
    await editor.call('session/close', { sessionId });
    expect(await editor.fails('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'x' }] })).toMatchObject({
      ...{ code: -32002, data: { error_code: 'session_not_found' } },
    });
    const shown = editor.updates().length;
    await editor.call('session/resume', { sessionId, cwd: editor.dir, mcpServers: [] });
    expect(editor.updates('user_message_chunk')).toEqual([]);
    expect(editor.updates().length).toBeLessThanOrEqual(shown + 2); // commands and title
    const fork = await editor.call('session/fork', { sessionId, cwd: editor.dir, mcpServers: [] });
    expect(fork.sessionId).not.toBe(sessionId);
    await editor.prompt(String(fork.sessionId), 'in the fork');
    expect(JSON.stringify(editor.model.requests.at(-1)?.messages)).toContain('first');
    await editor.call('session/set_title', { sessionId, title: 'A title' });
    expect((await editor.call('session/list')).sessions).toContainEqual(
      expect.objectContaining({ sessionId, title: 'A title' }),
    );
    await editor.call('session/delete', { sessionId });
    await editor.call('session/archive', { sessionId: fork.sessionId });
    expect((await editor.call('session/list')).sessions).toEqual([]);
    await editor.call('session/unarchive', { sessionId: fork.sessionId });
    expect((await editor.call('session/list')).sessions).toHaveLength(1);
  });

  test('come in pages', async () => {
    const editor = new Editor([]);
    const folder = join(editor.home, 'projects', '-x');
    mkdirSync(folder, { recursive: true });
    for (let at = 0; at < 120; at++) {
      const sessionId = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
      const entry = {
        type: 'user',
        uuid: sessionId,
        parentUuid: null,
        sessionId,
        cwd: '/x',
        message: { role: 'user', content: `p${at}` },
      };
      writeFileSync(join(folder, `${sessionId}.jsonl`), `${JSON.stringify(entry)}\n`);
    }
    await editor.initialize();
    const seen = new Set<string>();
    let cursor: unknown;
    let pages = 0;
    do {
      const page = await editor.call('session/list', cursor === undefined ? {} : { cursor });
      for (const each of page.sessions as { sessionId: string }[]) seen.add(each.sessionId);
      cursor = page.nextCursor;
      pages++;
    } while (cursor !== undefined);
    expect([seen.size, pages]).toEqual([120, 3]);
    expect(await editor.fails('session/list', { cursor: '../..' })).toMatchObject({ code: -32602 });
    expect(editor.wrong).toEqual([]);
  });

  test.each(['../../etc/passwd', '..', '', 'nothing-like-it', '00000000-0000-4000-8000-000000000000'])(
    'the id %j is not found, and nothing is touched',
    async (sessionId) => {
      const editor = new Editor([]);
      await editor.initialize();
      for (const method of ['session/load', 'session/resume', 'session/delete', 'session/fork', 'session/archive']) {
        const failure = await editor.fails(method, { sessionId, cwd: editor.dir, mcpServers: [] });
        expect(failure).toMatchObject({ code: -32002, data: { error_code: 'session_not_found' } });
      }
      expect(readdirSync(editor.home)).toEqual([]);
    },
  );

  test('that are at work elsewhere are refused with session_busy', async () => {
    const first = new Editor([hang()]);
    const sessionId = await first.open();
    void first.prompt(sessionId, 'busy').catch(() => {});
    await first.sees(() => first.model.requests.length === 1);
    const second = new Editor(['in the fork'], { home: first.home });
    await second.initialize();
    const place = { sessionId, cwd: first.dir, mcpServers: [] };
    expect(await second.fails('session/resume', place)).toMatchObject({ data: { error_code: 'session_busy' } });
  });
});

describe('trouble', () => {
  test('an unknown method, a wrong id and params that are no object', async () => {
    const editor = new Editor([]);
    expect(await editor.fails('session/banana')).toMatchObject({ code: -32601 });
    editor.raw({ jsonrpc: '2.0', id: {} as never, method: 'initialize' });
    editor.raw({ jsonrpc: '2.0', id: 77, method: 'initialize', params: 'x' as never });
    await editor.sees(() => editor.lines.filter(({ error }) => error !== undefined).length === 3);
    expect(editor.lines.map(({ error }) => (error as { code: number }).code).sort()).toEqual(
      [-32600, -32601, -32602].sort(),
    );
    await editor.initialize();
  });

  test('an editor that dies in a turn leaves nothing that runs', async () => {
    const editor = new Editor([toolUse('Bash', { command: 'sleep 300' }), 'done']);
    const session = await editor.open();
    editor.send('session/prompt', { sessionId: session, prompt: [{ type: 'text', text: 'go' }] });
    await editor.sees(() => editor.updates('tool_call_update').some(({ status }) => status === 'in_progress'));
    await editor.dies();
    const again = new Editor(['fine'], { home: editor.home });
    await again.initialize();
    await again.call('session/load', { sessionId: session, cwd: editor.dir, mcpServers: [] });
    expect(again.said('user_message_chunk')).toBe('go');
    expect(again.updates('tool_call_update').at(-1)).toMatchObject({ status: 'failed' });
  });

  test('a prompt of ten megabytes is taken whole', async () => {
    const editor = new Editor(['fine']);
    const session = await editor.open();
    const big = 'x'.repeat(10 * 1024 * 1024);
    await editor.prompt(session, big);
    expect(JSON.stringify(editor.model.requests[0]?.messages).length).toBeGreaterThan(big.length);
  });
});

describe('what no other agent has', () => {
  test('the tree, an earlier prompt edited and sent again, and back', async () => {
    const editor = new Editor(['one', 'two', 'other']);
    const sessionId = await editor.open();
    await editor.prompt(sessionId, 'first');
    await editor.prompt(sessionId, 'second');
    const tree = await editor.call('_heddle/session/tree', { sessionId });
    const nodes = tree.nodes as { uuid: string; parent_uuid: string | null; preview: string }[];
    const second = nodes.find(({ preview }) => preview === 'second');
    await editor.prompt(sessionId, 'another', { _meta: { heddle: { parentUuid: second?.parent_uuid } } });
    const { branches } = await editor.call('_heddle/session/branches', { sessionId });
    expect(branches).toHaveLength(2);
    expect(JSON.stringify(editor.model.requests.at(-1)?.messages)).not.toContain('second');
    await editor.call('_heddle/session/switch', { sessionId, leaf: String(tree.leaf_uuid) });
    const explained = await editor.call('_heddle/session/explain', {
      ...{ sessionId, tool: 'Bash', input: { command: 'rm -rf /' } },
    });
    expect(explained).toMatchObject({ behavior: 'ask' });
    expect(await editor.fails('_heddle/session/switch', { sessionId, leaf: 'nothing' })).toMatchObject({
      code: -32602,
    });
  });
});
