import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { privateFolder, socketPath } from '../../util/process/private-folder.ts';
import { duplexTransport } from '../../wire/link/duplex-transport.ts';
import type { ExitInfo, Transport } from '../../wire/link/transport.ts';

/** A socket that listens for hosts. */
export interface SessionSocket {
  close(): void;
}

/**
 * Listens in a directory that only this user may enter; the system keeps all others out. `serve` gets each connection and
 * resolves when it is over. Throws or rejects where the directory is not safe or the socket cannot be made.
 */
export async function listenForHosts(
  folder: string,
  name: string,
  serve: (transport: Transport) => Promise<void>,
): Promise<SessionSocket> {
  privateFolder(folder);
  rmSync(join(folder, name), { force: true }); // left by a process that was killed
  const { path, release } = socketPath(folder, name);
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    const transport = transportOf(socket);
    void serve(transport).finally(() => transport.close());
  });
  server.listen(path);
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', (error) => {
      release();
      reject(error);
    });
  });
  chmodSync(path, 0o600);
  server.on('error', () => {}); // one connection that fails does not end the others
  return {
    close() {
      server.close(release);
      for (const socket of sockets) socket.end();
    },
  };
}

/** Lines over a socket. Its end is the end of the far end. */
export function transportOf(socket: Socket): Transport {
  const exit = new Promise<ExitInfo>((resolve) => {
    socket.once('close', () => resolve({ code: 0, signal: null, stderr: '' }));
  });
  socket.on('error', () => {}); // the reader of the lines sees the end
  return duplexTransport({ input: socket, output: socket, exit, destroy: () => socket.destroy() });
}
