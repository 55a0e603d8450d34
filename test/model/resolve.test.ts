import { describe, expect, it } from 'vitest';
import { missingCredentials, resolveModel } from '../../src/model/resolve.ts';

describe('resolveModel', () => {
  it.each([
    [undefined, {}, 'claude-sonnet-4-5-20250929'],
    ['default', {}, 'claude-sonnet-4-5-20250929'],
    ['sonnet', {}, 'claude-sonnet-4-5-20250929'],
    ['OPUS', {}, 'claude-opus-4-6'],
    ['haiku', {}, 'claude-haiku-4-5-20251001'],
    ['claude-x', {}, 'claude-x'],
    ['Some/Model', {}, 'Some/Model'],
    [undefined, { ANTHROPIC_MODEL: 'claude-x' }, 'claude-x'],
    [undefined, { ANTHROPIC_MODEL: 'opus' }, 'claude-opus-4-6'],
    [undefined, { ANTHROPIC_MODEL: 'default' }, 'claude-sonnet-4-5-20250929'],
    ['sonnet', { ANTHROPIC_MODEL: 'claude-x' }, 'claude-sonnet-4-5-20250929'],
    ['sonnet', { ANTHROPIC_DEFAULT_SONNET_MODEL: 's' }, 's'],
    ['opus', { ANTHROPIC_DEFAULT_OPUS_MODEL: 'o' }, 'o'],
    ['haiku', { ANTHROPIC_DEFAULT_HAIKU_MODEL: 'h', ANTHROPIC_SMALL_FAST_MODEL: 'f' }, 'h'],
    ['haiku', { ANTHROPIC_SMALL_FAST_MODEL: 'f' }, 'f'],
  ])('[P4] finds %s with %j to be %s', (name, env, id) => {
    expect(resolveModel(name, env)).toMatchObject({ provider: 'anthropic', id, betas: [] });
  });

  it('takes [1m] as a wish for the long window', () => {
    expect(resolveModel('sonnet[1m]', {})).toMatchObject({
      id: 'claude-sonnet-4-5-20250929',
      betas: ['context-1m-2025-08-07'],
      contextWindow: 1_000_000,
    });
    expect(resolveModel(undefined, { ANTHROPIC_MODEL: 'opus[1m]' })).toMatchObject({
      id: 'claude-opus-4-6',
      betas: [],
    });
  });

  it('[P4] knows the offline model, also where other providers are set', () => {
    expect(resolveModel('offline', { CLAUDE_CODE_USE_BEDROCK: '1' })).toMatchObject({
      provider: 'offline',
      id: 'offline',
    });
  });

  it.each([
    ['openai/qwen3:8b', {}, 'openai/qwen3:8b'],
    ['OpenAI/Org/Model', {}, 'openai/Org/Model'],
    ['openai/x', { CLAUDE_CODE_USE_BEDROCK: '1' }, 'openai/x'],
    [undefined, { ANTHROPIC_MODEL: 'openai/x' }, 'openai/x'],
    ['haiku', { ANTHROPIC_DEFAULT_HAIKU_MODEL: 'openai/small' }, 'openai/small'],
  ])('[P4] finds %s with %j on an OpenAI-compatible server', (name, env, id) => {
    expect(resolveModel(name, env)).toEqual({
      provider: 'openai',
      id,
      betas: [],
      contextWindow: 128_000,
      maxOutputTokens: 8_000,
      isWindowGuessed: true,
    });
  });

  it.each([
    ['fast', 'openai/qwen'],
    ['FAST', 'openai/qwen'],
    ['sonnet', 'claude-sonnet-5-5'],
    ['opus', 'claude-opus-4-6'],
    ['inherit', 'claude-sonnet-5-5'],
  ])('takes %s as the user calls it', (name, id) => {
    const env = {
      HEDDLE_MODEL_ALIASES: '{"fast":"openai/qwen","sonnet":"claude-sonnet-5-5"}',
      ANTHROPIC_DEFAULT_SONNET_MODEL: 'claude-older',
    };
    expect(resolveModel(name, env).id).toBe(id);
  });

  it.each([
    [{ HEDDLE_MODEL_ALIASES: '{"fast":5}' }, /HEDDLE_MODEL_ALIASES.*fast must be the name of a model/],
    [{ HEDDLE_MODEL_LIMITS: '[' }, /HEDDLE_MODEL_LIMITS.*JSON object/],
    [{ HEDDLE_MODEL_LIMITS: '{"openai/x":{"contextWindow":-1}}' }, /contextWindow of openai\/x/],
  ])('refuses %j with what is wrong', (env, message) => {
    const name = 'HEDDLE_MODEL_ALIASES' in env ? 'fast' : 'openai/x';
    expect(() => resolveModel(name, env)).toThrow(message);
  });

  it('refuses openai/ without a name', () => {
    expect(() => resolveModel('openai/', {})).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });

  it.each([
    ['openai/x', { HEDDLE_CONTEXT_WINDOW: '32768', HEDDLE_MAX_OUTPUT_TOKENS: '4096' }, [32_768, 4096, false]],
    ['openai/x', { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '2000' }, [128_000, 2000, true]],
    ['openai/x', { HEDDLE_CONTEXT_WINDOW: 'many' }, [128_000, 8000, true]],
    ['openai/x[1m]', {}, [1_000_000, 8000, false]],
    ['claude-unheard-of', { HEDDLE_CONTEXT_WINDOW: '300000' }, [300_000, 32_000, false]],
    ['claude-unheard-of', {}, [200_000, 32_000, true]],
    ['sonnet', { HEDDLE_CONTEXT_WINDOW: '5', CLAUDE_CODE_MAX_OUTPUT_TOKENS: '5' }, [200_000, 64_000, false]],
    ['offline', {}, [200_000, 32_000, false]],
    ['sonnet', { HEDDLE_MODEL_LIMITS: '{"claude-sonnet-4-5-20250929":{"contextWindow":9}}' }, [9, 64_000, false]],
    ['openai/x', { HEDDLE_MODEL_LIMITS: '{"openai/x":{"contextWindow":9,"maxOutputTokens":5}}' }, [9, 5, false]],
    ['openai/x', { HEDDLE_MODEL_LIMITS: '{"openai/y":{"contextWindow":9}}' }, [128_000, 8000, true]],
  ])('takes the limits of %s with %j as %j', (name, env, limits) => {
    const { contextWindow, maxOutputTokens, isWindowGuessed } = resolveModel(name, env);
    expect([contextWindow, maxOutputTokens, isWindowGuessed]).toEqual(limits);
  });

  it.each([['replay:file', {}, /replay:file/]])('[P4] refuses %s with %j, saying why', (name, env, message) => {
    expect(() => resolveModel(name, env)).toThrow(
      expect.objectContaining({ code: 'not_supported', message: expect.stringMatching(message) }),
    );
  });

  it('takes CLAUDE_CODE_USE_BEDROCK=0 as not set', () => {
    expect(resolveModel('sonnet', { CLAUDE_CODE_USE_BEDROCK: '0' }).provider).toBe('anthropic');
  });
});

describe('missingCredentials', () => {
  it('[P4] names the choices', () => {
    const error = missingCredentials({ ANTHROPIC_API_KEY: ' ' });
    expect(error?.code).toBe('no_credentials');
    for (const choice of [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_BASE_URL',
      'openai/',
      'offline',
      'replay:',
    ]) {
      expect(error?.message).toContain(choice);
    }
  });

  it('is content with a key or a token', () => {
    expect(missingCredentials({ ANTHROPIC_API_KEY: 'k' })).toBeUndefined();
    expect(missingCredentials({ ANTHROPIC_AUTH_TOKEN: 't' })).toBeUndefined();
  });
});
