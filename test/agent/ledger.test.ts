import { describe, expect, test } from 'vitest';
import { Ledger } from '../../src/agent/ledger.ts';
import { budgetExhausted, turnsExhausted } from '../../src/agent/limits.ts';
import { emptyTally } from '../../src/agent/turn.ts';

const SONNET = 'claude-sonnet-4-5-20250929';
const HAIKU = 'claude-haiku-4-5-20251001';

function newLedger() {
  const unknown: string[] = [];
  return { unknown, ledger: new Ledger({ onUnknownModel: (model) => unknown.push(model) }) };
}

describe('the ledger', () => {
  test('[FLD-26, FLD-41] the counters of a turn add up, missing ones count as 0', () => {
    const { ledger } = newLedger();
    ledger.add(SONNET, { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100 });
    ledger.add(SONNET, {
      input_tokens: 1,
      output_tokens: 2,
      cache_creation_input_tokens: 7,
      cache_read_input_tokens: null,
    });
    expect(ledger.turnUsage).toMatchObject({
      input_tokens: 11,
      output_tokens: 7,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 7,
    });
  });

  test('[FLD-40] what providers say beside the counts is kept: sums of counts, the newest of words', () => {
    const { ledger } = newLedger();
    const extras = {
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
      cache_creation: { ephemeral_1h_input_tokens: 3, ephemeral_5m_input_tokens: 4 },
      inference_geo: 'eu',
      iterations: [{ n: 1 }],
      speed: 'fast',
    };
    ledger.add(SONNET, { input_tokens: 1, output_tokens: 1, ...extras, service_tier: 'standard' });
    ledger.add(SONNET, { input_tokens: 1, output_tokens: 1, ...extras, service_tier: 'batch' });
    ledger.add(SONNET, { input_tokens: 1, output_tokens: 1, service_tier: null });
    expect(ledger.turnUsage).toMatchObject({
      server_tool_use: { web_search_requests: 4, web_fetch_requests: 2 },
      cache_creation: { ephemeral_1h_input_tokens: 6, ephemeral_5m_input_tokens: 8 },
      inference_geo: 'eu',
      iterations: [{ n: 1 }],
      speed: 'fast',
      service_tier: 'batch',
    });
  });

  test('[FLD-25, FLD-27, FLD-42] models are booked apart, with what each costs and can hold', () => {
    const { ledger } = newLedger();
    ledger.add(SONNET, { input_tokens: 1_000_000, output_tokens: 0, server_tool_use: { web_search_requests: 3 } });
    ledger.add(HAIKU, { input_tokens: 0, output_tokens: 1_000_000 });
    ledger.add(HAIKU, {
      input_tokens: 5,
      output_tokens: 0,
      cache_read_input_tokens: 6,
      cache_creation_input_tokens: 7,
    });
    const { [SONNET]: sonnet, [HAIKU]: haiku, ...rest } = ledger.modelUsage;
    expect(rest).toEqual({});
    expect(sonnet).toMatchObject({ inputTokens: 1_000_000, webSearchRequests: 3, contextWindow: 200_000 });
    expect(haiku).toMatchObject({
      inputTokens: 5,
      outputTokens: 1_000_000,
      cacheReadInputTokens: 6,
      cacheCreationInputTokens: 7,
    });
    expect(sonnet?.costUSD).toBeGreaterThan(0);
    expect(ledger.costUsd).toBeCloseTo((sonnet?.costUSD ?? 0) + (haiku?.costUSD ?? 0), 12);
  });

  test('[B-157] a model has what the provider tells of its tokens, who that was, and where its price comes from', () => {
    const { ledger } = newLedger();
    const usage = { input_tokens: 1, output_tokens: 50 };
    const cache_creation = { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 2 };
    ledger
      .child()
      .add(SONNET, { ...usage, output_tokens_details: { thinking_tokens: 30 }, cache_creation }, 'anthropic');
    ledger.addSideQuestion(SONNET, { ...usage, output_tokens_details: { thinking_tokens: 5 } }, 'anthropic');
    ledger.add('home-made', usage, 'openai');
    expect(ledger.modelUsage[SONNET]).toMatchObject({
      thinkingTokens: 35,
      cacheCreationEphemeral5mInputTokens: 7,
      cacheCreationEphemeral1hInputTokens: 2,
      canonicalModel: 'claude-sonnet-4-5',
      provider: 'firstParty',
      costBasis: 'list',
    });
    const other = ledger.modelUsage['home-made'];
    expect(other).toMatchObject({ provider: 'openai', costBasis: 'unknown' });
    for (const unknown of ['thinkingTokens', 'cacheCreationEphemeral5mInputTokens', 'canonicalModel']) {
      expect(other).not.toHaveProperty(unknown);
    }
  });

  test('[B-041] a new turn counts from 0; models, cost and time go on', () => {
    const { ledger } = newLedger();
    ledger.add(SONNET, { input_tokens: 10, output_tokens: 5 });
    ledger.addApiTime(40);
    const spent = ledger.costUsd;
    ledger.beginTurn();
    expect(ledger.turnUsage.input_tokens).toBe(0);
    ledger.add(SONNET, { input_tokens: 1, output_tokens: 5 });
    ledger.addApiTime(2);
    expect(ledger.turnUsage.input_tokens).toBe(1);
    expect(ledger.modelUsage[SONNET]?.inputTokens).toBe(11);
    expect(ledger.costUsd).toBeGreaterThan(spent);
    expect(ledger.apiMs).toBe(42);
  });

  test('[P4] a model without a price costs 0, and that is said once', () => {
    const { ledger, unknown } = newLedger();
    ledger.add('home-made', { input_tokens: 1_000_000, output_tokens: 5 });
    ledger.beginTurn();
    ledger.add('home-made', { input_tokens: 1, output_tokens: 5 });
    expect(unknown).toEqual(['home-made']);
    expect(ledger.costUsd).toBe(0);
    expect(ledger.modelUsage['home-made']).toMatchObject({ inputTokens: 1_000_001, costUSD: 0 });
  });

  test('a model without a price is told once, whoever of the agents uses it first', () => {
    const { ledger, unknown } = newLedger();
    const agent = ledger.child();
    agent.child().add('home-made', { input_tokens: 1, output_tokens: 1 });
    agent.add('home-made', { input_tokens: 1, output_tokens: 1 });
    ledger.add('home-made', { input_tokens: 1, output_tokens: 1 });
    expect(unknown).toEqual(['home-made']);
  });

  test('what it hands out cannot change what it holds', () => {
    const { ledger } = newLedger();
    ledger.add(SONNET, { input_tokens: 10, output_tokens: 5 });
    const copy = ledger.modelUsage[SONNET];
    if (copy) copy.inputTokens = 0;
    expect(ledger.modelUsage[SONNET]?.inputTokens).toBe(10);
  });
});

describe('limits', () => {
  test('[LOOP-08] turns are used up at the cap, not before, and never without one', () => {
    const reached = (rounds: number, maxTurns?: number) =>
      turnsExhausted(maxTurns === undefined ? {} : { maxTurns }, { ...emptyTally(), rounds });
    expect([reached(0, 1), reached(1, 1), reached(2, 1), reached(1_000_000)]).toEqual([false, true, true, false]);
  });

  test('[LOOP-09] the budget is used up when the cost reaches it', () => {
    const reached = (spent: number, maxBudgetUsd?: number) =>
      budgetExhausted(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }, spent);
    expect([reached(0.99, 1), reached(1, 1), reached(1.01, 1), reached(1e9)]).toEqual([false, true, true, false]);
  });
});
