import { afterEach, describe, expect, it } from 'vitest';
import { eachEvent } from '../../../src/model/each-event.ts';
import { withRetry } from '../../../src/model/http/retry.ts';
import type { FailureClass, Model, ModelEvent, ModelRequest } from '../../../src/model/model.ts';
import { missingOpenAiKey, openAiSettings } from '../../../src/model/openai/openai-env.ts';
import {
  type AnswerLike,
  blocksOf,
  collectEvents,
  type FakeApi,
  fail,
  hang,
  raw,
  sampleRequest,
  startFakeOpenAi,
  thinking,
  toolUse,
} from '../../../src/testing/index.ts';
import type { Script } from '../../../src/testing/script.ts';
import { failureOf, openAi, runtime, typesOf } from '../support.ts';

const apis: FakeApi[] = [];
afterEach(async () => {
  await Promise.all(apis.splice(0).map((api) => api.close()));
});

async function start(script: Script<never>): Promise<FakeApi> {
  const api = await startFakeOpenAi(script as Script<unknown>);
  apis.push(api);
  return api;
}

async function ask(model: Model, request: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  const stream = model.stream({ ...sampleRequest(), ...request }, new AbortController().signal);
  for await (const event of eachEvent(stream)) events.push(event);
  return events;
}

const refusal = (message: string) => fail(400, 'invalid_request_error', message);
const wantsOther = refusal("'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.");

describe('requests', () => {
  it('[P9] go to /chat/completions with our own headers and no others', async () => {
    const api = await start(['Hello']);
    await collectEvents(openAi(`${api.url}/`));
    const [request] = api.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/v1/chat/completions' });
    const { host, connection, 'content-length': length, ...headers } = request?.headers ?? {};
    expect(headers).toEqual({
      accept: 'text/event-stream',
      'content-type': 'application/json',
      authorization: 'Bearer sk-test-key',
      'user-agent': 'heddle/0.0.0',
    });
  });

  it('need no key, keep the query of the base URL, and carry custom headers', async () => {
    const api = await start(['Hello']);
    const settings = openAiSettings({
      OPENAI_BASE_URL: `${api.url}?api-version=1`,
      OPENAI_CUSTOM_HEADERS: 'X-Title: mine',
      API_TIMEOUT_MS: '1234',
    });
    expect(settings.timeoutMs).toBe(1234);
    await collectEvents(openAi('', { ...settings, apiKey: undefined }));
    expect(api.requests[0]).toMatchObject({
      url: '/v1/chat/completions?api-version=1',
      headers: { 'x-title': 'mine' },
    });
    expect(api.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('ask for the credential each time', async () => {
    const api = await start(['one', 'two']);
    let asked = 0;
    const model = openAi(api.url, { credential: async () => ({ apiKey: `key-${++asked}\n` }) });
    await collectEvents(model);
    await collectEvents(model);
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer key-1', 'Bearer key-2']);
  });

  it('share a kept connection', async () => {
    const api = await start(['one', wantsOther, 'three']);
    const model = openAi(api.url);
    for (let call = 0; call < 2; call++) await collectEvents(model);
    expect(new Set(api.requests.map(({ connection }) => connection)).size).toBe(1);
  });

  it('refuse a base URL that is none', () => {
    expect(() => openAi('not a url')).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });

  it('[M-14] do not follow a redirect to another origin with the key', async () => {
    const thief = await start(['stolen']);
    const api = await start([raw('', { status: 307, headers: { location: `${thief.url}/chat/completions` } })]);
    expect(failureOf(await collectEvents(openAi(api.url)))?.class).toBe('invalid_request');
    expect(thief.requests).toEqual([]);
  });
});

describe('servers that want it otherwise', () => {
  it('[M-4] are asked again once, and remembered by model', async () => {
    const api = await start([wantsOther, 'one', 'two', 'three']);
    const model = openAi(api.url);
    const events = await ask(model, { model: 'openai/a' });
    expect(typesOf(events).filter((type) => type === 'response' || type === 'failure')).toEqual(['response']);
    await ask(model, { model: 'openai/a' });
    await ask(model, { model: 'openai/b' });
    expect(
      api.requests.map(({ body: { max_tokens, max_completion_tokens } }) => [max_tokens, max_completion_tokens]),
    ).toEqual([
      [1000, undefined],
      [undefined, 1000],
      [undefined, 1000],
      [1000, undefined],
    ]);
  });

  it('[M-4] are not asked for ever', async () => {
    const api = await start([wantsOther, wantsOther, wantsOther]);
    expect(failureOf(await collectEvents(openAi(api.url)))?.class).toBe('invalid_request');
    expect(api.requests.length).toBe(2);
  });

  it('may want several things', async () => {
    const api = await start([wantsOther, refusal('unknown field stream_options'), 'Hello']);
    expect(blocksOf(await collectEvents(openAi(api.url)))).toEqual([{ type: 'text', text: 'Hello' }]);
    expect(api.requests[2]?.body).toMatchObject({ max_completion_tokens: 1000 });
    expect(api.requests[2]?.body).not.toHaveProperty('stream_options');
  });

  it('get their own thoughts back when they insist (Moonshot)', async () => {
    const api = await start([
      [thinking('look first'), toolUse('Bash', { command: 'ls' }, 'functions.Bash:0')],
      refusal('thinking is enabled but reasoning_content is missing in assistant tool call message at index 2'),
      'Done',
    ]);
    const model = openAi(api.url);
    const content = blocksOf(await ask(model));
    const messages = [
      ...sampleRequest().messages,
      { role: 'assistant' as const, content },
      { role: 'user' as const, content: [{ type: 'tool_result' as const, tool_use_id: 'functions.Bash:0' }] },
    ];
    expect(blocksOf(await ask(model, { messages }))).toEqual([{ type: 'text', text: 'Done' }]);
    expect(api.requests[1]?.text).not.toContain('look first');
    expect(api.requests[2]?.body.messages).toMatchObject([
      { role: 'system' },
      { role: 'user' },
      { role: 'assistant', reasoning_content: 'look first', tool_calls: [{ id: 'functions.Bash:0' }] },
      { role: 'tool', tool_call_id: 'functions.Bash:0' },
    ]);
  });
});

describe('errors', () => {
  const error = (status: number, body: object) =>
    raw(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

  it.each<[string, AnswerLike, FailureClass]>([
    [
      'no quota left',
      error(429, {
        error: { message: 'You exceeded your quota', type: 'insufficient_quota', code: 'insufficient_quota' },
      }),
      'billing',
    ],
    [
      'no quota left (Moonshot)',
      error(429, { error: { message: 'x', type: 'exceeded_current_quota_error' } }),
      'billing',
    ],
    ['no credits (OpenRouter)', error(402, { error: { message: 'Insufficient credits', code: 402 } }), 'billing'],
    [
      'too many requests',
      error(429, { error: { message: 'x', type: 'requests', code: 'rate_limit_exceeded' } }),
      'rate_limit',
    ],
    ['too busy (Moonshot)', error(429, { error: { message: 'x', type: 'engine_overloaded_error' } }), 'overloaded'],
    [
      '[M-13] a prompt too long',
      error(400, { error: { message: 'x', type: 'invalid_request_error', code: 'context_length_exceeded' } }),
      'prompt_too_long',
    ],
    [
      '[M-13] a prompt too long (llama.cpp)',
      error(500, { error: { code: 500, message: 'x', type: 'exceed_context_size_error', n_ctx: 256 } }),
      'prompt_too_long',
    ],
    [
      '[M-13] a prompt too long (llama.cpp, in words)',
      error(400, {
        error: { code: 400, message: 'the request exceeds the available context size, try increasing it' },
      }),
      'prompt_too_long',
    ],
    [
      '[M-13] a prompt too long (vLLM)',
      error(400, {
        object: 'error',
        message: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
        type: 'BadRequestError',
        code: 400,
      }),
      'prompt_too_long',
    ],
    [
      '[M-13] a prompt too long (Moonshot)',
      error(400, {
        error: {
          message: 'Invalid request: Your request exceeded model token limit: 262144',
          type: 'invalid_request_error',
        },
      }),
      'prompt_too_long',
    ],
    [
      'an unknown model',
      error(404, { error: { message: 'The model `x` does not exist', code: 'model_not_found' } }),
      'model_not_found',
    ],
    [
      'an unknown model (Ollama)',
      error(404, { error: 'model "x" not found, try pulling it first' }),
      'model_not_found',
    ],
    [
      'an unknown model (vLLM)',
      error(404, { object: 'error', message: 'The model `x` does not exist.', type: 'NotFoundError', code: 404 }),
      'model_not_found',
    ],
    [
      'a wrong key',
      error(401, { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }),
      'authentication',
    ],
    ['a wrong key, said with 400', error(400, { error: { message: 'x', code: 'invalid_api_key' } }), 'authentication'],
    [
      'tools that the model does not know (Ollama)',
      error(400, { error: 'x does not support grammars' }),
      'invalid_request',
    ],
    ['an error with status 200', error(200, { error: { message: 'x', code: 'rate_limit_exceeded' } }), 'rate_limit'],
    ['[M-6] silence', hang(), 'timeout'],
  ])('are told by class: %s', async (_, answer, expected) => {
    const api = await start([answer]);
    const events = await collectEvents(openAi(api.url, { timeoutMs: 200 }));
    expect(failureOf(events)?.class).toBe(expected);
    expect(events.filter(({ type }) => type === 'failure').length).toBe(1);
  });

  it('carry the words of a server that wraps them in nothing', async () => {
    const api = await start([error(400, { error: 'x does not support grammars' })]);
    expect(failureOf(await collectEvents(openAi(api.url)))).toMatchObject({
      message: 'x does not support grammars',
      status: 400,
      body: '{"error":"x does not support grammars"}',
    });
  });

  it.each([raw('404 page not found', { status: 404 }), error(404, { detail: 'Not Found' })])(
    'of a wrong address speak of the address',
    async (answer) => {
      const api = await start([answer]);
      const failure = failureOf(await collectEvents(openAi(api.url)));
      expect(failure).toMatchObject({ class: 'invalid_request', status: 404 });
      expect(failure?.message).toContain(`${api.url}/chat/completions`);
      expect(failure?.message).toContain('OPENAI_BASE_URL');
      expect(failure?.body).toBeUndefined();
    },
  );

  it('[R-16] never show the key', async () => {
    const api = await start([fail(401, 'x', 'Incorrect API key provided: sk-test-key')]);
    expect(JSON.stringify(await collectEvents(openAi(api.url)))).not.toContain('sk-test-key');
  });

  it('[K28] [M-1] are retried where that helps', async () => {
    const api = await start([fail(500, 'server_error', 'oops'), raw('data: {"error":"busy"}\n\n'), 'Hello']);
    const clock = { ...runtime.clock, sleep: async () => {} };
    const events = await ask(withRetry(openAi(api.url), { clock, random: () => 0 }));
    expect(typesOf(events).filter((type) => type === 'retry').length).toBe(2);
    expect(typesOf(events).at(-1)).toBe('message_stop');
  });
});

describe('missingOpenAiKey', () => {
  it('[P4] names the variable, for OpenAI itself', () => {
    for (const env of [{}, { OPENAI_API_KEY: ' ' }, { OPENAI_BASE_URL: 'https://api.openai.com/v1/' }]) {
      expect(missingOpenAiKey(env)).toMatchObject({
        code: 'no_credentials',
        message: expect.stringMatching(/OPENAI_API_KEY[\s\S]*OPENAI_BASE_URL/),
      });
    }
  });

  it('[P4] asks for none of local servers', () => {
    expect(missingOpenAiKey({ OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' })).toBeUndefined();
    expect(missingOpenAiKey({ OPENAI_API_KEY: 'k' })).toBeUndefined();
    expect(missingOpenAiKey({ OPENAI_BASE_URL: 'nonsense' })).toBeUndefined();
  });
});

describe('what a model cannot do', () => {
  const image = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data: 'aW1n' } };
  const messages: ModelRequest['messages'] = [
    { role: 'user', content: [{ type: 'text', text: 'look' }, image] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'Read', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [image] }] },
  ];

  it.each([
    [400, 'Image input is not supported by this model.'],
    [404, 'No endpoints found that support image input'],
    [422, 'this model does not support images'],
  ])(
    '[P4] images that are refused (%i %s) become texts, once and from then on, with a warning',
    async (status, message) => {
      const api = await start((({ text }: { text: string }) =>
        text.includes('image_url') ? fail(status, 'invalid_request_error', message) : 'Hello') as Script<never>);
      const warnings: string[] = [];
      const log = (_: unknown, warning: string) => warnings.push(warning);
      const model = openAi(api.url, { runtime: { ...runtime, log } });
      for (const requests of [2, 3]) {
        expect(failureOf(await ask(model, { messages }))).toBeUndefined();
        expect(api.requests).toHaveLength(requests);
      }
      expect(api.requests[1]?.text.match(/An image, which this model cannot see/g)).toHaveLength(2);
      expect(warnings.filter((warning) => warning.includes('sees no images'))).toHaveLength(1);
    },
  );

  it.each(['registry.ollama.ai/library/gemma:2b does not support tools', 'No endpoints found that support tool use.'])(
    '[P4] tools that are refused (%s) are one sentence that says what to choose',
    async (message) => {
      const api = await start([fail(400, 'invalid_request_error', message)]);
      const failure = failureOf(await ask(openAi(api.url)));
      expect(failure?.message).toMatch(/Choose a model that can call tools: an agent cannot work without them\.$/);
      expect(api.requests).toHaveLength(1);
    },
  );
});
