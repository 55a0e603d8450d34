import { describe, expect, test } from 'vitest';
import type { ModelEvent } from '../../src/model/model.ts';
import { text, thinking, toolUse } from '../../src/testing/script.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { TextBlock, ToolUseBlock } from '../../src/wire/api/content.ts';
import type { Message, StreamEventMessage, SupersededMessage } from '../../src/wire/messages/index.ts';
import {
  attempt,
  blocksIn,
  CUT,
  createRig,
  eventModel,
  fakeTool,
  faultsOf,
  kindsOf,
  MODEL,
  prefixFaults,
  retryAfter,
} from './support.ts';

const said = (words: string): TextBlock => ({ type: 'text', text: words });
const call = (id: string): ToolUseBlock => ({ type: 'tool_use', id, name: 'look', input: {} });

/** A turn whose partial lines and yielded lines are noted in one list, as a host would see them. */
async function observed(script: Parameters<typeof createRig>[0]) {
  const seen: (Message | StreamEventMessage)[] = [];
  const rig = createRig(script, {
    tools: [fakeTool('look')],
    partial(line) {
      seen.push(line);
      return undefined;
    },
  });
  rig.lines.push = (...lines) => seen.push(...lines);
  await rig.ask('go');
  return { rig, seen };
}

function words(seen: readonly Message[]): string[] {
  return seen.map((line) => {
    if (line.type === 'stream_event') return (line as StreamEventMessage).event.type;
    return line.type === 'system' && line.subtype === 'status' ? String(line.status) : line.type;
  });
}

describe('the lines of an answer', () => {
  test('[K3, FLD-10, FLD-13] one line a block, all with the id and the model of the answer and the counts of its start', async () => {
    const rig = createRig([[thinking('hm'), text('a', 'b'), toolUse('look', {}, 'toolu_1')], 'done'], {
      tools: [fakeTool('look')],
    });
    await rig.ask('go');
    const lines = rig.lines.filter(({ type }) => type === 'assistant').slice(0, 3) as { message: { id: string } }[];
    expect(lines.map(({ message }) => message)).toMatchObject(
      ['thinking', 'text', 'tool_use'].map((type) => ({
        id: 'msg_fake_1',
        type: 'message',
        role: 'assistant',
        model: MODEL,
        content: [{ type }],
        stop_reason: null,
        usage: { output_tokens: 1 },
        context_management: null,
      })),
    );
    expect(new Set(rig.lines.map((line) => (line as { uuid: string }).uuid)).size).toBe(rig.lines.length);
  });

  test('[FLD-14] what the provider did to the context is told as it says it', async () => {
    const context_management = { applied_edits: [{ type: 'clear_tool_uses_20250919', cleared_tool_uses: 2 }] };
    const [response, start, ...rest] = attempt('m1', [said('one')]) as ModelEvent[];
    const event = { type: 'message_start', message: { id: 'm1', model: MODEL, usage: {}, context_management } };
    expect(start).toMatchObject({ event: { type: 'message_start' } });
    const edited = { type: 'event', event, raw: JSON.stringify(event) } as ModelEvent;
    const rig = createRig(eventModel([response as ModelEvent, edited, ...rest]));
    await rig.ask('go');
    expect(rig.lines.find(({ type }) => type === 'assistant')).toMatchObject({ message: { context_management } });
  });

  test('[SEQ-03, SEQ-04, SEQ-05] with partials: a block comes after its last delta and before its stop', async () => {
    const { seen } = await observed([[text('a', 'b'), toolUse('look', {})], 'done']);
    const block = ['content_block_start', 'content_block_delta', 'content_block_delta', 'assistant'];
    const short = ['content_block_start', 'content_block_delta', 'assistant', 'content_block_stop'];
    expect(words(seen)).toEqual([
      ...['requesting', 'message_start', ...block, 'content_block_stop', ...block, 'content_block_stop'],
      ...['message_delta', 'message_stop', 'user'],
      ...['requesting', 'message_start', ...short, 'message_delta', 'message_stop'],
    ]);
  });

  test('[B-153] who watches the answer grow is told of each request before it is sent, and nobody else', async () => {
    const sent: number[] = [];
    const watched = createRig([[toolUse('look', {})], 'done'], { tools: [fakeTool('look')], partial: () => undefined });
    watched.lines.push = (...lines) => {
      return words(lines).includes('requesting') ? sent.push(watched.requests.length) : 0;
    };
    await watched.ask('go');
    expect(sent).toEqual([0, 1]);
    const rig = createRig(['done']);
    await rig.ask('go');
    expect(words(rig.lines)).toEqual(['assistant']);
  });

  test('[B-158] a line carries the time of its entry', async () => {
    const rig = createRig([[text('a'), toolUse('look', {})], 'done'], { tools: [fakeTool('look')] });
    await rig.ask('go');
    const stored = (await rig.entries()).filter(({ uuid }) => uuid !== undefined).slice(1);
    const times = rig.lines.map((line) => (line as { timestamp?: string }).timestamp);
    expect(times).toEqual(stored.map(({ timestamp }) => timestamp));
    expect(times.every((time) => new Date(time ?? '').toISOString() === time)).toBe(true);
  });

  test('[SEQ-06] the deltas of a block add up to it', async () => {
    const { seen } = await observed([[text('Hello, ', 'world'), toolUse('look', { text: 'x' })], 'done']);
    const deltas = seen.flatMap((line) => ('event' in line ? [(line as StreamEventMessage).event] : []));
    const joined = (index: number, key: string) =>
      deltas
        .filter((event) => event.type === 'content_block_delta' && event.index === index)
        .map(({ delta }) => (delta as Record<string, string>)[key] ?? '')
        .join('');
    expect(joined(0, 'text')).toContain('Hello, world');
    expect(JSON.parse(joined(1, 'partial_json'))).toEqual({ text: 'x' });
  });

  test('a tool fills in its defaults before the call is shown, stored and run', async () => {
    const look = fakeTool('look');
    const withMore = {
      ...look,
      input: {
        json: {},
        parse: (value: unknown) => ({ ok: true as const, value: { ...(value as object), text: 'default' } }),
      },
    };
    const rig = createRig([toolUse('look', {}, 'a'), 'done'], { tools: [withMore] });
    await rig.ask('go');
    expect(blocksIn(rig.lines, 'assistant')[0]).toMatchObject({ input: { text: 'default' } });
    expect(rig.requests[1]?.messages[1]?.content[0]).toMatchObject({ input: { text: 'default' } });
  });

  test('events that come in groups are taken one by one', async () => {
    const rig = createRig(eventModel([attempt('m1', [said('one'), said('two')])]));
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
    expect(blocksIn(rig.lines, 'assistant')).toEqual([said('one'), said('two')]);
  });

  test('[M-15] texts without words are neither shown nor sent back', async () => {
    const rig = createRig([[text(' \n'), text('Well.'), text('')], 'fine']);
    await rig.ask('one');
    expect(await rig.ask('two')).toEqual({ kind: 'completed' });
    expect(blocksIn(rig.lines, 'assistant')).toEqual([said('Well.'), said('fine')]);
    expect(rig.requests.flatMap(({ messages }) => faultsOf(messages))).toEqual([]);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('an answer that was cut off is paid for, as far as its counts are known', async () => {
    const rig = createRig(eventModel([...attempt('m1', [said('half')], 'open'), { type: 'failure', failure: CUT }]));
    await rig.ask('go');
    expect(rig.turn.ledger.turnUsage).toMatchObject({ input_tokens: 10, output_tokens: 1 });
  });
});

describe('an attempt that is given up for another', () => {
  const retried = (...attempts: ModelEvent[][]) =>
    createRig(eventModel(attempts.flat()), { tools: [fakeTool('look')] });

  test('[LOOP-16] every attempt counts against the budget, and none follows when it is used up', async () => {
    const cut = [...attempt('m1', [said('half')], 'open'), retryAfter(CUT)];
    const rig = createRig(eventModel([...cut, ...cut, ...cut, ...attempt('m4', [said('fine')])]), {
      limits: { maxBudgetUsd: 0.00005 }, // two attempts cost 0.00009
    });
    expect(await rig.ask('go')).toEqual({ kind: 'max_budget', maxBudgetUsd: 0.00005 });
    expect(rig.turn.ledger.turnUsage.input_tokens).toBe(20);
    expect(kindsOf(rig.lines).filter((kind) => kind === 'system/superseded')).toHaveLength(2);
  });

  test('[K28] each wait is told', async () => {
    const failure = { class: 'overloaded' as const, message: 'Overloaded', status: 529 };
    const rig = retried([retryAfter(failure), retryAfter(failure, 2)], attempt('m1', [said('fine')]));
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
    expect(kindsOf(rig.lines)).toEqual(['system/api_retry', 'system/api_retry', 'assistant']);
    expect(rig.lines[1]).toMatchObject({
      attempt: 2,
      max_retries: 10,
      retry_delay_ms: 500,
      error_status: 529,
      error: 'overloaded',
      message: 'Overloaded',
    });
  });

  test('[K27, M-5] its whole blocks are named as superseded and never sent back', async () => {
    const rig = retried(
      attempt('m1', [said('dead one'), said('dead two')], 'open'),
      [retryAfter(CUT)],
      attempt('m2', [said('alive')]),
    );
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
    expect(kindsOf(rig.lines)).toEqual([
      ...['assistant', 'assistant', 'system/superseded', 'system/api_retry'],
      'assistant',
    ]);
    const dead = rig.lines.slice(0, 2).map((line) => (line as { uuid: string }).uuid);
    expect((rig.lines[2] as SupersededMessage).superseded_uuids).toEqual(dead);
    expect(rig.messages[1]?.content).toEqual([said('alive')]);
    expect(rig.turn.tally.lastText).toBe('alive');
  });

  test('[K27, S-4] the retry hangs beside the dead attempt, from the same parent', async () => {
    const rig = retried(attempt('m1', [said('dead')], 'open'), [retryAfter(CUT)], attempt('m2', [said('alive')]));
    await rig.ask('go');
    const entries = await rig.entries();
    const [prompt, dead, alive] = entries.filter(({ uuid }) => uuid !== undefined);
    expect([dead?.parentUuid, alive?.parentUuid]).toEqual([prompt?.uuid, prompt?.uuid]);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('[K27, S-8] a call of the dead attempt is not run', async () => {
    const rig = retried(attempt('m1', [call('dead')], 'open'), [retryAfter(CUT)], attempt('m2', [said('alive')]));
    await rig.ask('go');
    expect(blocksIn(rig.lines, 'user')).toEqual([]);
    expect(faultsOf(rig.messages)).toEqual([]);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('[K27] its events are closed for those who watch them', async () => {
    const half: ModelEvent[] = attempt('m1', [said('half')], 'open').slice(0, -1);
    const { seen } = await observed(eventModel([...half, retryAfter(CUT), ...attempt('m2', [said('alive')])]));
    expect(words(seen)).toEqual([
      ...['requesting', 'message_start', 'content_block_start', 'content_block_stop', 'message_stop', 'system'],
      ...['message_start', 'content_block_start', 'assistant', 'content_block_stop', 'message_delta', 'message_stop'],
    ]);
  });

  test('[K27] nothing is superseded when no block was whole', async () => {
    const rig = retried(attempt('m1', [], 'open'), [retryAfter(CUT)], attempt('m2', [said('alive')]));
    await rig.ask('go');
    expect(kindsOf(rig.lines)).toEqual(['system/api_retry', 'assistant']);
  });

  test('[K27, M-15] given up for good: superseded too, then the error, and the next prompt is clean', async () => {
    const rig = createRig(
      eventModel(
        [...attempt('m1', [said('dead'), call('dead')], 'open'), { type: 'failure', failure: CUT }],
        attempt('m2', [said('fine')]),
      ),
      { tools: [fakeTool('look')] },
    );
    expect(await rig.ask('one')).toMatchObject({ kind: 'api_error' });
    expect(kindsOf(rig.lines)).toEqual(['assistant', 'assistant', 'system/superseded', 'assistant']);
    expect(rig.lines.at(-1)).toMatchObject({ error: 'server_error' });
    expect(await rig.ask('two')).toEqual({ kind: 'completed' });
    expect(rig.requests[1]?.messages).toEqual([{ role: 'user', content: [said('one'), said('two')] }]);
    expect(prefixFaults(rig.requests)).toEqual([]);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });
});

test('a model that throws against its contract breaks the turn, but not the conversation', async () => {
  const broken = Promise.reject(new Error('adapter bug'));
  broken.catch(() => {});
  const rig = createRig(
    eventModel([...attempt('m1', [said('whole'), call('a')], 'open'), broken], attempt('m2', [said('fine')])),
    { tools: [fakeTool('look')] },
  );
  await expect(rig.ask('one')).rejects.toThrow('adapter bug');
  expect(await rig.ask('two')).toEqual({ kind: 'completed' });
  expect(faultsOf(rig.requests[1]?.messages)).toEqual([]);
  expect(rig.requests[1]?.messages[1]?.content).toEqual([said('whole'), call('a')]);
  expect(await rig.replayed()).toEqual(rig.conversation());
});

test('the time of each model call is booked, also of one that failed', async () => {
  let now = 1000;
  const rig = createRig(scriptedModel(['one', 'two']));
  rig.turn.runtime.clock.now = () => {
    now += 40;
    return now;
  };
  await rig.ask('go');
  expect(rig.turn.ledger.apiMs).toBeGreaterThanOrEqual(40);
});
