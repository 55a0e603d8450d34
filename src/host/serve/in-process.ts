import type { JsonObject } from '../../util/json.ts';
import type { Logger } from '../../util/runtime.ts';
import { HeddleError, toHeddleError } from '../../wire/errors.ts';
import { memoryPair } from '../../wire/link/memory-transport.ts';
import type { ExitInfo } from '../../wire/link/transport.ts';
import type { Connect, Launch } from '../../wire/run-config.ts';
import type { Engine } from '../engine/engine.ts';
import { serve } from './serve.ts';

/**
 * Serves a session of this engine to a client in the same process: the same protocol over a linked pair, without a
 * subprocess. Pass it as `transport` to `query`. The signal stops all sessions that were opened through it.
 *
 * @example
 * ```ts
 * import { createSession } from 'heddle';
 *
 * const engine = createEngine({ cwd: process.cwd(), env: process.env });
 * const session = createSession({ model: 'offline', transport: inProcess(engine) });
 * try {
 *   console.log((await session.ask('list files')).text);
 * } finally {
 *   await session.close();
 *   await engine.close();
 * }
 * ```
 */
export function inProcess(engine: Engine, signal?: AbortSignal): Connect {
  if (typeof engine?.storeOf !== 'function') {
    const how = 'inProcess(createEngine({ cwd: process.cwd(), env: process.env }))';
    throw new HeddleError('invalid_option', `inProcess needs an engine: ${how}`, { facts: { option: 'transport' } });
  }
  return (launch) => {
    const { near, far } = memoryPair({ onSend: (line) => noteSender(engine, line) });
    const stop = new AbortController();
    const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    far.settle({ code: 0, signal: null, stderr: '' }); // nothing to wait for when the client stops writing
    const served = Promise.resolve()
      .then(() => serve(observedBy(engine, launch), far, launch, stopped))
      .then(
        (end) => near.settle(exitOf(end)),
        (error) => near.settle(exitOf({ exitCode: 1, error: toHeddleError(error) })),
      )
      .finally(() => far.endInput());
    near.onClose(async () => {
      stop.abort();
      await served;
    });
    return near;
  };
}

/** The engine with a logger that also writes warnings to the `stderr` of the launch. */
export function observedBy(engine: Engine, { stderr, config }: Launch): Engine {
  if (!stderr) return engine;
  const { log: logOfEngine } = engine.runtime;
  const log: Logger = (level, message, details) => {
    if (engine.hasLog) logOfEngine(level, message, details);
    const isWanted = level === 'warn' || level === 'error' || config.debug !== undefined;
    if (isWanted) stderr(`heddle: ${message.replaceAll('\n', '\n  ')}\n`);
  };
  return { ...engine, runtime: { ...engine.runtime, log } };
}

export function exitOf({ exitCode, error = null }: { exitCode: number; error?: HeddleError | null }): ExitInfo {
  return { code: exitCode, signal: null, stderr: error?.message ?? '', error };
}

/** Calls back in the asynchronous context of the sender, before the line is read. */
function noteSender(engine: Engine, line: JsonObject): void {
  engine
    .telemetry()
    ?.then((telemetry) => telemetry?.noteSender(line))
    .catch(() => {}); // opening a session reports this error
}
