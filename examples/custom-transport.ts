// An agent on another machine: the same protocol over a socket. Here the other machine is this one.
import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type ExitInfo, query, successOf, type Transport } from 'heddle';

/** Lines of JSON over a socket. `heddle/testing` has a suite that says whether a transport keeps its promises. */
class SocketTransport implements Transport {
  readonly exit: Promise<ExitInfo>;
  readonly #port: number;
  #socket: Socket | null = null;
  #tellExit: (exit: ExitInfo) => void = () => {};

  constructor(port: number) {
    this.#port = port;
    this.exit = new Promise((resolve) => {
      this.#tellExit = resolve;
    });
  }

  async connect(): Promise<void> {
    const socket = connect(this.#port, '127.0.0.1');
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    socket.once('close', () => this.#tellExit({ code: 0, signal: null, stderr: '' }));
    this.#socket = socket;
  }

  write(message: object): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket?.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  async *readMessages(): AsyncGenerator<{ [key: string]: unknown }, void> {
    if (!this.#socket) throw new Error('not connected');
    // Enough for an example. `readline` also breaks lines at U+2028, which JSON does not escape.
    for await (const line of createInterface({ input: this.#socket })) yield JSON.parse(line);
  }

  endInput(): void {
    this.#socket?.end();
  }

  async close(): Promise<ExitInfo> {
    this.#socket?.destroy();
    return this.exit;
  }

  isReady(): boolean {
    return this.#socket?.readyState === 'open';
  }
}

// The other side: a process for each connection. The flags are those that every host of the protocol gives.
const cli = fileURLToPath(new URL('dist/heddle.cjs', import.meta.resolve('heddle/package.json')));
const flags = ['--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose', '--model', 'offline'];
const server = createServer({ allowHalfOpen: true }, (socket) => {
  const agent = spawn(process.execPath, [cli, ...flags], { stdio: ['pipe', 'pipe', 'inherit'] });
  socket.pipe(agent.stdin);
  agent.stdout.pipe(socket);
  socket.once('close', () => agent.kill());
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as { port: number };

const options = { transport: () => new SocketTransport(port), allowedTools: ['Bash'] };
for await (const message of query({ prompt: 'run: echo over the wire', options })) {
  if (message.type === 'result') console.log(successOf(message).result);
}
server.close();
