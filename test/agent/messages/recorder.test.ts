import { describe, expect, test, vi } from 'vitest';
import { createRecorder } from '../../../src/agent/messages/recorder.ts';
import { createChain } from '../../../src/sessions/tree/chain.ts';
import { text, toolUse } from '../../../src/testing/script.ts';
import type { Message, UserInput } from '../../../src/wire/messages/index.ts';
import {
  attempt,
  CUT,
  createRig,
  eventModel,
  failingStore,
  fakeTool,
  gatedStore,
  kindsOf,
  SESSION,
  testRuntime,
  until,
} from '../support.ts';

const hello: UserInput = { type: 'user', message: { role: 'user', content: 'hello' } };

function newChain() {
  return createChain({
    cwd: '/project',
    sessionId: SESSION,
    version: '2.1.44',
    gitBranch: 'HEAD',
    userType: 'external',
    isSidechain: false,
    parentUuid: null,
    clock: testRuntime().clock,
  });
}

describe('write, then say', () => {
  test('[S-1, K35] no line is yielded before the store has taken it', async () => {
    const { store, waiting } = gatedStore();
    const rig = createRig([[text('Well.'), toolUse('look', {})], 'done'], { tools: [fakeTool('look')], store });
    const end = rig.ask('go');
    // the prompt, then each of the four lines
    for (let taken = 0; taken < 5; taken++) {
      await until(() => waiting.length > taken);
      await new Promise((resolve) => setTimeout(resolve, 3));
      expect(rig.lines).toHaveLength(Math.max(0, taken - 1));
      waiting[taken]?.();
    }
    await end;
    expect(kindsOf(rig.lines)).toEqual(['assistant', 'assistant', 'user', 'assistant']);
  });

  test('[S-1] a line that could not be stored is not yielded, and the turn breaks', async () => {
    const { store } = failingStore(3);
    const rig = createRig([[text('first'), text('second')]], { store });
    await expect(rig.ask('go')).rejects.toMatchObject({ code: 'storage_failed' });
    expect(rig.lines).toHaveLength(1);
    expect((await rig.entries()).filter(({ type }) => type === 'assistant')).toHaveLength(1);
  });
});

describe('what is recorded', () => {
  test('[K35] prompts, answers and results; not status lines, retries or stream events', async () => {
    const dead = [
      ...attempt('m1', [{ type: 'text', text: 'dead' }], 'open'),
      { type: 'failure' as const, failure: CUT },
    ];
    const rig = createRig(eventModel(dead), { partial: () => undefined });
    await rig.ask('go');
    expect(kindsOf(rig.lines)).toEqual(['system/status', 'assistant', 'system/superseded', 'assistant']);
    expect((await rig.entries()).map(({ type }) => type)).toEqual([
      'queue-operation',
      'user',
      'assistant',
      'assistant',
    ]);
  });

  test('each entry has the uuid of its line, and hangs from the one before', async () => {
    const rig = createRig([[text('Well.'), toolUse('look', {}, 'a')], 'done'], { tools: [fakeTool('look')] });
    await rig.ask('go');
    const nodes = (await rig.entries()).filter(({ uuid }) => uuid !== undefined);
    expect(nodes.slice(1).map(({ uuid }) => uuid)).toEqual(rig.lines.map((line) => (line as { uuid: string }).uuid));
    expect(nodes.map(({ parentUuid }) => parentUuid)).toEqual([null, ...nodes.slice(0, -1).map(({ uuid }) => uuid)]);
    expect(nodes[1]).toMatchObject({ requestId: 'req_fake_1', message: { id: 'msg_fake_1' } });
    expect(nodes[1]?.message).not.toHaveProperty('context_management');
    expect(nodes[3]).toMatchObject({ toolUseResult: { content: 'look ran' }, sourceToolAssistantUUID: nodes[2]?.uuid });
  });

  test('the last block of an answer has its final counts and why the model stopped; lines have those of its start', async () => {
    const rig = createRig([[text('Well.'), toolUse('look', {}, 'a')], 'done'], { tools: [fakeTool('look')] });
    await rig.ask('go');
    type Counted = { message: { stop_reason: string | null; usage: { output_tokens: number } } };
    const told = (each: unknown) => {
      const { stop_reason, usage } = (each as Counted).message;
      return [stop_reason, usage.output_tokens > 1];
    };
    const entries = (await rig.entries()).filter(({ type }) => type === 'assistant');
    expect(entries.map(told)).toEqual([
      [null, false],
      ['tool_use', true],
      ['end_turn', true],
    ]);
    const lines = rig.lines.filter(({ type }) => type === 'assistant');
    expect(lines.map(told)).toEqual(lines.map(() => [null, false]));
  });

  test('[K35] a block that is followed by silence is recorded and shown all the same', async () => {
    let goOn = () => {};
    const silence = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const events = attempt('m1', [{ type: 'text', text: 'whole' }]);
    const rig = createRig({
      provider: 'events',
      async *stream() {
        yield* events.slice(0, -2);
        await silence;
        yield* events.slice(-2);
      },
    });
    const asked = rig.ask('go');
    await vi.waitFor(async () => expect((await rig.entries()).map(({ type }) => type)).toContain('assistant'));
    expect(kindsOf(rig.lines)).toEqual(['assistant']);
    goOn();
    await asked;
    expect(kindsOf(rig.lines)).toEqual(['assistant']);
  });

  test('an error line is marked as one', async () => {
    const rig = createRig(eventModel([{ type: 'failure', failure: CUT }]));
    await rig.ask('go');
    expect((await rig.entries()).at(-1)).toMatchObject({ isApiErrorMessage: true, error: 'server_error' });
  });

  test('the reminder is an attachment that hangs from its prompt', async () => {
    const rig = createRig([]);
    await rig.recorder.prompt(hello, {
      uuid: 'u1',
      permissionMode: 'plan',
      attachments: [{ attachment: { type: 'environment', content: 'it is late' }, uuid: 'u2' }],
    });
    expect(await rig.entries()).toMatchObject([
      { type: 'queue-operation', operation: 'dequeue' },
      { type: 'user', uuid: 'u1', permissionMode: 'plan', message: { content: 'hello' } },
      { type: 'attachment', uuid: 'u2', parentUuid: 'u1', attachment: { type: 'environment', content: 'it is late' } },
    ]);
    expect(rig.chain.leaf).toBe('u2');
  });

  test('without a store messages pass through', async () => {
    const chain = newChain();
    const recorder = createRecorder({ key: { project: '/project', sessionId: SESSION }, store: null, chain });
    await recorder.prompt(hello, { uuid: 'u1', permissionMode: 'default', attachments: [] });
    const line = { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'x' }] }, uuid: 'u2' };
    expect(await recorder.record(line as Message)).toMatchObject(line);
    expect(chain.leaf).toBe('u2');
  });
});

describe('the end of the chain', () => {
  test.each([
    ['a prompt', 1],
    ['an answer', 2],
    ['a result', 3],
  ])('[S-4, S-20] after %s that could not be stored, the next entry hangs from what is there', async (_what, n) => {
    const { store } = failingStore(n);
    const rig = createRig((request) => (request.messages.length === 1 ? toolUse('look', {}) : 'done'), {
      tools: [fakeTool('look')],
      store,
    });
    await expect(rig.ask('one')).rejects.toMatchObject({ code: 'storage_failed' });
    await rig.ask('two');
    const nodes = (await rig.entries()).filter(({ uuid }) => uuid !== undefined);
    const known = new Set(nodes.map(({ uuid }) => uuid));
    expect(nodes.filter(({ parentUuid }) => parentUuid !== null && !known.has(parentUuid as string))).toEqual([]);
    expect(nodes.filter(({ parentUuid }) => parentUuid === null)).toHaveLength(1);
  });

  test('[K27] goes back to where a dead attempt began, also when that is the root', async () => {
    const rig = createRig([]);
    const line = (uuid: string): Message => ({
      type: 'user',
      message: { role: 'user', content: [{ type: 'text', text: uuid }] },
      parent_tool_use_id: null,
      session_id: SESSION,
      uuid,
    });
    await rig.recorder.record(line('a'));
    await rig.recorder.record(line('b'));
    await rig.recorder.record(line('c'));
    rig.recorder.rewind(['b', 'c']);
    expect(rig.chain.leaf).toBe('a');
    rig.recorder.rewind(['a']);
    expect(rig.chain.leaf).toBeNull();
    rig.recorder.rewind(['unknown']);
    rig.recorder.rewind([]);
    expect(rig.chain.leaf).toBeNull();
  });

  test('[K27] nothing before the running prompt can be taken back', async () => {
    const rig = createRig(['one']);
    await rig.ask('go');
    const answered = rig.lines.map((line) => (line as { uuid: string }).uuid);
    await rig.recorder.prompt(hello, { uuid: 'next', permissionMode: 'default', attachments: [] });
    rig.recorder.rewind(answered);
    expect(rig.chain.leaf).toBe('next');
  });
});
