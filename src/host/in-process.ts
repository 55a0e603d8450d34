import type { JsonObject } from '../util/json.ts';
import { toHeddleError } from '../wire/errors.ts';
import { memoryPair } from '../wire/memory-transport.ts';
import type { Connect } from '../wire/run-config.ts';
import type { Engine } from './engine.ts';
import { serve } from './serve.ts';

/**
 * Serves a session of this engine to a client in the same process: the same protocol over a linked pair, without a
 * subprocess. Pass it as `transport` to `query`. The signal stops all sessions that were opened through it.
 *
 * @example
 * ```ts
 * import { createSession } from 'heddle';
 *
 * const engine = createEngine({ cwd: process.cwd() });
 * await using session = createSession({ model: 'offline', transport: inProcess(engine) });
 * await session.send('list files');
 * ```
 */
export function inProcess(engine: Engine, signal?: AbortSignal): Connect {
  return (launch) => {
    const { near, far } = memoryPair({ onSend: (line) => noteSender(engine, line) });
    const stop = new AbortController();
    const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    far.settle({ code: 0, signal: null, stderr: '' }); // the client's end: nothing to wait for when it stops writing
    const served = Promise.resolve()
      .then(() => serve(engine, far, launch, stopped))
      .then(
        (end) => near.settle({ code: end.exitCode, signal: null, stderr: end.error?.message ?? '' }),
        (error) => near.settle({ code: 1, signal: null, stderr: toHeddleError(error).message }),
      )
      .finally(() => far.endInput());
    near.onClose(async () => {
      stop.abort();
      await served;
    });
    return near;
  };
}

/** What follows a promise runs in the context of whoever has asked it: here the sender's, before the line is read. */
function noteSender(engine: Engine, line: JsonObject): void {
  engine
    .telemetry()
    ?.then((telemetry) => telemetry?.noteSender(line))
    .catch(() => {}); // whoever opens a session is told
}
