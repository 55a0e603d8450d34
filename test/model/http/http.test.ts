import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHttpClient, type HttpAnswer, type HttpClient } from '../../../src/model/http/http.ts';

const never = new AbortController().signal;

const sockets = new Set<Socket>();
let waiting: ServerResponse[];
const server = createServer((request, response) => {
  request.resume();
  response.write('begun ');
  waiting.push(response);
}).on('connection', (socket: Socket) => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
});
let client: HttpClient;
let url: URL;

beforeEach(async () => {
  waiting = [];
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  client = createHttpClient({ origin: url, proxy: null });
});
afterEach(async () => {
  client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const post = () => client.post({ url, headers: {}, body: Buffer.from('') }, never);

/** Lets the server finish, reads the answer to its end and gives it back. */
async function finish(answer: HttpAnswer): Promise<string> {
  waiting.shift()?.end('done');
  let text = '';
  for (let piece = await answer.read(); piece; piece = await answer.read()) text += piece;
  answer.release();
  return text;
}

async function serverHas(count: number): Promise<void> {
  await expect.poll(() => sockets.size).toBe(count);
}

describe('close', () => {
  test('an open client keeps its connection, a closed one lets go of it', async () => {
    await finish(await post());
    await finish(await post());
    expect(sockets.size).toBe(1);
    client.close();
    await serverHas(0);
  });

  test('a connection in use does its work to the end, and is not kept', async () => {
    const answer = await post();
    client.close();
    expect(await finish(answer)).toBe('begun done');
    await serverHas(0);
  });

  test('a closed client still answers, and keeps nothing', async () => {
    client.close();
    expect(await finish(await post())).toBe('begun done');
    await serverHas(0);
    expect(await finish(await post())).toBe('begun done');
    await serverHas(0);
  });
});
