import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { messageOf } from '../../util/message-of.ts';
import { type DialOptions, dial, Refused } from './proxy-dial.ts';

export interface HttpProxyOptions extends DialOptions {
  onRefused: (refused: Refused) => void;
}

/** A server for connections of HTTP clients that take it for their proxy: tunnels, and requests without encryption. */
export function createHttpProxy(options: HttpProxyOptions): Server {
  const server = createServer((incoming, response) => {
    forward(incoming, response, options).catch((error) => refuse(error, response, options));
  });
  server.on('connect', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    tunnel(incoming, socket, head, options).catch((error) => {
      const [status, text] = answerTo(error, options);
      socket.end(`HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${text}\n`);
    });
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  return server;
}

async function tunnel(
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
  options: HttpProxyOptions,
): Promise<void> {
  socket.on('error', () => socket.destroy());
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(incoming.url ?? '') ?? [];
  if (host === undefined) throw new Refused(JSON.stringify(incoming.url), 'this is no host with a port');
  const upstream = await dial(host, Number(port), options);
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
  upstream.write(head);
  join(socket, upstream);
}

/** Carries bytes both ways until one side is done. */
export function join(client: Socket, upstream: Socket): void {
  // The end of one direction closes the connection, so the other side notices it.
  pipeline(client, upstream, () => {});
  pipeline(upstream, client, () => {});
}

/** Headers for the next hop only, so the proxy does not forward them. */
const HOP_HEADERS = ['connection', 'proxy-connection', 'proxy-authorization', 'keep-alive', 'te', 'trailer', 'upgrade'];

async function forward(incoming: IncomingMessage, response: ServerResponse, options: HttpProxyOptions): Promise<void> {
  const url = URL.canParse(incoming.url ?? '') ? new URL(incoming.url ?? '') : null;
  if (url?.protocol !== 'http:') throw new Refused(JSON.stringify(incoming.url), 'this is no address of a web page');
  const socket = await dial(url.hostname, Number(url.port || 80), options);
  const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => !HOP_HEADERS.includes(name)));
  const outgoing = request({
    method: incoming.method,
    path: `${url.pathname}${url.search}`,
    // The host of the URL, whatever the header says: the two must not name different hosts.
    headers: { ...headers, host: url.host, connection: 'close' },
    createConnection: () => socket,
  });
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.headers);
    pipeline(answer, response, () => {});
  });
  outgoing.on('error', (error) => refuse(error, response, options));
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

function refuse(error: unknown, response: ServerResponse, options: HttpProxyOptions): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const [status, text] = answerTo(error, options);
  response.writeHead(Number(status.slice(0, 3)), { 'content-type': 'text/plain', connection: 'close' });
  response.end(`${text}\n`);
}

function answerTo(error: unknown, { onRefused }: HttpProxyOptions): [status: string, text: string] {
  if (!(error instanceof Refused)) return ['502 Bad Gateway', messageOf(error)];
  onRefused(error);
  return ['403 Forbidden', error.message];
}
