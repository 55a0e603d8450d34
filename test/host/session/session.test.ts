import { describe, expect, test } from 'vitest';
import type { SessionStore } from '../../../src/sessions/store.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { hang, reply, text, toolUse } from '../../../src/testing/script.ts';
import { HeddleError } from '../../../src/wire/errors.ts';
import { parseMessage } from '../../../src/wire/messages/index.ts';
import { faultsOf, prefixFaults } from '../../agent/support.ts';
import { createHouse, kindOf, lastTexts, resultsOf } from '../support.ts';

describe('a turn', () => {
  test('[SEQ-01, MSG-01, MSG-12] opens with init and ends with its result', async () => {
    const client = createHouse(['Hello.']).connect();
    await client.ask('hi');
    expect(client.lines.map(kindOf)).toEqual(['system/init', 'assistant', 'result']);
    expect(client.results[0]).toMatchObject({ subtype: 'success', is_error: false, result: 'Hello.', num_turns: 1 });
  });

  test('[SEQ-02, OPT-17, MSG-17] with partials the stream stands between init and result', async () => {
    const client = createHouse([[text('Hel', 'lo.')]]).connect({ includePartialMessages: true });
    await client.ask('hi');
    expect(client.lines.map((line) => (line.event as { type: string } | undefined)?.type ?? kindOf(line))).toEqual([
      ...['system/init', 'system/status'],
      ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_delta'],
      ...['assistant', 'content_block_stop', 'message_delta', 'message_stop', 'result'],
    ]);
  });

  test('[K20, B-043, SEQ-11] each turn has an init of its own, and nothing follows its result', async () => {
    const client = createHouse(['one', 'two']).connect();
    await client.ask('1');
    await client.ask('2');
    const turn = ['system/init', 'assistant', 'result'];
    expect(client.lines.map(kindOf)).toEqual([...turn, ...turn]);
    expect(new Set(client.lines.map(({ session_id }) => session_id)).size).toBe(1);
  });

  test('[FLD-01] every line has a uuid of its own, its session, and a shape of the wire', async () => {
    const house = createHouse([[text('Well.'), toolUse('Read', { file_path: 'nope.txt' })], 'done']);
    const client = house.connect({ includePartialMessages: true });
    await client.ask('go');
    expect(new Set(client.lines.map(({ uuid }) => uuid)).size).toBe(client.lines.length);
    for (const line of client.lines) {
      expect(line.session_id).toBe(client.lines[0]?.session_id);
      expect(parseMessage(line)).toMatchObject({ ok: true });
    }
  });

  test('[MSG-11, FLD-19] a replayed message comes after init, with the uuid that it has on disk', async () => {
    const house = createHouse(['one', 'two']);
    const client = house.connect({ replayUserMessages: true });
    await client.ask([{ type: 'text', text: 'first' }]);
    expect(client.lines.map(kindOf)).toEqual(['system/init', 'user', 'assistant', 'result']);
    await client.ask('second', { uuid: 'aaaaaaaa-0000-4000-8000-000000000001' });
    const [made, given] = client.of('user');
    expect(made?.uuid).toMatch(/^[0-9a-f-]{36}$/);
    expect(given).toMatchObject({
      uuid: 'aaaaaaaa-0000-4000-8000-000000000001',
      isReplay: true,
      message: { role: 'user', content: 'second' },
    });
    const stored = (await house.entries(String(given?.session_id))).filter(({ type }) => type === 'user');
    expect(stored.map(({ uuid }) => uuid)).toEqual([made?.uuid, given?.uuid]);
    expect(client.results.map((result) => result.user_message_uuids)).toEqual([[made?.uuid], [given?.uuid]]);
  });

  test('[K26] what becomes of a message that carries a uuid is told', async () => {
    const client = createHouse(['one']).connect();
    const uuid = 'aaaaaaaa-0000-4000-8000-000000000001';
    await client.ask('go', { uuid });
    await client.until(() => client.of('command_lifecycle').length === 3);
    expect(client.of('command_lifecycle')).toMatchObject(
      ['queued', 'started', 'completed'].map((state) => ({ command_uuid: uuid, state })),
    );
  });

  test('[FLD-25, FLD-26, FLD-27] usage is of the turn, cost and models are of the session', async () => {
    const usage = { input_tokens: 1000, cache_read_input_tokens: 0, output_tokens: 100 };
    const client = createHouse([
      reply([toolUse('Glob', { pattern: '*' })], { usage }),
      reply([text('one')], { usage }),
      reply([text('two')], { usage }),
    ]).connect({ model: 'haiku' });
    const first = await client.ask('1');
    const second = await client.ask('2');
    expect(first.usage).toMatchObject({ input_tokens: 2000, output_tokens: 200 });
    expect(second.usage).toMatchObject({ input_tokens: 1000, output_tokens: 100 });
    expect(second.total_cost_usd).toBeCloseTo(first.total_cost_usd * 1.5, 10);
    expect(second.modelUsage).toMatchObject({
      'claude-haiku-4-5-20251001': { inputTokens: 3000, outputTokens: 300, costUSD: second.total_cost_usd },
    });
    expect(second.duration_api_ms).toBeGreaterThanOrEqual(first.duration_api_ms);
    expect(first.duration_api_ms).toBeLessThanOrEqual(first.duration_ms);
  });

  test('[P4] a model without a price is said once, and costs nothing', async () => {
    const house = createHouse(['one', 'two']);
    const client = house.connect({ model: 'home-made' });
    await client.ask('1');
    expect(await client.ask('2')).toMatchObject({ total_cost_usd: 0, modelUsage: { 'home-made': { costUSD: 0 } } });
    expect(house.logs.filter(({ message }) => message.includes('No price'))).toHaveLength(1);
  });

  test('[LOOP-08, MSG-14] the turn cap', async () => {
    const client = createHouse([toolUse('Glob', { pattern: '*' }), 'too far']).connect({ maxTurns: 1 });
    expect(await client.ask('go')).toMatchObject({ subtype: 'error_max_turns', is_error: true, num_turns: 2 });
    expect(await client.end()).toMatchObject({ code: 1 });
  });

  test('[LOOP-09, MSG-15] the budget', async () => {
    const dear = reply([toolUse('Glob', { pattern: '*' })], { usage: { input_tokens: 1_000_000 } });
    const client = createHouse([dear, 'too far']).connect({ maxBudgetUsd: 0.01, model: 'opus' });
    expect(await client.ask('go')).toMatchObject({ subtype: 'error_max_budget_usd', is_error: true });
  });
});

test('a turn that takes too long is stopped, and says so', async () => {
  const house = createHouse([hang(), 'fine']);
  const client = house.connect({ maxDurationMs: 50 });
  expect(await client.ask('go')).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'max_duration' });
  expect(await client.ask('again')).toMatchObject({ result: 'fine' });
});

describe('the queue', () => {
  test('[K26] messages are answered one by one, in the order in which they came', async () => {
    const house = createHouse((request) => `re: ${lastTexts(request)[0]}`);
    const client = house.connect();
    for (const word of ['one', 'two', 'three']) client.say(word);
    await client.result(2);
    expect(client.results.map((result) => 'result' in result && result.result)).toEqual([
      ...['re: one', 're: two', 're: three'],
    ]);
    expect(prefixFaults(house.model.requests)).toEqual([]);
  });

  test('[K26, CTL-05] an interrupt ends the running turn only; the queue goes on', async () => {
    const house = createHouse([hang(), 'two', 'three']);
    const client = house.connect();
    for (const word of ['one', 'two', 'three']) client.say(word);
    await client.until(() => house.model.requests.length === 1 && client.of('system/init').length === 1);
    await client.control({ subtype: 'interrupt' });
    await client.result(2);
    expect(client.results.map(({ subtype }) => subtype)).toEqual(['error_during_execution', 'success', 'success']);
    expect(house.model.requests.flatMap(({ messages }) => faultsOf(messages))).toEqual([]);
    expect(prefixFaults(house.model.requests)).toEqual([]);
  });

  test('[K26, B-143] what is said while tools run joins the turn: one result answers both, and both are recorded', async () => {
    const uuid = 'aaaaaaaa-0000-4000-8000-000000000002';
    const house = createHouse([toolUse('Bash', { command: 'sleep 0.2' }), 'both', 'never']);
    const client = house.connect({ replayUserMessages: true });
    client.say('one');
    await client.until(() => client.of('assistant').length === 1);
    client.say('two', { uuid });
    const result = await client.result(0);
    expect(result).toMatchObject({ result: 'both', user_message_uuids: [expect.any(String), uuid] });
    expect(await client.end()).toMatchObject({ code: 0 });
    expect(client.results).toHaveLength(1);
    expect(lastTexts(house.model.requests[1])).toEqual(['two']);
    expect(faultsOf(house.model.requests[1]?.messages)).toEqual([]);
    const stored = await house.entries(String(client.lines.at(-1)?.session_id));
    expect(stored.filter((entry) => entry.uuid === uuid)).toMatchObject([
      { type: 'user', message: { content: 'two' } },
    ]);
    const kinds = client.lines.map(kindOf);
    expect(kinds.lastIndexOf('user')).toBeGreaterThan(kinds.indexOf('assistant'));
    expect(client.of('user').at(-1)).toMatchObject({ uuid, isReplay: true });
  });

  test('the end of the input lets the queue be answered', async () => {
    const client = createHouse(['one', 'two']).connect();
    client.say('1');
    client.say('2');
    expect(await client.end()).toMatchObject({ code: 0 });
    expect(client.results).toHaveLength(2);
  });

  test('[K6, P-17] the last result decides the exit', async () => {
    const failing = createHouse(['fine']).connect();
    failing.say('1');
    failing.say('2'); // the script has no answer for it
    expect(await failing.end()).toMatchObject({ code: 1 });
    expect(failing.results.map(({ is_error }) => is_error)).toEqual([false, true]);
  });
});

describe('interrupt', () => {
  test('[CTL-05, QM-01] mid-stream: the answer comes first, then the marker and the result; the next turn works', async () => {
    const house = createHouse([reply([text('a', 'b')], { fault: { after: { events: 4 }, how: 'hang' } }), 'fine']);
    const client = house.connect({ includePartialMessages: true });
    client.say('go');
    await client.until(() => client.of('stream_event').length >= 3);
    const seen = client.lines.length;
    expect(await client.control({ subtype: 'interrupt' })).toMatchObject({ subtype: 'success' });
    await client.result(0);
    expect(client.lines.slice(seen).map(kindOf)).toEqual(['control_response', 'user', 'result']);
    expect(client.of('user').at(-1)).toMatchObject({
      message: { content: [{ type: 'text', text: '[Request interrupted by user]' }] },
    });
    expect(client.results[0]).toMatchObject({ is_error: true, terminal_reason: 'aborted_streaming' });
    expect(await client.ask('again')).toMatchObject({ subtype: 'success', result: 'fine' });
  });

  test('[P-13, LOOP-10] mid-tool: the command ends, its result and the marker are told', async () => {
    const house = createHouse([toolUse('Bash', { command: 'sleep 30' }, 'a'), 'fine']);
    const client = house.connect();
    client.say('go');
    await client.until(() => client.of('assistant').length === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const started = Date.now();
    await client.control({ subtype: 'interrupt' });
    const result = await client.result(0);
    expect(Date.now() - started).toBeLessThan(5000);
    expect(result).toMatchObject({ terminal_reason: 'aborted_tools', num_turns: 3 });
    expect(resultsOf(client.lines)).toMatchObject([{ tool_use_id: 'a', is_error: true }]);
    expect(await client.ask('again')).toMatchObject({ result: 'fine' });
    expect(house.model.requests.flatMap(({ messages }) => faultsOf(messages))).toEqual([]);
  });

  test('right behind a message: that turn is interrupted', async () => {
    const house = createHouse([hang()]);
    const client = house.connect();
    client.say('go');
    await client.control({ subtype: 'interrupt' });
    expect(await client.result(0)).toMatchObject({ subtype: 'error_during_execution' });
  });

  test('[CTL-05] while idle: an answer and nothing else; the next turn is not touched', async () => {
    const client = createHouse(['fine']).connect();
    await client.control({ subtype: 'interrupt' });
    expect(client.lines.map(kindOf)).toEqual(['control_response']);
    expect(await client.ask('go')).toMatchObject({ subtype: 'success' });
  });
});

describe('a store that fails', () => {
  function failing(on: (append: number) => boolean): SessionStore {
    const memory = createMemoryStore();
    let count = 0;
    return {
      ...memory,
      async append(key, entries) {
        if (on(++count)) throw new HeddleError('storage_failed', 'The disk is full');
        await memory.append(key, entries);
      },
    };
  }

  test.each([
    ['the prompt', 1],
    ['an answer', 2],
    ['a result', 3],
  ])('[S-1, S-20] at %s: one error result, and the session lives', async (_what, n) => {
    const house = createHouse(
      (request) => (lastTexts(request).includes('again') ? 'fine' : toolUse('Glob', { pattern: '*' })),
      { store: failing((append) => append === n) },
    );
    const client = house.connect();
    expect(await client.ask('go')).toMatchObject({
      subtype: 'error_during_execution',
      error_code: 'storage_failed',
      errors: ['The disk is full'],
    });
    expect(await client.ask('again')).toMatchObject({ result: 'fine' });
    expect(client.results).toHaveLength(2);
    expect(house.model.requests.flatMap(({ messages }) => faultsOf(messages))).toEqual([]);
    const nodes = (await house.entries(String(client.lines.at(-1)?.session_id))).filter(({ uuid }) => uuid);
    const known = new Set([null, ...nodes.map(({ uuid }) => uuid)]);
    expect(nodes.filter(({ parentUuid }) => !known.has(parentUuid as string))).toEqual([]);
  });

  test('[S-20, K26] at a message that would join the turn: those behind it are answered', async () => {
    const house = createHouse(
      (request) => (lastTexts(request).includes('three') ? 'fine' : toolUse('Bash', { command: 'sleep 0.2' })),
      { store: failing((append) => append === 4) },
    );
    const client = house.connect();
    client.say('one');
    await client.until(() => client.of('assistant').length === 1);
    client.say('two');
    client.say('three');
    expect(await client.result(0)).toMatchObject({ error_code: 'storage_failed' });
    expect(await client.result(1)).toMatchObject({ result: 'fine' });
    expect(house.model.requests.flatMap(({ messages }) => faultsOf(messages))).toEqual([]);
  });

  test('[S-1] the reminder that could not be stored goes along with the next message', async () => {
    const house = createHouse(['fine'], { store: failing((append) => append === 1) });
    const client = house.connect();
    await client.ask('lost');
    await client.ask('again');
    expect(lastTexts(house.model.requests[0])).toEqual(['again', expect.stringContaining('<system-reminder>')]);
  });

  test('[S-21] a store that never works: every turn fails aloud', async () => {
    const client = createHouse(['never'], { store: failing(() => true) }).connect();
    for (const word of ['1', '2']) expect(await client.ask(word)).toMatchObject({ error_code: 'storage_failed' });
    expect(client.lines.map(kindOf)).toEqual(['result', 'result']);
    expect(await client.end()).toMatchObject({ code: 1 });
  });
});

describe('many sessions in one engine', () => {
  test('[L-1] turns that interleave do not mix', async () => {
    const house = createHouse((request) => {
      const words = lastTexts(request)[0] ?? '';
      return reply([text(...[...`re: ${words}`])], { deltaMs: 1 });
    });
    const clients = Array.from({ length: 6 }, () => house.connect({ includePartialMessages: true }));
    await Promise.all(clients.flatMap((client, i) => [1, 2, 3].map((turn) => client.say(`session ${i} turn ${turn}`))));
    await Promise.all(clients.map((client) => client.result(2)));
    const ids = new Set<unknown>();
    for (const [i, client] of clients.entries()) {
      const own = new Set(client.lines.map(({ session_id }) => session_id));
      expect(own.size).toBe(1);
      ids.add(client.lines[0]?.session_id);
      expect(client.results.map((result) => 'result' in result && result.result)).toEqual([
        ...[1, 2, 3].map((turn) => `re: session ${i} turn ${turn}`),
      ]);
      const stored = JSON.stringify(await house.entries(String(client.lines[0]?.session_id)));
      for (const other of clients.keys()) expect(stored.includes(`session ${other} turn`)).toBe(other === i);
    }
    expect(ids.size).toBe(6);
  });

  test('a mode, a model or a rule of one session does not reach another', async () => {
    const house = createHouse(['1', '2']);
    const [one, two] = [house.connect({ allowDangerouslySkipPermissions: true }), house.connect()];
    await one.control({ subtype: 'set_permission_mode', mode: 'bypassPermissions' });
    await one.control({ subtype: 'set_model', model: 'haiku' });
    await one.ask('go');
    await two.ask('go');
    expect(two.of('system/init')[0]).toMatchObject({ permissionMode: 'default', model: 'claude-sonnet-4-5-20250929' });
  });
});
