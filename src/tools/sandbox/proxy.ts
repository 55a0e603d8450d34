import { connect, createServer, type ListenOptions, type Socket } from 'node:net';
import type { DialOptions, Refused } from './proxy-dial.ts';
import { createHttpProxy, join } from './proxy-http.ts';
import { SOCKS_VERSION, serveSocks } from './proxy-socks.ts';

export interface ProxyOptions extends DialOptions {
  onRefused: (refused: Refused) => void;
  /** The user's own proxies on this machine, which replace Heddle's and its rules. */
  httpPort?: number;
  socksPort?: number;
}

/** The only way from a sandbox to the network. HTTP and SOCKS 5 at one address: their first bytes differ. */
export interface SandboxProxy {
  /** Starts to listen. `port` is null for a unix socket. */
  listen(at: ListenOptions): Promise<{ port: number | null }>;
  close(): Promise<void>;
}

export function createProxy(options: ProxyOptions): SandboxProxy {
  const http = createHttpProxy(options);
  const sockets = new Set<Socket>();

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.once('readable', () => {
      const first = socket.read() as Buffer | null;
      if (first === null) return void socket.destroy();
      socket.unshift(first);
      serve(socket, first[0] === SOCKS_VERSION ? 'socks' : 'http');
    });
  });
  // The proxy serves commands, so it does not keep the process alive without them.
  server.unref();

  function serve(socket: Socket, protocol: 'http' | 'socks'): void {
    const port = protocol === 'http' ? options.httpPort : options.socksPort;
    if (port !== undefined) join(socket, connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
    else if (protocol === 'http') http.emit('connection', socket);
    else serveSocks(socket, options);
  }

  return {
    listen: (at) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(at, () => {
          const address = server.address();
          resolve({ port: typeof address === 'object' ? (address?.port ?? null) : null });
        });
      }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
