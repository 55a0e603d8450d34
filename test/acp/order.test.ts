import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { hang, reply, text, toolUse } from '../../src/testing/script.ts';
import { Editor } from './editor.ts';

const place = (editor: Editor) => ({ cwd: editor.dir, mcpServers: [] });

/** An editor that stops reading, and goes on when it is let. */
function slowReading() {
  let going: (() => void) | null = null;
  let stopped: Promise<void> | undefined;
  return {
    reading: () => stopped,
    stop() {
      stopped = new Promise((resolve) => {
        going = resolve;
      });
    },
    goOn() {
      stopped = undefined;
      going?.();
    },
  };
}

/** Long enough for what does not wait. */
const A_WHILE = 300;

describe('an editor that does not read', () => {
  test('holds up the turn, and gets all of it in order when it reads again', async () => {
    const slow = slowReading();
    let at = 0;
    const script = () => (at++ < 120 ? toolUse('TodoWrite', { todos: [todo(`step ${at}`)] }) : 'all done');
    const editor = new Editor(script, { reading: slow.reading });
    const sessionId = await editor.open();
    slow.stop();
    const answer = editor.prompt(sessionId, 'go');
    await editor.sees(() => editor.model.requests.length > 0);
    // A queue of lines is written ahead, and no more.
    let before = 0;
    await vi.waitUntil(
      () => {
        const isHeld = editor.model.requests.length === before;
        before = editor.model.requests.length;
        return isHeld;
      },
      { interval: A_WHILE, timeout: 15_000 },
    );
    slow.goOn();
    expect(before).toBeLessThan(60);
    expect(await answer).toMatchObject({ stopReason: 'end_turn' });
    expect(editor.said()).toBe('all done');
    const steps = editor.updates('plan').map(({ entries }) => (entries as { content: string }[])[0]?.content);
    expect(steps).toEqual(Array.from({ length: 120 }, (_, step) => `step ${step + 1}`));
  });

  test('holds up a load: only a few lines are written ahead', async () => {
    const slow = slowReading();
    const editor = new Editor(() => 'fine', { reading: slow.reading });
    const sessionId = await editor.open();
    for (let turn = 0; turn < 30; turn++) await editor.prompt(sessionId, `turn ${turn}`);
    await editor.call('session/close', { sessionId });
    const before = editor.updates().length;
    slow.stop();
    const loading = editor.call('session/load', { sessionId, ...place(editor) });
    await new Promise((resolve) => setTimeout(resolve, 2 * A_WHILE));
    expect(editor.updates().length - before).toBeLessThan(10);
    slow.goOn();
    await loading;
    const prompts = editor.updates('user_message_chunk').map(({ content }) => (content as { text: string }).text);
    expect(prompts).toEqual(Array.from({ length: 30 }, (_, turn) => `turn ${turn}`));
  });

  test('can still cancel, and other sessions of it go on when it reads', async () => {
    const slow = slowReading();
    const editor = new Editor(({ messages }) => (JSON.stringify(messages).includes('again') ? 'fine' : hang()), {
      reading: slow.reading,
    });
    const sessionId = await editor.open();
    const answer = editor.prompt(sessionId, 'go');
    await editor.sees(() => editor.model.requests.length === 1);
    slow.stop();
    editor.notify('session/cancel', { sessionId });
    await new Promise((resolve) => setTimeout(resolve, A_WHILE));
    slow.goOn();
    expect(await answer).toMatchObject({ stopReason: 'cancelled' });
    const { sessionId: other } = await editor.call('session/new', place(editor));
    expect(await editor.prompt(String(other), 'again')).toMatchObject({ stopReason: 'end_turn' });
  });
});

const todo = (content: string) => ({ content, status: 'pending', activeForm: content });

describe('versions', () => {
  test.each([0, 2, 99])('an editor that speaks version %d gets ours', async (protocolVersion) => {
    const editor = new Editor([]);
    expect(await editor.call('initialize', { protocolVersion })).toMatchObject({ protocolVersion: 1 });
  });

  test.each([undefined, '1', 1.5, null])('the version %j is an error about the parameters', async (protocolVersion) => {
    const editor = new Editor([]);
    const failure = await editor.fails('initialize', protocolVersion === undefined ? {} : { protocolVersion });
    expect(failure).toMatchObject({ code: -32602, data: { error_code: 'invalid_request' } });
  });
});

describe('lines that come close to each other', () => {
  test('a cancel right behind its prompt ends it', async () => {
    const editor = new Editor(({ messages }) => (JSON.stringify(messages).includes('again') ? 'after' : hang()));
    const sessionId = await editor.open();
    const answer = editor.prompt(sessionId, 'go');
    editor.notify('session/cancel', { sessionId });
    expect(await answer).toMatchObject({ stopReason: 'cancelled' });
    expect(await editor.prompt(sessionId, 'again')).toBeTruthy();
  });

  test('a cancel without a prompt, or of a session that is not open, changes nothing', async () => {
    const editor = new Editor(['fine']);
    const sessionId = await editor.open();
    editor.notify('session/cancel', { sessionId });
    editor.notify('session/cancel', { sessionId: 'nobody' });
    expect(await editor.prompt(sessionId, 'go')).toMatchObject({ stopReason: 'end_turn' });
  });

  test('an id that is in use is an error, and the request that has it goes on', async () => {
    const editor = new Editor([hang()]);
    const sessionId = await editor.open();
    const { id, answer } = editor.send('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'x' }] });
    await editor.sees(() => editor.model.requests.length === 1);
    editor.raw({ jsonrpc: '2.0', id, method: 'session/list', params: {} });
    expect((await answer).error).toMatchObject({ code: -32600 });
    editor.notify('session/cancel', { sessionId });
    await editor.sees(() => editor.lines.some((line) => line.id === id && line.result !== undefined));
  });

  test('two loads of a session leave it open once, and it goes on', async () => {
    const editor = new Editor(['one', 'two']);
    const sessionId = await editor.open();
    await editor.prompt(sessionId, 'first');
    const loads = [0, 1].map(() => editor.call('session/load', { sessionId, ...place(editor) }));
    await Promise.all(loads);
    expect(await editor.prompt(sessionId, 'second')).toMatchObject({ stopReason: 'end_turn' });
    expect(editor.said('user_message_chunk')).toBe('firstfirst');
    expect(editor.said()).toContain('two');
  });

  test('a load shows the conversation before its answer, and only then what is new', async () => {
    const editor = new Editor(['one']);
    const sessionId = await editor.open();
    await editor.prompt(sessionId, 'first');
    await editor.call('session/close', { sessionId });
    const from = editor.lines.length;
    await editor.call('session/load', { sessionId, ...place(editor) });
    await editor.sees(() => editor.updates('session_info_update').length > 0);
    const kinds = editor.lines
      .slice(from)
      .map(({ params }) => (params as { update: { sessionUpdate: string } } | undefined)?.update.sessionUpdate);
    expect(kinds.indexOf('agent_message_chunk')).toBeGreaterThan(kinds.indexOf('user_message_chunk'));
    expect(kinds.indexOf(undefined)).toBeGreaterThan(kinds.indexOf('agent_message_chunk'));
    expect(kinds.indexOf('available_commands_update')).toBeGreaterThan(kinds.indexOf(undefined));
    expect(editor.updates('session_info_update').at(-1)).toMatchObject({ title: 'first' });
  });

  test('nothing of a session comes behind the answer to its close', async () => {
    const editor = new Editor([toolUse('Bash', { command: 'sleep 60' }), 'never']);
    const sessionId = await editor.open();
    const answer = editor.prompt(sessionId, 'go');
    await editor.sees(() => editor.updates('tool_call_update').some(({ status }) => status === 'in_progress'));
    await editor.call('session/close', { sessionId });
    const closed = editor.lines.length;
    expect(await answer).toMatchObject({ stopReason: 'cancelled' });
    await editor.call('session/list');
    expect(editor.lines.slice(closed).filter(({ method }) => method === 'session/update')).toEqual([]);
  });

  test('an editor that dies while a session is loaded leaves it free for the next', async () => {
    const first = new Editor(['one']);
    const sessionId = await first.open();
    await first.prompt(sessionId, 'hi');
    await first.dies();
    const second = new Editor([], { home: first.home });
    await second.initialize();
    second.send('session/load', { sessionId, ...place(first) });
    await second.dies();
    const third = new Editor([], { home: first.home });
    await third.initialize();
    await third.call('session/load', { sessionId, ...place(first) });
    expect(third.said()).toBe('one');
  });

  test('deltas that come together are one update', async () => {
    const words = Array.from({ length: 500 }, (_, at) => `w${at} `);
    const editor = new Editor([[text(...words)]]);
    await editor.prompt(await editor.open(), 'go');
    expect(editor.said()).toBe(words.join(''));
    expect(editor.updates('agent_message_chunk').length).toBeLessThan(100);
  });
});

describe('sessions beside each other', () => {
  test('twenty of them answer side by side, each in its own', async () => {
    const editor = new Editor(({ messages }) => `heard ${JSON.stringify(messages).match(/number \d+!/)?.[0]}`);
    await editor.initialize();
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => String((await editor.call('session/new', place(editor))).sessionId)),
    );
    expect(new Set(ids).size).toBe(20);
    await Promise.all(ids.map((id, at) => editor.prompt(id, `number ${at}!`)));
    for (const [at, id] of ids.entries()) {
      const own = editor.asked('session/update').filter(({ sessionId }) => sessionId === id);
      expect(JSON.stringify(own)).toContain(`heard number ${at}!`);
      expect(JSON.stringify(own).match(/heard/g)).toHaveLength(1);
    }
  });

  test('a list has the sessions of a directory where one is named', async () => {
    const editor = new Editor(['one', 'two']);
    await editor.prompt(await editor.open(), 'here');
    const other = join(editor.dir, 'other');
    mkdirSync(other);
    const { sessionId } = await editor.call('session/new', { cwd: other, mcpServers: [] });
    await editor.prompt(String(sessionId), 'there');
    expect((await editor.call('session/list')).sessions).toHaveLength(2);
    expect((await editor.call('session/list', { cwd: other })).sessions).toEqual([
      expect.objectContaining({ sessionId, cwd: other }),
    ]);
    expect((await editor.call('session/list', { cwd: '/no/such/place' })).sessions).toEqual([]);
    expect(await editor.fails('session/list', { cwd: 'here' })).toMatchObject({ code: -32602 });
  });

  test('a directory that is added may be read without a question', async () => {
    const editor = new Editor([toolUse('Read', { file_path: '../beside/b.txt' }), 'done']);
    const beside = join(editor.dir, '../beside');
    mkdirSync(beside);
    editor.file('../beside/b.txt', 'beside it');
    await editor.prompt(await editor.open({}, { additionalDirectories: [beside] }), 'read');
    expect(editor.asked('session/request_permission')).toEqual([]);
    expect(JSON.stringify(editor.model.requests.at(-1)?.messages)).toContain('beside it');
  });

  test('what was said before and behind /clear is all there again', async () => {
    const first = new Editor(['one', 'two']);
    const sessionId = await first.open();
    for (const prompt of ['first', '/clear', 'second']) await first.prompt(sessionId, prompt);
    await first.dies();
    const second = new Editor([], { home: first.home });
    await second.initialize();
    await second.call('session/load', { sessionId, ...place(first) });
    expect(second.said()).toContain('two');
    expect(second.said('user_message_chunk')).toContain('second');
  });
});

describe('how a turn ends', () => {
  test('at the limit of an answer, and with an error that a notice tells first', async () => {
    const cut = new Editor(() => reply([text('half a')], { stopReason: 'max_tokens' }));
    expect(await cut.prompt(await cut.open(), 'x')).toMatchObject({ stopReason: 'max_tokens' });
    const failing = new Editor([
      { kind: 'fail', status: 401, type: 'authentication_error', message: 'bad key', headers: {} },
    ]);
    const sessionId = await failing.open({ session: { notices: {} } });
    await failing.fails('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'x' }] });
    expect(failing.updates('notice')).toContainEqual(expect.objectContaining({ severity: 'error' }));
  });
});
