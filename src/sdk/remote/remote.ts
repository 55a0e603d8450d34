import { Channel } from '../../util/channel.ts';
import type { JsonObject } from '../../util/json.ts';
import { badOption } from '../../wire/check-named.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { ExitInfo, Transport } from '../../wire/link/transport.ts';
import type { Connect, Launch } from '../../wire/run-config.ts';

export interface RemoteOptions {
  /** A token of the server: `heddle serve token create`. */
  token: string;
  /** How long a connection that broke is tried again, in milliseconds. Default: five minutes. */
  patienceMs?: number;
  /** What `close` does with a turn that still runs: interrupts it (default), or leaves it to others. */
  onClose?: 'interrupt' | 'leave';
}

/**
 * Runs sessions on a server (`heddle serve`) instead of a subprocess. Pass it as `transport` to `query`, `createSession` or
 * the client: hooks, `canUseTool` and tools of this program work unchanged. A connection that breaks is opened again, and
 * no line is missing or comes twice.
 *
 * @example
 * ```ts
 * import { query } from 'heddle';
 *
 * async function ask(url: string, token: string): Promise<void> {
 *   const transport = remote(url, { token });
 *   for await (const message of query({ prompt: 'hello', options: { transport } })) console.log(message.type);
 * }
 * ```
 */
export function remote(url: string, options: RemoteOptions): Connect {
  if (!/^https?:\/\/[^/]/.test(url))
    throw badOption('transport', `remote(url) needs http://HOST or https://HOST, not '${url}'`);
  if (typeof options?.token !== 'string' || options.token === '') {
    throw badOption('transport', 'remote(url, { token }) needs a token: heddle serve token create makes one');
  }
  return (launch) => new LateTransport(() => load(url, options, launch));
}

/** Loaded with the first connection: most programs talk to no server. */
async function load(url: string, options: RemoteOptions, launch: Launch): Promise<Transport> {
  const { RemoteTransport } = await import('./remote-transport.ts');
  return new RemoteTransport(url.replace(/\/+$/, ''), options, (calls) => calls.open(launch));
}

/** A transport whose code is loaded when it connects. */
class LateTransport implements Transport {
  readonly #load: () => Promise<Transport>;
  readonly #incoming = new Channel<JsonObject | Error>();
  #inner: Transport | null = null;
  #settle: (exit: ExitInfo) => void = () => {};
  readonly exit: Promise<ExitInfo> = new Promise((resolve) => {
    this.#settle = resolve;
  });

  constructor(load: () => Promise<Transport>) {
    this.#load = load;
  }

  async connect(): Promise<void> {
    const inner = await this.#load();
    await inner.connect();
    this.#inner = inner;
    inner.exit.then((exit) => this.#settle(exit));
    void this.#read(inner);
  }

  async #read(inner: Transport): Promise<void> {
    try {
      for await (const line of inner.readMessages()) this.#incoming.push(line);
      this.#incoming.end();
    } catch (error) {
      this.#incoming.fail(error);
    }
  }

  write(message: JsonObject): Promise<void> | undefined {
    return this.#inner ? this.#inner.write(message) : Promise.reject(new HeddleError('closed', 'It is not connected'));
  }

  readMessages(): AsyncIterable<JsonObject | Error> {
    return this.#incoming;
  }

  endInput(): void {
    this.#inner?.endInput();
  }

  async close(): Promise<ExitInfo> {
    const exit = (await this.#inner?.close()) ?? { code: 0, signal: null, stderr: '' };
    this.#settle(exit);
    this.#incoming.end();
    return exit;
  }

  isReady(): boolean {
    return this.#inner?.isReady() ?? false;
  }
}
