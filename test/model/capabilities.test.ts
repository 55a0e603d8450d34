import { describe, expect, test } from 'vitest';
import { pacesItsThinking } from '../../src/model/capabilities.ts';

describe('[K9, TYP-17] models that pace their thinking themselves', () => {
  test.each([
    'claude-opus-4-6',
    'claude-opus-4-6-20260205',
    'claude-sonnet-4-6',
    'claude-opus-4-10',
    'claude-opus-5-5',
    'claude-sonnet-5',
    'claude-sonnet-5-20260601',
  ])('%s does', (model) => {
    expect(pacesItsThinking(model)).toBe(true);
  });

  test.each([
    'claude-sonnet-4-5-20250929',
    'claude-opus-4-5',
    'claude-opus-4-20250514',
    'claude-sonnet-4-0',
    'claude-3-7-sonnet-20250219',
    'claude-3-5-haiku-20241022',
    'offline',
    'openai/claude-opus-4-6',
    'some-model-9',
    '',
  ])('%j does not', (model) => {
    expect(pacesItsThinking(model)).toBe(false);
  });
});
