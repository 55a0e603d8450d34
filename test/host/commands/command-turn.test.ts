import { describe, expect, test } from 'vitest';
import { fail, reply, text, thinking, toolUse } from '../../../src/testing/script.ts';
import { faultsOf } from '../../agent/support.ts';
import { type Client, createHouse, kindOf, lastTexts } from '../support.ts';

const MODEL = 'claude-sonnet-4-5-20250929';

/** What commands said, in order. */
const outputs = (client: Client) => {
  return client
    .of('user')
    .map(({ message }) => (message as { content: unknown }).content)
    .filter((content) => typeof content === 'string' && content.startsWith('<local-command-'));
};

describe('a turn that is a command', () => {
  test('[SEQ-01, MSG-12] has init, output and result, and calls no model', async () => {
    const house = createHouse([]);
    const client = house.connect();
    const result = await client.ask('/cost');
    expect(client.lines.map(kindOf)).toEqual(['system/init', 'user', 'result']);
    expect(client.of('user')[0]).toMatchObject({ isReplay: true, message: { role: 'user' } });
    expect(outputs(client)[0]).toMatch(/^<local-command-stdout>Total cost[\s\S]*<\/local-command-stdout>$/);
    const told = expect.stringMatching(/^Total cost/);
    expect(result).toMatchObject({ subtype: 'success', is_error: false, result: told, num_turns: 3 });
    expect(house.model.requests).toEqual([]);
  });

  test('is part of the conversation afterwards, and a resume sends the same', async () => {
    const house = createHouse(['one', 'two']);
    const client = house.connect();
    await client.ask('/cost');
    const { session_id } = await client.ask('hi');
    expect(faultsOf(house.model.requests[0]?.messages)).toEqual([]);
    const texts = lastTexts(house.model.requests[0]);
    expect(texts[1]).toContain('<command-name>/cost</command-name>');
    expect(texts).toContain('hi');
    await client.end();
    await house.connect({ resume: session_id }).ask('go on');
    const [live, resumed] = house.model.requests.map(({ messages }) => messages);
    expect(resumed?.[0]?.content).toEqual(live?.[0]?.content);
  });

  test('[S-5] an unknown one is said to be unknown, and what was asked is on disk', async () => {
    const house = createHouse([]);
    const client = house.connect();
    const result = await client.ask('/frobnicate now');
    expect(client.lines.map(kindOf)).toEqual(['system/init', 'result']);
    expect(result).toMatchObject({ subtype: 'success', result: 'Unknown skill: frobnicate' });
    expect(JSON.stringify(await house.entries(result.session_id))).toContain('/frobnicate now');
  });

  test('--disable-slash-commands takes them as text', async () => {
    const house = createHouse(['fine']);
    await house.connect({ disableSlashCommands: true }).ask('/cost');
    expect(lastTexts(house.model.requests[0])[0]).toBe('/cost');
  });

  test('[K26] sent during a turn, it waits for its own', async () => {
    const house = createHouse([toolUse('Glob', { pattern: '*' }), 'done']);
    const client = house.connect();
    client.say('go');
    client.say('/cost');
    await client.result(1);
    expect(client.results.map(({ result }) => result)).toEqual(['done', expect.stringMatching(/^Total cost/)]);
    expect(JSON.stringify(house.model.requests[1]?.messages)).not.toContain('/cost');
  });

  test('/model holds from the next turn on', async () => {
    const house = createHouse(() => 'fine');
    const client = house.connect();
    await client.ask('/model opus');
    await client.ask('hi');
    expect(house.model.requests[0]?.model).toBe('claude-opus-4-6');
    expect(client.of('system/init').map(({ model }) => model)).toEqual(['claude-opus-4-6', 'claude-opus-4-6']);
    await client.ask('/model default');
    expect(client.of('system/init').at(-1)?.model).toBe(MODEL);
  });
});

describe('/clear', () => {
  test('begins a conversation without what came before', async () => {
    const house = createHouse(['one', 'two']);
    const client = house.connect();
    await client.ask('the old prompt');
    await client.ask('/clear');
    await client.ask('the new prompt');
    const sent = JSON.stringify(house.model.requests[1]?.messages);
    expect(sent).not.toContain('the old prompt');
    expect(sent).toContain('the new prompt');
    expect(sent).toContain('Working directory:');
    expect(faultsOf(house.model.requests[1]?.messages)).toEqual([]);
  });

  test('a resume right after it does not bring the old one back; the file still has it', async () => {
    const house = createHouse(['one', 'two']);
    const client = house.connect();
    await client.ask('the old prompt');
    const { session_id } = await client.ask('/clear');
    await client.end();
    await house.connect({ resume: session_id }).ask('the new prompt');
    expect(JSON.stringify(house.model.requests[1]?.messages)).not.toContain('the old prompt');
    expect(JSON.stringify(await house.entries(session_id))).toContain('the old prompt');
  });
});

describe('/compact', () => {
  const summary = '<summary>They met.</summary>';

  test('[MSG-03, MSG-04, FLD-32] tells its steps, and the next request begins with the summary', async () => {
    const house = createHouse(['one', summary, 'two']);
    const client = house.connect();
    await client.ask('hi');
    const from = client.lines.length;
    await client.ask('/compact');
    expect(client.lines.slice(from).map(kindOf)).toEqual([
      ...['system/status', 'system/status', 'system/init', 'system/compact_boundary', 'user', 'user', 'result'],
    ]);
    expect(client.of('system/compact_boundary')[0]).toMatchObject({ compact_metadata: { trigger: 'manual' } });
    expect(outputs(client)).toEqual(['<local-command-stdout>Compacted.</local-command-stdout>']);
    await client.ask('and now?');
    const texts = lastTexts(house.model.requests[2]);
    expect(texts[0]).toContain('They met.');
    expect(texts.at(-2)).toBe('and now?');
    expect(texts.at(-1)).toContain('Working directory:');
    expect(faultsOf(house.model.requests[2]?.messages)).toEqual([]);
  });

  test('a resume goes on from the summary, with the same messages', async () => {
    const house = createHouse(['one', summary, 'two', 'three']);
    const client = house.connect();
    await client.ask('hi');
    await client.ask('/compact');
    const { session_id } = await client.ask('and now?');
    await client.end();
    await house.connect({ resume: session_id }).ask('go on');
    const [, , live, resumed] = house.model.requests.map(({ messages }) => messages);
    expect(resumed?.slice(0, 1)).toEqual(live);
  });

  test('passes on what the user wants to be kept', async () => {
    const house = createHouse(['one', summary]);
    const client = house.connect();
    await client.ask('hi');
    await client.ask('/compact the port number');
    expect(lastTexts(house.model.requests[1]).at(-1)).toContain('The user adds: the port number');
  });

  test('with nothing to sum up it says so, and calls no model', async () => {
    const house = createHouse([]);
    const client = house.connect();
    expect(await client.ask('/compact')).toMatchObject({ subtype: 'success', is_error: false });
    expect(client.lines.map(kindOf)).toEqual(['system/init', 'user', 'result']);
    expect(outputs(client)).toEqual(['<local-command-stderr>Error: No messages to compact</local-command-stderr>']);
    expect(house.model.requests).toEqual([]);
  });

  test('when it fails it says why, and the conversation goes on as it was', async () => {
    const house = createHouse(['one', fail(500, 'api_error', 'out of order'), 'two']);
    const client = house.connect();
    await client.ask('hi');
    await client.ask('/compact');
    expect(outputs(client)[0]).toMatch(/^<local-command-stderr>Error: .*out of order/);
    await client.ask('go on');
    expect(JSON.stringify(house.model.requests[2]?.messages)).toContain('one');
  });

  test('is paid for: cost, time and the cost entry count it', async () => {
    const usage = { input_tokens: 100_000 };
    const house = createHouse([reply([thinking('Hm.'), text('one')]), reply([text(summary)], { usage })]);
    const client = house.connect();
    const before = await client.ask('hi');
    const after = await client.ask('/compact');
    expect(after.total_cost_usd - before.total_cost_usd).toBeGreaterThan(0.3);
    expect(after.usage.input_tokens).toBe(0);
    const costs = (await house.entries(after.session_id)).filter(({ type }) => type === 'cost-state');
    expect(costs.at(-1)).toMatchObject({ totalCostUSD: after.total_cost_usd });
  });
});
