import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { errorCode } from '../../util/error-code.ts';
import { messageOf } from '../../util/message-of.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { ServerApp } from './app.ts';

/** Where to listen: an address with a port (0: a free one), or the path of a unix socket. */
export type ListenAddress = { host: string; port: number } | { socket: string };

export interface Listening {
  /** `http://127.0.0.1:4100`, or `unix:/path`. */
  url: string;
  /** Takes no more connections. */
  stop(): void;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Requests that are larger or slower than this are refused by Node itself. */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 1000,
};
const MAX_HEADERS = 100;
const PROBE_MS = 2000;

/** The Node server of an app, which does not listen yet. */
export function nodeServerOf(app: ServerApp): Server {
  const server = createAdaptorServer({
    fetch: app.fetch,
    createServer,
    serverOptions: LIMITS,
    autoCleanupIncoming: true,
  });
  const plain = server as Server;
  plain.maxHeadersCount = MAX_HEADERS;
  return plain;
}

/** Rejects with `cannot_listen`. */
export async function listen(server: Server, address: ListenAddress): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  if ('socket' in address) await removeLeft(address.socket);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(address, error)));
    server.listen('socket' in address ? { path: address.socket } : { ...address, exclusive: true }, resolve);
  });
  if ('socket' in address) chmodSync(address.socket, 0o600);
  server.on('error', () => {}); // a connection that fails does not end the others
  return {
    url: urlOf(server, address),
    stop: () => void server.close(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy(); // those that became WebSockets
      }),
  };
}

/** The socket of a server that was killed stays, and nothing could listen there again. */
async function removeLeft(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const answer = await new Promise<string>((resolve) => {
    const done = (found: string) => {
      clearTimeout(timer);
      probe.destroy();
      resolve(found);
    };
    const probe = connect(path, () => done('alive'));
    probe.once('error', (error) => done(errorCode(error) ?? ''));
    const timer = setTimeout(() => done('silent'), PROBE_MS);
  });
  if (answer === 'ECONNREFUSED') rmSync(path, { force: true });
}

function urlOf(server: Server, address: ListenAddress): string {
  if ('socket' in address) return `unix:${address.socket}`;
  const bound = server.address();
  const port = typeof bound === 'object' && bound ? bound.port : address.port;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `http://${host}:${port}`;
}

function cannotListen(address: ListenAddress, cause: unknown): HeddleError {
  const where = 'socket' in address ? address.socket : `${address.host}:${address.port}`;
  const code = errorCode(cause);
  const [reason, remedy] = TROUBLE[code ?? ''] ?? [messageOf(cause), 'Choose another address with --listen'];
  return new HeddleError('cannot_listen', `Cannot listen at ${where}: ${reason}. ${remedy}.`, {
    facts: { where, code },
    cause,
  });
}

const TROUBLE: Readonly<Record<string, [string, string]>> = {
  EADDRINUSE: ['another program listens there', 'Choose another port with --port, or 0 for a free one'],
  EACCES: ['this user may not', 'Choose a port above 1023 with --port'],
  EADDRNOTAVAIL: ['this machine does not have the address', 'Choose one of its addresses with --listen'],
};
