import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { eachEvent } from '../../src/model/each-event.ts';
import type { FakeApi } from '../../src/testing/index.ts';
import {
  blocksOf,
  brokenToolUse,
  collectEvents,
  fail,
  hang,
  reply,
  sampleRequest,
  scriptedModel,
  startFakeApi,
  startFakeOpenAi,
  text,
  thinking,
  toolUse,
} from '../../src/testing/index.ts';

function post(api: FakeApi, path: string, body: object): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(`${api.url}${path}`, { method: 'POST' }, (response) => {
      let read = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        read += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: read }));
    });
    call.on('error', reject).end(JSON.stringify(body));
  });
}

describe('startFakeApi', () => {
  it('streams a reply as the API does and records the request', async () => {
    const api = await startFakeApi([[text('He', 'llo'), toolUse('Bash', { command: 'ls' })]]);
    const { status, text: body } = await post(api, '/v1/messages?beta=true', { model: 'm', stream: true });
    await api.close();
    expect(status).toBe(200);
    expect(body.match(/^event: .*/gm)).toEqual(
      [
        ...['message_start', 'ping'],
        ...['content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'],
        ...['content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'],
        ...['message_delta', 'message_stop'],
      ].map((name) => `event: ${name}`),
    );
    expect(api.requests).toMatchObject([
      { method: 'POST', url: '/v1/messages?beta=true', body: { model: 'm', stream: true }, connection: 1 },
    ]);
  });

  it('answers with one JSON message when no stream is asked for', async () => {
    const api = await startFakeApi([toolUse('Bash', { command: 'ls' })]);
    const answer = await post(api, '/v1/messages', { model: 'm' });
    await api.close();
    expect(JSON.parse(answer.text)).toMatchObject({
      model: 'm',
      content: [{ type: 'tool_use', id: 'toolu_fake_1_0', name: 'Bash', input: { command: 'ls' } }],
      stop_reason: 'tool_use',
      usage: { input_tokens: 10, output_tokens: 7 },
    });
  });

  it('says so when the script is used up, and knows no other paths', async () => {
    const api = await startFakeApi([]);
    expect(await post(api, '/v1/messages', {})).toMatchObject({
      status: 400,
      text: expect.stringContaining('0 answers'),
    });
    expect(await post(api, '/v1/other', {})).toMatchObject({ status: 404 });
    expect(await post(api, '/v1/messages/count_tokens', {})).toMatchObject({ status: 200, text: '{"input_tokens":1}' });
    await api.close();
    expect(api.requests.length).toBe(1);
  });

  it('cuts a reply after any number of bytes', async () => {
    const whole = await startFakeApi(['Grüße']);
    const { text: full } = await post(whole, '/v1/messages', { stream: true });
    await whole.close();
    const api = await startFakeApi([reply([text('Grüße')], { fault: { after: { bytes: 50 }, how: 'end' } })]);
    const { text: part } = await post(api, '/v1/messages', { stream: true });
    await api.close();
    expect(part).toBe(full.slice(0, 50));
  });

  it('closes at once, whatever hangs', async () => {
    const api = await startFakeApi([hang()]);
    const pending = post(api, '/v1/messages', {}).catch((error: Error) => error);
    while (api.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await api.close();
    expect(await pending).toBeInstanceOf(Error);
  });
});

describe('startFakeOpenAi', () => {
  const asked = { model: 'm', stream: true, stream_options: { include_usage: true } };

  it('streams the same scripts as chunks, and records the request', async () => {
    const api = await startFakeOpenAi([[thinking('hm'), text('He', 'llo'), toolUse('Bash', { a: 1 }, 't1')]]);
    const { status, text: body } = await post(api, '/chat/completions', asked);
    await api.close();
    expect(status).toBe(200);
    const lines = body.split('\n\n').filter((line) => line.startsWith('data: {'));
    const chunks = lines.map((line) => JSON.parse(line.slice('data: '.length)));
    expect(chunks.map(({ choices, usage }) => choices[0]?.delta ?? usage)).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'hm' },
      { content: 'He' },
      { content: 'llo' },
      { tool_calls: [{ index: 0, id: 't1', type: 'function', function: { name: 'Bash', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
      {},
      { prompt_tokens: 110, completion_tokens: 7, total_tokens: 117, prompt_tokens_details: { cached_tokens: 100 } },
    ]);
    expect(chunks.at(-2).choices[0].finish_reason).toBe('tool_calls');
    expect(body.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(api.requests).toMatchObject([{ url: '/v1/chat/completions', body: { model: 'm' } }]);
  });

  it('answers with one JSON completion when no stream is asked for', async () => {
    const api = await startFakeOpenAi([[text('Hello'), toolUse('Bash', { a: 1 }, 't1')]]);
    const answer = await post(api, '/chat/completions', { model: 'm' });
    await api.close();
    const calls = [{ id: 't1', type: 'function', function: { name: 'Bash', arguments: '{"a":1}' } }];
    expect(JSON.parse(answer.text)).toMatchObject({
      choices: [{ message: { content: 'Hello', tool_calls: calls }, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 110 },
    });
  });

  it('fails in the words of that API, and knows no other paths', async () => {
    const api = await startFakeOpenAi([fail(429, 'insufficient_quota', 'pay')]);
    expect(await post(api, '/chat/completions', asked)).toEqual({
      status: 429,
      text: '{"error":{"message":"pay","type":"insufficient_quota","param":null,"code":null}}',
    });
    expect(await post(api, '/models', {})).toMatchObject({ status: 404 });
    await api.close();
    expect(api.requests.length).toBe(1);
  });
});

describe('scriptedModel', () => {
  it('asks a function for each answer and keeps requests as they were', async () => {
    const model = scriptedModel(({ messages }, index) => `answer ${index} to ${messages.length}`);
    const messages = [...sampleRequest().messages];
    const ask = async () => {
      const events = [];
      for await (const event of eachEvent(model.stream({ ...sampleRequest(), messages }, new AbortController().signal)))
        events.push(event);
      return blocksOf(events);
    };
    expect(await ask()).toEqual([{ type: 'text', text: 'answer 0 to 1' }]);
    messages.push({ role: 'assistant', content: [{ type: 'text', text: 'x' }] });
    expect(await ask()).toEqual([{ type: 'text', text: 'answer 1 to 2' }]);
    expect(model.requests.map((request) => request.messages.length)).toEqual([1, 2]);
  });

  it('gives calls ids that are unique in the script', async () => {
    const model = scriptedModel([[toolUse('A', {}), brokenToolUse('B', ['{'])], [toolUse('A', {})]]);
    const blocks = [...blocksOf(await collectEvents(model)), ...blocksOf(await collectEvents(model))];
    expect(blocks.map((block) => block.type === 'tool_use' && block.id)).toEqual([
      'toolu_fake_1_0',
      'toolu_fake_1_1',
      'toolu_fake_2_0',
    ]);
  });

  it('fails as the real adapter would', async () => {
    const [event] = await collectEvents(scriptedModel([fail(429, 'rate_limit_error', 'slow down')]));
    expect(event).toMatchObject({
      type: 'failure',
      failure: { class: 'rate_limit', providerType: 'rate_limit_error' },
    });
  });
});
