import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { boundEvents } from '../../../src/mcp/remote/bound-events.ts';
import { remoteLink } from '../../../src/mcp/remote/remote-link.ts';

const STREAM = { 'content-type': 'text/event-stream' };
const MAX = 1000;

function stream(parts: readonly string[], headers: Record<string, string> = STREAM): Response {
  const bytes = parts.map((part) => new TextEncoder().encode(part));
  return new Response(ReadableStream.from(bytes) as ReadableStream, { headers });
}

test.each([
  ['whole events', 'data: x\n\n'],
  ['other line ends', 'data: x\r\n\r\n'],
  ['yet others', 'data: x\r\r'],
])('a stream may be as long as it wants: %s, also byte by byte', async (_what, event) => {
  const onTooLarge = vi.fn();
  const text = event.repeat(200);
  expect(await boundEvents(stream([text, text]), onTooLarge, MAX).text()).toBe(text + text);
  expect(await boundEvents(stream([...text]), onTooLarge, MAX).text()).toBe(text);
  expect(onTooLarge).not.toHaveBeenCalled();
});

test.each([
  ['a line', 'x'],
  ['lines', 'data: x\n'],
  ['lines with other ends', 'data: x\r\n'],
])('one event without end breaks the stream off: %s', async (_what, part) => {
  const onTooLarge = vi.fn();
  const parts = ['data: fine\n\n', ...Array.from({ length: MAX + 1 }, () => part)];
  await expect(boundEvents(stream(parts), onTooLarge, MAX).text()).rejects.toThrow('an event of more than 1000 bytes');
  expect(onTooLarge).toHaveBeenCalledTimes(1);
});

test('what is no stream of events is left alone', () => {
  const response = stream(['x'.repeat(5000)], { 'content-type': 'application/json' });
  expect(boundEvents(response, () => {}, MAX)).toBe(response);
});

test.each(['http', 'sse'] as const)('a server of the type %s that sends such an event is lost', async (type) => {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return floodIn(response);
    let body = '';
    for await (const part of request) body += part;
    const { id, method } = JSON.parse(body);
    if (type === 'sse' || method !== 'initialize') return void response.writeHead(202).end();
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'far', version: '1' } };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const onLost = vi.fn();
  const link = remoteLink({
    mcp: await import('../../../src/mcp/mcp-package.ts'),
    ...{ serverName: 'far', type, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, headers: {} },
    ...{ fetch, log: () => {}, receive: async () => null, onLost, maxBytes: MAX },
  });
  onTestFinished(() => link.close());
  const { signal } = new AbortController();
  const greeted = link.request({ jsonrpc: '2.0', id: 0, method: 'initialize' }, signal);
  if (type === 'http') {
    await greeted;
    await link.notify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  } else await expect(greeted).rejects.toThrow('an event of more than 1000 bytes');
  await vi.waitFor(() => expect(onLost).toHaveBeenCalledTimes(1));
  expect(onLost).toHaveBeenCalledWith(new Error('it sent an event of more than 1000 bytes'));
});

/** The stream on which a server says something by itself: where to send messages, then an event that never ends. */
function floodIn(response: ServerResponse): void {
  response.writeHead(200, STREAM);
  response.write('event: endpoint\ndata: /mcp\n\n');
  const timer = setInterval(() => response.write(`data: ${'x'.repeat(400)}\n`), 5);
  response.on('close', () => clearInterval(timer));
}
