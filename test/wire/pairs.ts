import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { stdioTransport } from '../../src/host/serve/stdio.ts';
import type { Options } from '../../src/sdk/options/options.ts';
import { subprocess } from '../../src/sdk/subprocess/subprocess.ts';
import type { LinkedPair, MakePair } from '../../src/testing/index.ts';
import { memoryPair } from '../../src/wire/link/memory-transport.ts';

/** Every Transport of this package, linked to something that the suites can drive. */
export const pairs: Record<string, MakePair> = {
  async memory() {
    const { near, far } = memoryPair();
    return {
      near,
      accept: async () => far,
      async crash(code, stderr) {
        near.settle({ code, signal: null, stderr });
        await far.close();
      },
    };
  },

  async 'memory, seen from the far end'() {
    const { near, far } = memoryPair();
    return { near: far, accept: async () => near };
  },

  async stdio() {
    const [toNear, toFar] = [new PassThrough(), new PassThrough()];
    return {
      near: stdioTransport(toNear, toFar),
      accept: async () => stdioTransport(toFar, toNear),
      sendBytes: (bytes) => writeBytes(toNear, bytes),
    };
  },

  subprocess: () => subprocessPair({}),

  'subprocess, started by the host': () =>
    subprocessPair({ spawn: ({ command, args, cwd, env }) => spawn(command, args, { cwd, env }) }),
};

/** The child passes everything on between its pipes and a socket, whose other end is here. */
async function subprocessPair(options: Options): Promise<LinkedPair> {
  const folder = await mkdtemp(join(tmpdir(), 'heddle-pair-'));
  const path = join(folder, 's');
  const server = createServer({ allowHalfOpen: true });
  const sockets: Socket[] = [];
  const connections = new Promise<{ lines: Socket; orders: Socket }>((resolve) => {
    server.on('connection', (socket) => {
      socket.on('error', () => {}); // the child may be killed at any time
      sockets.push(socket);
      const [lines, orders] = sockets;
      if (lines && orders) resolve({ lines, orders });
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const script = fileURLToPath(new URL('./relay-child.mjs', import.meta.url));
  const near = subprocess({ ...options, pathToClaudeCodeExecutable: script })({
    config: {},
    env: { ...process.env, RELAY_SOCKET: path },
  });
  return {
    near,
    async accept() {
      const { lines } = await connections;
      return stdioTransport(lines.pipe(new PassThrough()), lines); // two streams: reading one to its end destroys it
    },
    async sendBytes(bytes) {
      await writeBytes((await connections).lines, bytes);
    },
    async crash(code, stderr) {
      (await connections).orders.end(JSON.stringify({ code, stderr }));
    },
    async dispose() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function writeBytes(stream: Writable, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => stream.write(bytes, (error) => (error ? reject(error) : resolve())));
}
