import { AsyncResource } from 'node:async_hooks';
import type { JsonObject } from '../../util/json.ts';
import type { Logger } from '../../util/runtime.ts';
import type { Env } from '../home.ts';
import type { Telemetry, TelemetryOptions } from './telemetry.ts';
import type { Tracing } from './tracing.ts';

/** The telemetry of an engine for which it is on. Everything that knows of OpenTelemetry is loaded with its first session. */
export interface EngineTelemetry {
  /** Whoever sends this message now is doing something; the turn that answers it belongs to that. */
  noteSender(line: JsonObject): void;
  /** For a session with this environment; null where the package is missing, which is said once. */
  open(env: Env): Promise<Telemetry | null>;
}

export function engineTelemetry(options: TelemetryOptions, log: Logger): EngineTelemetry {
  const senders = new WeakMap<object, AsyncResource>();
  let tracing: Promise<Tracing | null> | null = null;
  return {
    noteSender(line) {
      if (line.type === 'user') senders.set(line, new AsyncResource('HeddleSender'));
    },
    async open(env) {
      const { openTracing } = await import('./tracing.ts');
      tracing ??= openTracing(options, log);
      const opened = await tracing;
      if (!opened) return null;
      const { sessionTelemetry } = await import('./session-telemetry.ts');
      return sessionTelemetry(opened, { env, senderOf: (line) => senders.get(line) });
    },
  };
}
