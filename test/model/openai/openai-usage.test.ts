import { describe, expect, it } from 'vitest';
import { call, chunk, counts, done, said, stop, stream, summaryOf } from '../openai-chunks.ts';

describe('usage', () => {
  const cached = { ...counts, prompt_tokens_details: { cached_tokens: 40 } };
  it.each<[string, string[], [input: number, cached: number, output: number]]>([
    ['in a chunk of its own', [stop, chunk({ choices: [], usage: counts })], [50, 0, 9]],
    ['before the finish reason', [chunk({ choices: [], usage: counts }), stop], [50, 0, 9]],
    [
      'beside the finish reason',
      [chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: counts })],
      [50, 0, 9],
    ],
    [
      'in the choice (Moonshot)',
      [chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: { ...counts, cached_tokens: 30 } }] })],
      [20, 30, 9],
    ],
    [
      'under x_groq',
      [chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], x_groq: { usage: counts } })],
      [50, 0, 9],
    ],
    ['with tokens from the cache', [stop, chunk({ choices: [], usage: cached })], [10, 40, 9]],
    [
      'with everything from the cache',
      [stop, chunk({ choices: [], usage: { ...counts, prompt_tokens_details: { cached_tokens: 50 } } })],
      [0, 50, 9],
    ],
    [
      'with DeepSeek’s name for the cache',
      [stop, chunk({ choices: [], usage: { ...counts, prompt_cache_hit_tokens: 5 } })],
      [45, 5, 9],
    ],
    [
      'in every chunk, growing (vLLM)',
      [
        chunk({ choices: [{ index: 0, delta: {} }], usage: { prompt_tokens: 50, completion_tokens: 1 } }),
        chunk({
          choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
          usage: { prompt_tokens: 50, completion_tokens: 8 },
        }),
        chunk({ choices: [], usage: counts }),
      ],
      [50, 0, 9],
    ],
  ])('is read %s', async (_, parts, [input, fromCache, output]) => {
    expect(summaryOf(await call(stream(said('good'), ...parts, done))).usage).toEqual({
      input_tokens: input,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: fromCache,
      output_tokens: output,
    });
  });

  it.each([
    ['never told', stop],
    ['told as null', chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null })],
    ['told as zeros', stop + chunk({ choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } })],
  ])('is estimated when it is %s', async (_, last) => {
    const { usage } = summaryOf(await call(stream(said('x'.repeat(400)), last, done)));
    expect(usage).toMatchObject({ output_tokens: 100, cache_read_input_tokens: 0 });
    expect(usage.input_tokens).toBeGreaterThan(20);
    expect(usage.input_tokens).toBeLessThan(200);
  });
});
