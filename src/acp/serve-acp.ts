import type { Engine } from '../host/engine/engine.ts';
import type { Transport } from '../wire/link/transport.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { Handshake } from './handshake.ts';
import { RpcLink } from './rpc-link.ts';
import type { ReplayFrom } from './show-again.ts';

export interface AcpOptions {
  engine: Engine;
  config: RunConfig;
  cwd: string;
  askTimeoutMs: number;
  replayFrom: ReplayFrom;
  /** Ends everything, as the death of the editor does. */
  signal: AbortSignal;
}

/** Serves an editor over the Agent Client Protocol until it has closed its side. Then nothing of it is left. */
export async function serveAcp(transport: Transport, { signal, ...options }: AcpOptions): Promise<void> {
  const link = new RpcLink(transport);
  const agent = new Handshake({ ...options, link });
  const onStop = () => void transport.close();
  signal.addEventListener('abort', onStop, { once: true });
  try {
    await transport.connect();
    if (!signal.aborted) await link.serve(agent);
  } finally {
    signal.removeEventListener('abort', onStop);
    await agent.end();
    await transport.close();
  }
}
