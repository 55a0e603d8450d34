import { expect, test } from 'vitest';
import { askCatalog } from '../../../src/model/openai/server-catalog.ts';
import type { JsonObject } from '../../../src/util/json.ts';

const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };

/** Answers by path; any other path is 404. */
function asking(name: string, baseUrl: string, model: string, answers: Record<string, JsonObject | string>) {
  const asked: string[] = [];
  const row = askCatalog({
    server: { name, baseUrl },
    model,
    headers: {},
    async ask({ url }) {
      asked.push(url.href);
      const answer = answers[url.pathname];
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer ?? {});
      return { status: answer === undefined ? 404 : 200, text };
    },
  });
  return { row, asked };
}

test('OpenRouter tells window, limit and prices per token', async () => {
  const pricing = {
    prompt: '0.000003',
    completion: '0.000015',
    input_cache_read: '0.0000003',
    input_cache_write: '0.00000375',
  };
  const told = {
    id: 'anthropic/claude-sonnet-4.5',
    context_length: 1_000_000,
    pricing,
    top_provider: { max_completion_tokens: 64_000 },
  };
  const { row, asked } = asking('openrouter', 'https://openrouter.ai/api/v1', told.id, {
    '/api/v1/models': { data: [{ id: 'x' }, told] },
  });
  expect(await row).toEqual({
    contextWindow: 1_000_000,
    maxOutputTokens: 64_000,
    price: { input: 3, output: 15, cacheRead: expect.closeTo(0.3), cacheWrite5m: 3.75, cacheWrite1h: 3.75 },
  });
  expect(asked).toEqual(['https://openrouter.ai/api/v1/models']);
});

test('Gemini tells window and limit at Google’s own API, with the key in a header', async () => {
  const asked: unknown[] = [];
  const row = await askCatalog({
    server: { name: 'gemini', baseUrl: 'https://g.example/v1beta/openai/' },
    model: 'gemini-3-pro-preview',
    headers: { authorization: 'Bearer gemini-key-1' },
    async ask({ url, headers }) {
      asked.push([url.href, headers]);
      return { status: 200, text: JSON.stringify({ inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 }) };
    },
  });
  expect(row).toEqual({ contextWindow: 1_048_576, maxOutputTokens: 65_536 });
  expect(asked).toEqual([
    [
      'https://g.example/v1beta/models/gemini-3-pro-preview',
      { accept: 'application/json', 'x-goog-api-key': 'gemini-key-1' },
    ],
  ]);
});

test('a price that varies is none', async () => {
  const row = { id: 'openrouter/auto', context_length: 2000, pricing: { prompt: '-1', completion: '-1' } };
  expect(await asking('openrouter', 'http://h/v1', row.id, { '/v1/models': { data: [row] } }).row).toEqual({
    contextWindow: 2000,
  });
});

test.each<[string, string, string, JsonObject, number]>([
  ['ollama', 'qwen3', '/api/ps', { models: [{ name: 'qwen3:latest', context_length: 4096 }] }, 4096],
  [
    'lmstudio',
    'qwen3',
    '/api/v0/models',
    { data: [{ id: 'qwen3', loaded_context_length: 8192, max_context_length: 40_960 }] },
    8192,
  ],
  ['lmstudio', 'idle', '/api/v0/models', { data: [{ id: 'idle', max_context_length: 40_960 }] }, 40_960],
  ['llamacpp', 'any', '/props', { default_generation_settings: { n_ctx: 65_536 } }, 65_536],
  ['vllm', 'q', '/v1/models', { data: [{ id: 'q', max_model_len: 32_768 }] }, 32_768],
])('%s tells the window of %s at %s, for nothing', async (name, model, path, answer, contextWindow) => {
  const { row, asked } = asking(name, 'http://127.0.0.1:9/v1', model, { [path]: answer });
  expect(await row).toEqual({ contextWindow, price: FREE });
  expect(asked).toEqual([`http://127.0.0.1:9${path}`]);
});

test.each([
  ['another model', { data: [{ id: 'other', max_model_len: 5 }] }],
  ['nonsense', '<html>'],
  ['a window that is no number', { data: [{ id: 'q', max_model_len: '5' }] }],
])('%s is no window', async (_, answer) => {
  expect(
    (await asking('vllm', 'http://127.0.0.1:9/v1', 'q', { '/v1/models': answer }).row)?.contextWindow,
  ).toBeUndefined();
});

test('a server that is not there tells nothing', async () => {
  const ask = async () => {
    throw new Error('ECONNREFUSED');
  };
  expect(
    await askCatalog({ server: { name: 'vllm', baseUrl: 'http://127.0.0.1:9/v1' }, model: 'q', headers: {}, ask }),
  ).toBeNull();
});
