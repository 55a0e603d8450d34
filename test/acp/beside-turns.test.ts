import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hang, toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { ROOT } from '../support/root.ts';
import { Editor } from './editor.ts';

const BYPASS = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;

describe('MCP servers of the editor', () => {
  test('over stdio are started with their arguments and environment, and called', async () => {
    const editor = new Editor([toolUse('mcp__loom__weave', { id: 'c1' }), 'done']);
    const calls = join(editor.home, 'calls');
    const server = {
      ...{ name: 'loom', command: process.execPath, env: [{ name: 'CALLS_FILE', value: calls }] },
      args: [join(ROOT, 'test/support/loom-mcp-server.mjs'), 'weave'],
    };
    await editor.prompt(await editor.open({}, { mcpServers: [server] }), 'go');
    expect(editor.asked('session/request_permission')).toHaveLength(1);
    expect(readFileSync(calls, 'utf8')).toBe('c1\n');
    expect(JSON.stringify(editor.updates('tool_call_update').at(-1))).toContain('woven');
  });
});

describe('work in the background', () => {
  test('tells its end behind the answer to its prompt, and the turn that it wakes up streams', async () => {
    const editor = new Editor(
      [
        toolUse('Bash', { command: 'while [ ! -e go ]; do sleep 0.02; done; echo late', run_in_background: true }),
        'It runs.',
        'It is over.',
      ],
      { config: BYPASS },
    );
    await editor.prompt(await editor.open({ session: { notices: {} } }), 'go');
    const answered = editor.updates().length;
    const [call] = editor.updates('tool_call');
    editor.file('go', '');
    await editor.sees(() => editor.said().includes('It is over.'));
    const later = editor.updates().slice(answered);
    expect(later).toContainEqual(
      expect.objectContaining({
        ...{ sessionUpdate: 'tool_call_update', toolCallId: call?.toolCallId, status: 'completed' },
        _meta: { heddle: { task: expect.objectContaining({ status: 'completed' }) } },
      }),
    );
    const kinds = later.map(({ sessionUpdate }) => sessionUpdate);
    expect(kinds.indexOf('notice')).toBeGreaterThanOrEqual(0);
    expect(kinds.indexOf('notice')).toBeLessThan(kinds.indexOf('agent_message_chunk'));
  });
});

describe('compaction', () => {
  test('is told to editors that show it, from its begin to its end', async () => {
    const editor = new Editor(['one', '<summary>short</summary>']);
    const sessionId = await editor.open({ session: { compaction: {} } });
    await editor.prompt(sessionId, 'first');
    await editor.prompt(sessionId, '/compact');
    const all = editor.updates('compaction_update');
    expect(all.map(({ status }) => status)).toEqual(['in_progress', 'completed']);
    expect(new Set(all.map(({ compactionId }) => compactionId)).size).toBe(1);
    const [chunk, ...more] = editor.updates('compaction_summary_chunk');
    expect(chunk).toMatchObject({
      compactionId: all[0]?.compactionId,
      content: { text: expect.stringContaining('short') },
    });
    expect(more).toEqual([]);
    const kinds = editor.updates().map(({ sessionUpdate }) => sessionUpdate);
    expect(kinds.indexOf('compaction_summary_chunk')).toBeLessThan(kinds.lastIndexOf('compaction_update'));
  });

  test('is not told to others; one that is cancelled is told as that', async () => {
    const plain = new Editor(['one', '<summary>short</summary>']);
    const id = await plain.open();
    await plain.prompt(id, 'first');
    await plain.prompt(id, '/compact');
    expect([...plain.updates('compaction_update'), ...plain.updates('compaction_summary_chunk')]).toEqual([]);
    const editor = new Editor(['one', hang()]);
    const sessionId = await editor.open({ session: { compaction: {} } });
    await editor.prompt(sessionId, 'first');
    const answer = editor.prompt(sessionId, '/compact');
    await editor.sees(() => editor.updates('compaction_update').length > 0);
    editor.notify('session/cancel', { sessionId });
    await answer;
    const last = String(editor.updates('compaction_update').at(-1)?.status);
    expect(['cancelled', 'failed']).toContain(last);
  });
});

describe('an agent, for editors that show agents as sessions,', () => {
  const script = () => [
    toolUse('Task', { description: 'look', prompt: 'look around', subagent_type: 'general-purpose' }, 't1'),
    toolUse('Write', { file_path: 'a.txt', content: 'x' }, 'w1'),
    'The agent has written.',
    'done',
  ];
  const of = (editor: Editor, sessionId: string) =>
    editor.lines
      .filter(({ method, params }) => method === 'session/update' && (params as JsonObject).sessionId === sessionId)
      .map(({ params }) => (params as JsonObject).update as JsonObject);

  test('is announced, tells what it does in its own session, and is idle at its end', async () => {
    const editor = new Editor(script());
    const sessionId = await editor.open({ subagents: {} });
    await editor.prompt(sessionId, 'go');
    const told = editor.updates('subagent_update');
    const child = String(told[0]?.sessionId);
    expect(child).not.toBe(sessionId);
    expect(told).toEqual([
      {
        ...{ sessionUpdate: 'subagent_update', sessionId: child, title: 'look', description: 'general-purpose' },
        state: { state: 'running' },
      },
      { sessionUpdate: 'subagent_update', sessionId: child, state: { state: 'idle' } },
    ]);
    const kinds = of(editor, child).map(({ sessionUpdate }) => sessionUpdate);
    expect(kinds[0]).toBe('user_message_chunk');
    expect(kinds).toContain('tool_call');
    expect(kinds.at(-1)).toBe('agent_message_chunk');
    expect(JSON.stringify(of(editor, child))).toContain('The agent has written.');
    // The question about its call belongs to it.
    expect(editor.asked('session/request_permission')).toMatchObject([
      { sessionId: child, toolCall: { toolCallId: 'w1' } },
    ]);
    const own = of(editor, sessionId);
    expect(own.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call')).toHaveLength(1);
    expect(own.findIndex(({ sessionUpdate }) => sessionUpdate === 'subagent_update')).toBeGreaterThan(-1);
    expect(editor.lines.findIndex((line) => JSON.stringify(line).includes('"subagent_update"'))).toBeLessThan(
      editor.lines.findIndex(({ params }) => (params as JsonObject | undefined)?.sessionId === child),
    );
  });

  test('is there again when the session is loaded', async () => {
    const editor = new Editor(script(), { config: BYPASS });
    const sessionId = await editor.open({ subagents: {} });
    await editor.prompt(sessionId, 'go');
    await editor.call('session/close', { sessionId });
    const before = editor.lines.length;
    await editor.call('session/load', { sessionId, cwd: editor.dir, mcpServers: [] });
    const again = editor.lines.slice(before).map(({ params }) => params as JsonObject);
    const child = String(editor.updates('subagent_update')[0]?.sessionId);
    const shown = again.filter((params) => params?.sessionId === child);
    expect(JSON.stringify(shown)).toContain('The agent has written.');
    expect(JSON.stringify(shown)).toContain('a.txt');
  });
});

describe('options', () => {
  const optionOf = (options: unknown, id: string) => (options as JsonObject[]).find((each) => each.id === id);

  test('an agent of the project answers from the next prompt on, in the same session', async () => {
    const agents = { judge: { description: 'Judges', prompt: 'You are the judge of this place.' } };
    const editor = new Editor(['one', 'two'], { config: { agents: JSON.stringify(agents) } as never });
    const sessionId = await editor.open();
    await editor.prompt(sessionId, 'first');
    const { configOptions } = await editor.call('session/set_config_option', {
      ...{ sessionId, configId: 'agent', value: 'judge' },
    });
    expect(optionOf(configOptions, 'agent')).toMatchObject({ currentValue: 'judge' });
    await editor.prompt(sessionId, 'second');
    const last = editor.model.requests.at(-1);
    expect(JSON.stringify(last?.system)).toContain('You are the judge of this place.');
    expect(JSON.stringify(last?.messages)).toContain('first');
    expect(await editor.fails('session/set_config_option', { sessionId, configId: 'agent', value: 'x' })).toMatchObject(
      {
        ...{ code: -32602, data: { error_code: 'invalid_option' } },
      },
    );
  });

  test('thinking that was switched off or on stays so when another agent takes over', async () => {
    const agents = { judge: { description: 'Judges', prompt: 'You are the judge.' } };
    const config = { agents: JSON.stringify(agents), maxThinkingTokens: 5000 } as never;
    const editor = new Editor(() => 'fine', { config });
    const sessionId = await editor.open({ session: { configOptions: { boolean: {} } } });
    const set = (configId: string, value: unknown) =>
      editor.call('session/set_config_option', { sessionId, configId, value });
    const thinks = async () => {
      await editor.prompt(sessionId, 'go');
      return editor.model.requests.at(-1)?.thinking !== undefined;
    };
    expect(await thinks()).toBe(true);
    expect(optionOf((await set('thinking', false)).configOptions, 'thinking')).toMatchObject({ currentValue: false });
    expect(await thinks()).toBe(false);
    expect(optionOf((await set('agent', 'judge')).configOptions, 'thinking')).toMatchObject({ currentValue: false });
    expect(await thinks()).toBe(false);
    expect(optionOf((await set('thinking', true)).configOptions, 'thinking')).toMatchObject({ currentValue: true });
    expect(await thinks()).toBe(true);
    expect(optionOf((await set('agent', 'default')).configOptions, 'thinking')).toMatchObject({ currentValue: true });
    expect(await thinks()).toBe(true);
  });

  test('a model that a command has changed is told', async () => {
    const editor = new Editor(['one', 'two'], { config: { model: 'opus' } });
    const sessionId = await editor.open();
    await editor.prompt(sessionId, '/model haiku');
    await editor.sees(() => editor.updates('config_option_update').length > 0);
    const told = editor.updates('config_option_update').at(-1)?.configOptions;
    expect(String(optionOf(told, 'model')?.currentValue)).toContain('haiku');
  });

  test('a mode that is set in one form is told in the other', async () => {
    const editor = new Editor([]);
    const sessionId = await editor.open();
    await editor.call('session/set_mode', { sessionId, modeId: 'plan' });
    const told = editor.updates('config_option_update').at(-1)?.configOptions;
    expect(optionOf(told, 'mode')).toMatchObject({ currentValue: 'plan' });
    await editor.call('session/set_config_option', { sessionId, configId: 'mode', value: 'acceptEdits' });
    expect(editor.updates('current_mode_update').at(-1)).toMatchObject({ currentModeId: 'acceptEdits' });
  });
});

test('the answer to a form that is no answer is a denial', async () => {
  const question = {
    ...{ question: 'Which one?', header: 'Choice', multiSelect: false },
    options: ['Left', 'Right'].map((label) => ({ label, description: label })),
  };
  const editor = new Editor([toolUse('AskUserQuestion', { questions: [question] }), 'done'], {
    answer: () => ({ action: 'accept', content: { q1: { deep: 1 } } }),
  });
  await editor.prompt(await editor.open({ elicitation: { form: {} } }), 'go');
  expect(JSON.stringify(editor.model.requests.at(-1)?.messages)).toContain('did not answer');
});

describe('a command', () => {
  const diffsIn = (update: JsonObject | undefined): JsonObject[] => {
    const content = update?.content;
    return Array.isArray(content) ? content.filter(({ type }) => type === 'diff') : [];
  };

  test('ends with a diff of each file that it has changed, made or removed; a loaded session has them, too', async () => {
    const command = "sed -i 's/two/2/' a.txt; echo fresh > b.txt; rm c.txt";
    const editor = new Editor([toolUse('Bash', { command }), 'done'], { config: BYPASS });
    editor.file('a.txt', 'one\ntwo\nthree\n');
    editor.file('c.txt', 'gone\n');
    editor.file('d.txt', 'stays\n');
    const sessionId = await editor.open();
    await editor.prompt(sessionId, 'go');
    const expected = [
      { type: 'diff', path: join(editor.dir, 'a.txt'), oldText: 'one\ntwo\nthree\n', newText: 'one\n2\nthree\n' },
      { type: 'diff', path: join(editor.dir, 'b.txt'), oldText: null, newText: 'fresh\n' },
      { type: 'diff', path: join(editor.dir, 'c.txt'), oldText: 'gone\n', newText: '' },
    ];
    const byPath = (diffs: JsonObject[]) => diffs.sort((a, b) => String(a.path).localeCompare(String(b.path)));
    expect(byPath(diffsIn(editor.updates('tool_call_update').at(-1)))).toEqual(expected);
    await editor.call('session/close', { sessionId });
    const before = editor.updates().length;
    await editor.call('session/load', { sessionId, cwd: editor.dir, mcpServers: [] });
    const again = editor.updates().slice(before);
    expect(byPath(again.flatMap(diffsIn))).toEqual(expected);
  });

  test('that only reads, and one that changes what is no text, has none', async () => {
    const command = "head -c 100 /dev/zero > zeros; printf 'x\\0y' > a.txt";
    const editor = new Editor([toolUse('Bash', { command: 'cat a.txt' }), toolUse('Bash', { command }), 'done'], {
      config: BYPASS,
    });
    editor.file('a.txt', 'one\n');
    await editor.prompt(await editor.open(), 'go');
    expect(editor.updates('tool_call_update').flatMap(diffsIn)).toEqual([]);
  });

  test('in the editor’s terminal keeps it beside its diffs', async () => {
    const editor = new Editor([toolUse('Bash', { command: 'echo new > a.txt' }), 'done'], { config: BYPASS });
    editor.file('a.txt', 'old\n');
    await editor.prompt(await editor.open({ _meta: { terminal_output: true } }), 'go');
    const last = editor.updates('tool_call_update').at(-1);
    expect(last?.content).toMatchObject([{ type: 'terminal' }, { type: 'diff' }]);
    expect(last).toMatchObject({ _meta: { terminal_exit: { exit_code: 0 } } });
  });
});
