import { badOption } from '../../wire/check-named.ts';
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
  if (!/^https?:\/\/[^/]/.test(url) || !options?.token) {
    throw badOption('transport', 'remote(url, { token }) needs http://HOST and a token (heddle serve token create)');
  }
  return (launch) => lateTransport(url.replace(/\/+$/, ''), options, launch);
}

/** Its code is loaded when it connects: most programs talk to no server. */
function lateTransport(url: string, options: RemoteOptions, launch: Launch): Transport {
  let inner: Transport | null = null;
  let settle: (exit: ExitInfo) => void = () => {};
  const exit = new Promise<ExitInfo>((resolve) => {
    settle = resolve;
  });
  return {
    async connect() {
      const { RemoteTransport } = await import('./remote-transport.ts');
      inner = new RemoteTransport(url, options, (calls) => calls.open(launch));
      inner.exit.then(settle);
      await inner.connect();
    },
    write: (line) => inner?.write(line),
    async *readMessages() {
      if (inner) yield* inner.readMessages();
    },
    endInput: () => inner?.endInput(),
    close() {
      if (!inner) settle({ code: 0, signal: null, stderr: '' });
      return inner?.close() ?? exit;
    },
    isReady: () => inner?.isReady() === true,
    exit,
  };
}
