import { describe, expect, it } from 'vitest';
import { costOf, isKnownModel, modelLimits } from '../../src/model/pricing.ts';

const usage = { input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 7 };
const million = { input_tokens: 1_000_000, output_tokens: 0 };

describe('costOf', () => {
  it.each([
    ['claude-sonnet-4-6', 0.000165],
    ['claude-sonnet-4-5-20250929', 0.000165],
    ['claude-opus-4-6', 0.000275],
    ['claude-opus-4-1-20250805', 0.000825],
    ['claude-haiku-4-5-20251001', 0.000055],
    ['claude-opus-5-5', 0.0002],
    ['claude-sonnet-5-5', 0.0001],
    ['claude-haiku-5-5', 0.0000055],
  ])('uses the list price of %s', (model, cost) => {
    expect(costOf(model, usage)).toBeCloseTo(cost, 10);
  });

  it('tells the two lifetimes of cache writes apart', () => {
    const written = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 1000 };
    expect(costOf('claude-opus-4-6', written)).toBeCloseTo(0.00625, 10);
    const split = { ...written, cache_creation: { ephemeral_1h_input_tokens: 400, ephemeral_5m_input_tokens: 600 } };
    expect(costOf('claude-opus-4-6', split)).toBeCloseTo(0.6 * 0.00625 + 0.4 * 0.01, 10);
  });

  it('charges more for prompts beyond the long-prompt mark', () => {
    expect(costOf('claude-haiku-5-5', million)).toBeCloseTo(0.5, 10);
    expect(costOf('claude-haiku-5-5', { ...million, input_tokens: 100_000 })).toBeCloseTo(0.01, 10);
    expect(costOf('claude-sonnet-4-5', million)).toBeCloseTo(6, 10);
    expect(costOf('claude-sonnet-4-6', million)).toBeCloseTo(3, 10);
  });

  it('adds web searches', () => {
    const searched = { input_tokens: 0, output_tokens: 0, server_tool_use: { web_search_requests: 3 } };
    expect(costOf('claude-opus-4-6', searched)).toBeCloseTo(0.03, 10);
  });

  it('costs nothing for models it does not know', () => {
    expect(costOf('bogus-1', million)).toBe(0);
    expect(isKnownModel('bogus-1')).toBe(false);
    expect(isKnownModel('claude-opus-55')).toBe(false);
    expect(isKnownModel('offline')).toBe(true);
  });
});

describe('modelLimits', () => {
  it.each([
    ['claude-sonnet-4-5-20250929', 200_000, 64_000],
    ['claude-opus-4-6', 1_000_000, 128_000],
    ['claude-opus-4-20250514', 200_000, 32_000],
    ['claude-3-5-haiku-20241022', 200_000, 8192],
    ['bogus-1', 200_000, 32_000],
  ])('%s', (model, contextWindow, maxOutputTokens) => {
    expect(modelLimits(model)).toEqual({ contextWindow, maxOutputTokens });
  });
});
