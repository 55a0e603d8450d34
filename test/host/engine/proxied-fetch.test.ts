import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { proxiedFetch } from '../../../src/host/engine/proxied-fetch.ts';
import { forwardProxy } from '../../support/forward-proxy.ts';

/** A place that only the proxy can find, under the name `far.invalid`. */
async function farPlace(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const proxy = await forwardProxy({ 'far.invalid': `127.0.0.1:${(server.address() as AddressInfo).port}` });
  return { proxy, fetch: proxiedFetch({ HTTP_PROXY: proxy.url.replace('//', '//me:secret@') }) };
}

/** Says what it was asked. */
const echo: RequestListener = async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  const { method, headers } = request;
  response.setHeader('set-cookie', ['a=1', 'b=2']);
  response.end(JSON.stringify({ method, type: headers['content-type'], thread: headers['x-thread'], body }));
};

describe('through a proxy', () => {
  test('the request arrives as it was made, and the proxy gets its own credentials', async () => {
    const { proxy, fetch } = await farPlace(echo);
    const response = await fetch('http://far.invalid/a?b=c', {
      method: 'POST',
      headers: new Headers({ 'X-Thread': 'red' }),
      body: new URLSearchParams({ warp: '1 2' }),
    });
    expect(await response.json()).toEqual({
      method: 'POST',
      type: 'application/x-www-form-urlencoded;charset=UTF-8',
      thread: 'red',
      body: 'warp=1+2',
    });
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(proxy.asked).toEqual(['POST http://far.invalid/a?b=c']);
    expect(proxy.authorizations).toEqual([`Basic ${btoa('me:secret')}`]);
  });

  test('an answer without a body is one', async () => {
    const { fetch } = await farPlace((_, response) => void response.writeHead(204).end());
    const response = await fetch('http://far.invalid/', { method: 'DELETE' });
    expect([response.status, response.body]).toEqual([204, null]);
  });

  test('an answer that is cut off is an error for whoever reads it', async () => {
    const { fetch } = await farPlace((_, response) => void response.write('half', () => response.destroy()));
    const response = await fetch('http://far.invalid/');
    await expect(response.text()).rejects.toThrow();
  });

  test('an abort ends the wait for an answer, and the reading of one', async () => {
    const { fetch } = await farPlace((request, response) => {
      if (request.url === '/begins') response.write('half');
    });
    const waiting = new AbortController();
    const asked = fetch('http://far.invalid/', { signal: waiting.signal });
    waiting.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    const reading = new AbortController();
    const begun = await fetch('http://far.invalid/begins', { signal: reading.signal });
    reading.abort(new Error('enough'));
    await expect(begun.text()).rejects.toThrow();
    await expect(fetch('http://far.invalid/', { signal: reading.signal })).rejects.toThrow('enough');
  });

  test('https is tunnelled, and a proxy that refuses says so', async () => {
    const proxy = await forwardProxy();
    const response = await proxiedFetch({ HTTPS_PROXY: proxy.url })('https://far.invalid/mcp');
    expect(response.status).toBe(403);
    expect(proxy.asked).toEqual(['CONNECT far.invalid:443']);
  });
});

test('a redirect behind a proxy is the answer', async () => {
  const { proxy, fetch } = await farPlace((_, response) => void response.writeHead(307, { location: '/end' }).end());
  const response = await fetch('http://far.invalid/start', { method: 'POST', body: 'b', redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([307, '/end']);
  expect(proxy.asked).toHaveLength(1);
});

test('without a proxy for the address it is the fetch that was given', async () => {
  const asked: unknown[] = [];
  const fetch = proxiedFetch({ HTTPS_PROXY: 'http://p.invalid', NO_PROXY: 'near.example' }, async (...request) => {
    asked.push(request);
    return new Response('direct');
  });
  const init = { method: 'POST' };
  expect(await (await fetch('http://far.invalid/', init)).text()).toBe('direct');
  expect(await (await fetch('https://near.example/', init)).text()).toBe('direct');
  expect(asked).toEqual([
    ['http://far.invalid/', init],
    ['https://near.example/', init],
  ]);
});
