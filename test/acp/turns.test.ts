import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hang, reply, text, toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { choosing, Editor } from './editor.ts';

describe('a prompt', () => {
  test('is answered behind all that was said; what was streamed comes once', async () => {
    const editor = new Editor([[text('Hel', 'lo ', 'there')]]);
    const session = await editor.open();
    expect(await editor.prompt(session, 'hi')).toEqual({
      stopReason: 'end_turn',
      usage: { totalTokens: 117, inputTokens: 10, outputTokens: 7, cachedReadTokens: 100, cachedWriteTokens: 0 },
    });
    expect(editor.said()).toBe('Hello there');
    expect(editor.lines.at(-1)).toMatchObject({ result: { stopReason: 'end_turn' } });
    expect(editor.updates('usage_update').at(-1)).toMatchObject({ used: 111, size: 200_000 });
    expect(editor.wrong).toEqual([]);
  });

  test('has text, links to files, resources and images', async () => {
    const editor = new Editor(['seen']);
    const session = await editor.open();
    const path = editor.file('a b.txt', 'inside of the file');
    const prompt = [
      { type: 'text', text: 'Look at ' },
      { type: 'resource_link', uri: `file://${path.replace(' ', '%20')}`, name: 'a b.txt' },
      { type: 'resource', resource: { uri: 'zed:///selection', text: 'selected' } },
      { type: 'image', mimeType: 'image/png', data: PNG },
    ];
    await editor.call('session/prompt', { sessionId: session, prompt });
    const sent = JSON.stringify(editor.model.requests[0]?.messages);
    for (const part of ['inside of the file', 'selected', PNG]) expect(sent).toContain(part);
  });

  test.each<[string, unknown]>([
    ['no list', 'hi'],
    ['an empty list', []],
    ['an unknown block', [{ type: 'audio', data: '', mimeType: 'audio/wav' }]],
    ['a text without a text', [{ type: 'text' }]],
  ])('that is %s is an error about the parameters, and the session goes on', async (_what, prompt) => {
    const editor = new Editor(['fine']);
    const sessionId = await editor.open();
    expect(await editor.fails('session/prompt', { sessionId, prompt })).toMatchObject({
      code: -32602,
      data: { error_code: 'invalid_request' },
    });
    await editor.prompt(sessionId, 'good');
    expect(editor.said()).toBe('fine');
  });

  test('behind one that runs has a turn and an answer of its own', async () => {
    const editor = new Editor([reply([text('one')], { waitMs: 50 }), 'two']);
    const session = await editor.open();
    const [first, second] = [editor.prompt(session, 'first'), editor.prompt(session, 'second')];
    expect(await first).toMatchObject({ stopReason: 'end_turn' });
    expect(await second).toMatchObject({ stopReason: 'end_turn' });
    expect(editor.said()).toBe('onetwo');
    expect(editor.model.requests).toHaveLength(2);
  });

  test('that is cancelled is answered with that, and so is what waits', async () => {
    const editor = new Editor([hang(), 'after']);
    const session = await editor.open();
    const [first, second] = [editor.prompt(session, 'first'), editor.prompt(session, 'second')];
    await editor.sees(() => editor.model.requests.length === 1);
    editor.notify('session/cancel', { sessionId: session });
    expect(await first).toMatchObject({ stopReason: 'cancelled' });
    expect(await second).toMatchObject({ stopReason: 'cancelled' });
    await editor.prompt(session, 'again');
    expect(editor.said()).toContain('after');
  });

  test('that is withdrawn ends as cancelled, too', async () => {
    const editor = new Editor([hang()]);
    const session = await editor.open();
    const { id, answer } = editor.send('session/prompt', { sessionId: session, prompt: [{ type: 'text', text: 'x' }] });
    await editor.sees(() => editor.model.requests.length === 1);
    editor.notify('$/cancel_request', { requestId: id });
    expect((await answer).result).toMatchObject({ stopReason: 'cancelled' });
  });

  test('whose model fails is an error with what other hosts get', async () => {
    const editor = new Editor([
      { kind: 'fail', status: 401, type: 'authentication_error', message: 'bad key', headers: {} },
    ]);
    const sessionId = await editor.open();
    const failure = await editor.fails('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'x' }] });
    expect(failure.data).toMatchObject({ error_code: 'authentication' });
  });

  test('that needs more turns than it may have, and one that the model refuses', async () => {
    const loop = new Editor(() => toolUse('Glob', { pattern: '*' }), { config: { maxTurns: 2 } });
    expect(await loop.prompt(await loop.open(), 'x')).toMatchObject({ stopReason: 'max_turn_requests' });
    const refusing = new Editor([reply([text('no')], { stopReason: 'refusal' })]);
    expect(await refusing.prompt(await refusing.open(), 'x')).toMatchObject({ stopReason: 'refusal' });
  });
});

describe('a call', () => {
  test('begins, tells what it does, and ends with what it has brought', async () => {
    const editor = new Editor([toolUse('Read', { file_path: 'a.txt' }), 'done']);
    editor.file('a.txt', 'first line\n');
    await editor.prompt(await editor.open(), 'read');
    const [begin] = editor.updates('tool_call');
    expect(begin).toMatchObject({ title: 'Read', kind: 'read', status: 'pending' });
    const all = editor.updates('tool_call_update');
    expect(all[0]).toMatchObject({ title: 'Read a.txt', locations: [{ path: join(editor.dir, 'a.txt') }] });
    expect(all.at(-1)).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(all.at(-1))).toContain('first line');
    expect(editor.wrong).toEqual([]);
  });

  test('that changes a file is asked about with its diff, and ends with the whole file', async () => {
    const editor = new Editor([
      toolUse('Read', { file_path: 'a.txt' }),
      toolUse('Edit', { file_path: 'a.txt', old_string: 'two', new_string: '2' }),
      'done',
    ]);
    editor.file('a.txt', 'one\ntwo\nthree\n');
    await editor.prompt(await editor.open(), 'edit');
    const [question] = editor.asked('session/request_permission') as [JsonObject];
    const toolCall = question.toolCall as JsonObject;
    expect(toolCall).toMatchObject({ kind: 'edit', rawInput: { old_string: 'two' } });
    expect(toolCall.content).toContainEqual(expect.objectContaining({ type: 'diff' }));
    const last = editor.updates('tool_call_update').at(-1);
    const diff = {
      type: 'diff',
      path: join(editor.dir, 'a.txt'),
      oldText: 'one\ntwo\nthree\n',
      newText: 'one\n2\nthree\n',
    };
    expect(last).toMatchObject({ status: 'completed', content: [diff] });
    expect(readFileSync(join(editor.dir, 'a.txt'), 'utf8')).toBe('one\n2\nthree\n');
    expect(editor.wrong).toEqual([]);
  });

  test('that makes a file ends with all of it, up to its last line end', async () => {
    const editor = new Editor([toolUse('Write', { file_path: 'new.txt', content: 'one\ntwo\n' }), 'done']);
    await editor.prompt(await editor.open(), 'write');
    const diff = { type: 'diff', path: join(editor.dir, 'new.txt'), oldText: null, newText: 'one\ntwo\n' };
    expect(editor.updates('tool_call_update').at(-1)).toMatchObject({ status: 'completed', content: [diff] });
  });

  test.each([
    ['reject', { outcome: { outcome: 'selected', optionId: 'reject' } }],
    ['a cancelled question', { outcome: { outcome: 'cancelled' } }],
    ['an option that was not offered', { outcome: { outcome: 'selected', optionId: 'allow_everything' } }],
    ['nonsense', { hello: 1 }],
  ])('is denied by %s', async (_what, answer) => {
    const editor = new Editor([toolUse('Write', { file_path: 'a.txt', content: 'x' }), 'done'], {
      answer: () => answer,
    });
    await editor.prompt(await editor.open(), 'write');
    expect(existsSync(join(editor.dir, 'a.txt'))).toBe(false);
    expect(editor.updates('tool_call_update').at(-1)).toMatchObject({ status: 'failed' });
  });

  test('that an answer allows for the session is not asked about again', async () => {
    const run = () => toolUse('Bash', { command: './run.sh' });
    const editor = new Editor([run(), run(), 'done'], { answer: choosing('allow_session') });
    await editor.prompt(await editor.open(), 'go');
    expect(editor.asked('session/request_permission')).toHaveLength(1);
    const [question] = editor.asked('session/request_permission') as [JsonObject];
    expect((question.options as JsonObject[]).map(({ optionId }) => optionId)).toEqual([
      ...['allow', 'allow_session', 'allow_project', 'reject'],
    ]);
    expect(JSON.stringify(question.options)).toContain('Bash(./run.sh)');
  });

  test('that nobody answers for is denied, with a notice', async () => {
    const never = () => new Promise<JsonObject>(() => {});
    const call = toolUse('Write', { file_path: 'a.txt', content: 'x' });
    const editor = new Editor([call, 'done'], { answer: never, askTimeoutMs: 30 });
    expect(await editor.prompt(await editor.open({ session: { notices: {} } }), 'write')).toMatchObject({
      stopReason: 'end_turn',
    });
    expect(editor.updates('notice')).toContainEqual(expect.objectContaining({ severity: 'warning' }));
    expect(editor.lines.some(({ method }) => method === '$/cancel_request')).toBe(true);
    expect(existsSync(join(editor.dir, 'a.txt'))).toBe(false);
  });

  test('that a deny rule forbids is never asked about', async () => {
    const editor = new Editor([toolUse('Bash', { command: 'touch x' }), 'done'], {
      config: { disallowedTools: ['Bash(touch:*)'] },
    });
    await editor.prompt(await editor.open(), 'go');
    expect(editor.asked('session/request_permission')).toEqual([]);
    expect(existsSync(join(editor.dir, 'x'))).toBe(false);
    expect(editor.updates('tool_call_update').at(-1)).toMatchObject({ status: 'failed' });
  });

  test('in flight when the turn is cancelled has a final status before the answer', async () => {
    const editor = new Editor([toolUse('Bash', { command: 'sleep 60' }), 'done']);
    const session = await editor.open();
    const answer = editor.prompt(session, 'go');
    await editor.sees(() => editor.updates('tool_call_update').some(({ status }) => status === 'in_progress'));
    editor.notify('session/cancel', { sessionId: session });
    expect(await answer).toMatchObject({ stopReason: 'cancelled' });
    expect(editor.updates('tool_call_update').at(-1)).toMatchObject({ status: 'failed' });
  });

  test('of a command is shown in the editor’s terminal where it has one', async () => {
    const editor = new Editor([toolUse('Bash', { command: 'echo out' }), 'done']);
    await editor.prompt(await editor.open({ _meta: { terminal_output: true } }), 'go');
    const updates = editor.updates('tool_call_update');
    const id = String(updates[0]?.toolCallId);
    expect(updates).toContainEqual(expect.objectContaining({ content: [{ type: 'terminal', terminalId: id }] }));
    expect(updates).toContainEqual(
      expect.objectContaining({
        _meta: { terminal_output: { terminal_id: id, data: expect.stringContaining('out') } },
      }),
    );
    expect(updates.at(-1)).toMatchObject({ _meta: { terminal_exit: { terminal_id: id, exit_code: 0 } } });
    expect(editor.wrong).toEqual([]);
  });

  test('of an agent names the call that it works for', async () => {
    const editor = new Editor([
      toolUse('Task', { description: 'look', prompt: 'look around', subagent_type: 'general-purpose' }),
      toolUse('Glob', { pattern: '*' }),
      'The agent has looked.',
      'done',
    ]);
    await editor.prompt(await editor.open(), 'go');
    const [task, glob] = editor.updates('tool_call');
    expect(task).toMatchObject({ name: 'Task', kind: 'think' });
    expect(glob).toMatchObject({ name: 'Glob', _meta: { heddle: { agent: { parentToolCallId: task?.toolCallId } } } });
    expect(JSON.stringify(editor.updates('tool_call_update'))).toContain('The agent has looked.');
    expect(editor.said()).toBe('done');
    expect(editor.wrong).toEqual([]);
  });
});

describe('beside calls', () => {
  test('the list of what is to be done is the plan', async () => {
    const todos = [
      { content: 'read', status: 'completed', activeForm: 'reading' },
      { content: 'write', status: 'in_progress', activeForm: 'writing' },
    ];
    const editor = new Editor([toolUse('TodoWrite', { todos }), 'done']);
    await editor.prompt(await editor.open(), 'go');
    expect(editor.updates('plan').at(-1)).toEqual({
      sessionUpdate: 'plan',
      entries: [
        { content: 'read', priority: 'medium', status: 'completed' },
        { content: 'write', priority: 'medium', status: 'in_progress' },
      ],
    });
    expect(editor.wrong).toEqual([]);
  });

  test('a plan is approved with the mode that the person chooses', async () => {
    const editor = new Editor([toolUse('ExitPlanMode', { plan: '# The plan' }), 'done'], {
      ...{ answer: choosing('accept_edits'), config: { permissionMode: 'plan' } },
    });
    await editor.prompt(await editor.open(), 'go');
    expect(JSON.stringify(editor.asked('session/request_permission'))).toContain('# The plan');
    expect(editor.updates('current_mode_update').at(-1)).toMatchObject({ currentModeId: 'acceptEdits' });
  });

  const question = {
    question: 'Which one?',
    header: 'Choice',
    multiSelect: false,
    options: [
      { label: 'Left', description: 'the left one' },
      { label: 'Right', description: 'the right one' },
    ],
  };

  test('questions of the model are a form where the editor has forms', async () => {
    const editor = new Editor([toolUse('AskUserQuestion', { questions: [question] }), 'done'], {
      answer: () => ({ action: 'accept', content: { q1: 'Right' } }),
    });
    await editor.prompt(await editor.open({ elicitation: { form: {} } }), 'go');
    expect(editor.asked('elicitation/create')).toHaveLength(1);
    expect(JSON.stringify(editor.model.requests.at(-1)?.messages)).toContain('Right');
    expect(editor.wrong).toEqual([]);
  });

  test('and a choice where it has none', async () => {
    const editor = new Editor([toolUse('AskUserQuestion', { questions: [question] }), 'done'], {
      answer: choosing('choice-2'),
    });
    await editor.prompt(await editor.open(), 'go');
    expect(editor.asked('session/request_permission')).toHaveLength(1);
    expect(JSON.stringify(editor.model.requests.at(-1)?.messages)).toContain('Right');
    expect(editor.wrong).toEqual([]);
  });

  test('thoughts are thoughts', async () => {
    const thought = { block: { type: 'thinking', thinking: 'hm', signature: 's' }, pieces: ['hm'] } as never;
    const editor = new Editor([[thought, text('well')]]);
    await editor.prompt(await editor.open(), 'go');
    expect(editor.said('agent_thought_chunk')).toBe('hm');
    expect(editor.said()).toBe('well');
  });
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
