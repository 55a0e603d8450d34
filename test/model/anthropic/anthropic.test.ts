import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { anthropicSettings } from '../../../src/model/anthropic/anthropic-env.ts';
import { eachEvent } from '../../../src/model/each-event.ts';
import type { ModelEvent } from '../../../src/model/model.ts';
import {
  blocksOf,
  collectEvents,
  type FakeApi,
  fail,
  raw,
  reply,
  sampleRequest,
  startFakeApi,
  text,
} from '../../../src/testing/index.ts';
import type { Script } from '../../../src/testing/script.ts';
import { anthropic, failureOf, typesOf } from '../support.ts';

const apis: FakeApi[] = [];
afterEach(async () => {
  await Promise.all(apis.splice(0).map((api) => api.close()));
});

async function start(script: Script<never>): Promise<FakeApi> {
  const api = await startFakeApi(script as Script<unknown>);
  apis.push(api);
  return api;
}

describe('requests', () => {
  it('[P9] go to /v1/messages with our own headers and no others', async () => {
    const api = await start(['Hello']);
    await collectEvents(anthropic(api.url));
    const [request] = api.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/v1/messages?beta=true' });
    const { host, connection, 'content-length': length, ...headers } = request?.headers ?? {};
    expect(headers).toEqual({
      accept: 'text/event-stream',
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-api-key': 'sk-test-key',
      'user-agent': 'heddle/0.0.0',
    });
    expect(Number(length)).toBe(Buffer.byteLength(request?.text ?? ''));
  });

  it('carry a token, betas and custom headers when there are any', async () => {
    const api = await start(['Hello']);
    const settings = anthropicSettings({
      ANTHROPIC_BASE_URL: `${api.url}/gateway/`,
      ANTHROPIC_AUTH_TOKEN: 'tok\n',
      ANTHROPIC_CUSTOM_HEADERS: 'X-Foo: bar: baz\nnonsense\nUser-Agent: mine',
      API_TIMEOUT_MS: '1234',
    });
    expect(settings.timeoutMs).toBe(1234);
    const model = anthropic('', { ...settings, apiKey: undefined });
    for await (const _ of eachEvent(
      model.stream({ ...sampleRequest(), betas: ['a', 'b'] }, new AbortController().signal),
    ));
    expect(api.requests[0]).toMatchObject({
      url: '/gateway/v1/messages?beta=true',
      headers: { authorization: 'Bearer tok', 'anthropic-beta': 'a,b', 'x-foo': 'bar: baz', 'user-agent': 'mine' },
    });
    expect(api.requests[0]?.headers).not.toHaveProperty('x-api-key');
  });

  it('ask for the credential each time, and fail as authentication when there is none', async () => {
    const api = await start(['one', 'two']);
    let asked = 0;
    const model = anthropic(api.url, {
      credential: async () => {
        asked++;
        if (asked > 2) throw new Error('helper is gone');
        return { apiKey: `key-${asked}` };
      },
    });
    await collectEvents(model);
    await collectEvents(model);
    expect(failureOf(await collectEvents(model))).toMatchObject({
      class: 'authentication',
      message: expect.stringContaining('helper is gone'),
    });
    expect(api.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['key-1', 'key-2']);
  });

  it('share a kept connection, also after an error', async () => {
    const api = await start(['one', fail(429, 'rate_limit_error', 'slow'), 'three']);
    const model = anthropic(api.url);
    for (let call = 0; call < 3; call++) await collectEvents(model);
    expect(new Set(api.requests.map(({ connection }) => connection)).size).toBe(1);
  });

  it('use a fresh connection when the kept one was closed meanwhile', async () => {
    const hello = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
    let connections = 0;
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(hello);
      });
    });
    server.on('connection', (socket) => {
      connections++;
      // The second request over the first connection meets a closed door.
      let requests = 0;
      if (connections === 1) {
        socket.prependListener('data', (data: Buffer) => {
          if (data.toString('latin1').startsWith('POST') && ++requests === 2) socket.destroy();
        });
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const model = anthropic(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(failureOf(await collectEvents(model))).toBeUndefined();
    expect(failureOf(await collectEvents(model))).toBeUndefined();
    expect(connections).toBe(2);
    server.closeAllConnections();
    server.close();
  });

  it('refuse a base URL that is none', () => {
    expect(() => anthropic('not a url')).toThrow(expect.objectContaining({ code: 'invalid_option' }));
    expect(() => anthropic('ftp://host')).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });
});

describe('redirects', () => {
  it('[M-14] are followed within the origin, with the key', async () => {
    const api = await start([raw('', { status: 307, headers: { location: '/moved/v1/messages' } }), 'Hello']);
    expect(blocksOf(await collectEvents(anthropic(api.url)))).toEqual([{ type: 'text', text: 'Hello' }]);
    expect(api.requests[1]).toMatchObject({ url: '/moved/v1/messages', headers: { 'x-api-key': 'sk-test-key' } });
  });

  it.each([301, 302, 307, 308])('[M-14] to another origin are refused (%i), and the key stays home', async (status) => {
    const thief = await start(['stolen']);
    const api = await start([raw('', { status, headers: { location: `${thief.url}/v1/messages` } })]);
    const failure = failureOf(await collectEvents(anthropic(api.url)));
    expect(failure).toMatchObject({ class: 'invalid_request', message: expect.stringContaining(thief.url) });
    expect(thief.requests).toEqual([]);
  });

  it('end when they go round in circles', async () => {
    const api = await start(() => raw('', { status: 307, headers: { location: '/v1/messages' } }));
    expect(failureOf(await collectEvents(anthropic(api.url)))?.class).toBe('invalid_request');
    expect(api.requests.length).toBe(6);
  });
});

describe('proxies', () => {
  it('get the whole address for a plain target, with their own credentials', async () => {
    const proxy = await start(['through the proxy']);
    const model = anthropic('http://api.example', {
      proxy: { HTTP_PROXY: proxy.url.replace('//', '//user:pa%20ss@') },
    });
    expect(blocksOf(await collectEvents(model))).toEqual([{ type: 'text', text: 'through the proxy' }]);
    expect(proxy.requests[0]).toMatchObject({
      url: 'http://api.example/v1/messages?beta=true',
      headers: {
        host: 'api.example',
        'proxy-authorization': `Basic ${Buffer.from('user:pa ss').toString('base64')}`,
      },
    });
  });

  it('are asked for a tunnel to a TLS target', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer();
    server.on('connect', (request, socket) => {
      asked.push(request.url);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const model = anthropic('https://api.example', {
      proxy: { https_proxy: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    });
    expect(failureOf(await collectEvents(model))).toBeDefined();
    expect(asked).toEqual(['api.example:443']);
    server.closeAllConnections();
    server.close();
  });
});

describe('streaming', () => {
  it('gives events while the answer is still being written', async () => {
    const api = await start([reply([text('one ', 'two ', 'three')], { deltaMs: 40 })]);
    const times: number[] = [];
    for await (const event of eachEvent(anthropic(api.url).stream(sampleRequest(), new AbortController().signal))) {
      if (event.type === 'event' && event.event.type === 'content_block_delta') times.push(performance.now());
    }
    expect(times.length).toBe(3);
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(50);
  });

  it('[M-7] does not count the time of a slow consumer as silence', async () => {
    const api = await start([reply([text('one ', 'two ', 'three')], { deltaMs: 5 })]);
    const events: ModelEvent[] = [];
    for await (const event of eachEvent(
      anthropic(api.url, { timeoutMs: 1000 }).stream(sampleRequest(), new AbortController().signal),
    )) {
      events.push(event);
      await new Promise((resolve) => setTimeout(resolve, events.length === 2 ? 1500 : 10));
    }
    expect(failureOf(events)).toBeUndefined();
    expect(typesOf(events).at(-1)).toBe('message_stop');
  });

  it('[M-12] holds the far end back when the consumer is slow', async () => {
    const piece = 'x'.repeat(100_000);
    let written = 0;
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = () => {
        while (written < 1000) {
          written++;
          const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } };
          if (!response.write(`data: ${JSON.stringify(delta)}\n\n`)) return;
        }
      };
      response.on('drain', more);
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const model = anthropic(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    for await (const event of eachEvent(model.stream(sampleRequest(), new AbortController().signal))) {
      if (event.type !== 'event') continue;
      await new Promise((resolve) => setTimeout(resolve, 300));
      break;
    }
    expect(written).toBeLessThan(500);
    server.closeAllConnections();
    server.close();
  });

  it('[M-12] keeps an answer of 20 MB whole', async () => {
    const pieces = Array.from({ length: 20 }, (_, index) => String(index % 10).repeat(1_000_000));
    const api = await start([text(...pieces)]);
    const [block] = blocksOf(await collectEvents(anthropic(api.url)));
    expect(block?.type === 'text' && block.text === pieces.join('')).toBe(true);
  });

  it('[LOOP-10] closes the connection when the signal fires', async () => {
    const api = await start([reply([text('one')], { fault: { after: { events: 4 }, how: 'hang' } }), 'next']);
    const model = anthropic(api.url);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    expect(failureOf(await collectEvents(model, controller.signal))?.class).toBe('aborted');
    await collectEvents(model);
    expect(api.requests[1]?.connection).toBe(2);
  });
});
