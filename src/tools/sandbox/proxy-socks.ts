import type { Socket } from 'node:net';
import { type DialOptions, dial, Refused } from './proxy-dial.ts';
import { join } from './proxy-http.ts';

export interface SocksProxyOptions extends DialOptions {
  onRefused: (refused: Refused) => void;
}

/** The version that every message begins with. */
export const SOCKS_VERSION = 5;

const NO_AUTHENTICATION = 0;
const CONNECT = 1;
const SUCCEEDED = 0;
const FAILED = 1;
const NOT_ALLOWED = 2;
const UNSUPPORTED_COMMAND = 7;

/** Serves one connection of a SOCKS 5 client: no authentication, only CONNECT (RFC 1928). */
export async function serveSocks(socket: Socket, options: SocksProxyOptions): Promise<void> {
  socket.on('error', () => socket.destroy());
  try {
    const read = reader(socket);
    const [, methods = 0] = await read(2);
    await read(methods);
    socket.write(Buffer.from([SOCKS_VERSION, NO_AUTHENTICATION]));
    const [, command, , kind] = await read(4);
    const host = await readHost(kind ?? 0, read);
    const port = (await read(2)).readUInt16BE();
    if (command !== CONNECT) return end(socket, UNSUPPORTED_COMMAND);
    const upstream = await dial(host, port, options);
    socket.write(reply(SUCCEEDED));
    join(socket, upstream);
  } catch (error) {
    if (error instanceof Refused) options.onRefused(error);
    end(socket, error instanceof Refused ? NOT_ALLOWED : FAILED);
  }
}

function end(socket: Socket, code: number): void {
  socket.end(reply(code));
}

/** The address is of no use to a client, so it is always 0.0.0.0:0. */
function reply(code: number): Buffer {
  return Buffer.from([SOCKS_VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0]);
}

type Read = (bytes: number) => Promise<Buffer>;

async function readHost(kind: number, read: Read): Promise<string> {
  if (kind === 1) return (await read(4)).join('.');
  if (kind === 3) return (await read((await read(1))[0] ?? 0)).toString('latin1');
  if (kind === 4) return (await read(16)).toString('hex').replace(/(.{4})(?=.)/g, '$1:');
  throw new Error('No such kind of address');
}

/** Reads exactly this many bytes; the following bytes stay in the socket. */
function reader(socket: Socket): Read {
  return async (bytes) => {
    if (bytes === 0) return Buffer.alloc(0);
    for (;;) {
      const data = socket.read(bytes) as Buffer | null;
      if (data !== null && data.length === bytes) return data;
      if (socket.readableEnded || socket.destroyed) throw new Error('The client is gone');
      await new Promise<void>((resolve) => {
        const wake = () => {
          for (const event of ['readable', 'end', 'close']) socket.off(event, wake);
          resolve();
        };
        for (const event of ['readable', 'end', 'close']) socket.once(event, wake);
      });
    }
  };
}
