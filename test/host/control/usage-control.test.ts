import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { ContextUsage, SessionUsage } from '../../../src/wire/control/index.ts';
import { createHouse } from '../support.ts';

describe('get_context_usage', () => {
  const usageOf = ({ response }: JsonObject) => response as ContextUsage;
  const tokensOf = ({ categories }: ContextUsage, kind: string) =>
    categories.filter((each) => each.kind === kind).reduce((sum, { tokens }) => sum + tokens, 0);

  test('[B-160, B-080] before anything was said: what every request will hold; the categories fill the window', async () => {
    const client = createHouse([]).connect();
    const usage = usageOf(await client.control({ subtype: 'get_context_usage' }));
    expect(usage).toMatchObject({
      model: 'claude-sonnet-4-5-20250929',
      maxTokens: 200_000,
      isAutoCompactEnabled: true,
    });
    const byId = Object.fromEntries(usage.categories.map(({ id, tokens }) => [id, tokens]));
    expect(byId.system_prompt).toBeGreaterThan(100);
    expect(byId.system_tools).toBeGreaterThan(1000);
    expect(byId.messages).toBe(0);
    expect(tokensOf(usage, 'used')).toBe(usage.totalTokens);
    expect(tokensOf(usage, 'used') + tokensOf(usage, 'buffer') + tokensOf(usage, 'free')).toBe(200_000);
  });

  test('[B-160, B-244] after a turn the total is what the API has counted', async () => {
    const house = createHouse([toolUse('Bash', { command: 'echo hello' }), 'fine']);
    const client = house.connect();
    await client.ask('go');
    const usage = usageOf(await client.control({ subtype: 'get_context_usage' }));
    expect(usage.totalTokens).toBeGreaterThan(0);
    expect(usage.messageBreakdown).toMatchObject({
      toolCallsByType: [{ name: 'Bash', callTokens: expect.any(Number), resultTokens: expect.any(Number) }],
    });
    expect(usage.messageBreakdown?.userMessageTokens).toBeGreaterThan(0);
  });

  test('[B-080] a summary leaves out what has to be counted message by message', async () => {
    const client = createHouse([]).connect();
    const usage = usageOf(await client.control({ subtype: 'get_context_usage', detail: 'summary' }));
    expect(usage.messageBreakdown).toBeUndefined();
    expect(usage.categories.length).toBeGreaterThan(3);
  });
});

test('[B-167, B-090, B-244] cost and usage, in words and in numbers, with the same numbers as the result', async () => {
  const client = createHouse(['fine']).connect();
  const before = (await client.control({ subtype: 'get_usage' })).response as SessionUsage;
  expect(before.session).toMatchObject({ total_cost_usd: 0, total_api_duration_ms: 0, model_usage: {} });
  const result = await client.ask('go');
  const after = (await client.control({ subtype: 'get_usage' })).response as SessionUsage;
  expect(after).toMatchObject({ subscription_type: null, rate_limits_available: false });
  expect(after.session).toMatchObject({ total_cost_usd: result.total_cost_usd, model_usage: result.modelUsage });
  expect(after.session.total_duration_ms).toBeGreaterThanOrEqual(0);
  const { response } = await client.control({ subtype: 'get_session_cost' });
  expect((response as { text: string }).text).toContain(`$${result.total_cost_usd.toFixed(4)}`);
});
