import type { Context, Tracer } from '@opentelemetry/api';
import { optionalPackage, type PackageLoader } from '../../tools/optional-package.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import { HEDDLE_VERSION } from '../../wire/version.ts';
import type { EngineTelemetry, TelemetryOptions } from '../engine/telemetry.ts';
import { sessionTelemetry } from './session-telemetry.ts';

/** Null when the package is missing. The program installs it, because its exporters must share it. */
export async function engineTelemetry(
  options: TelemetryOptions,
  log: Logger,
  load: PackageLoader<'@opentelemetry/api'> = () => optionalPackage('@opentelemetry/api'),
): Promise<EngineTelemetry | null> {
  const api = await load();
  if (!api) {
    log('warn', 'Telemetry is off: the package @opentelemetry/api is not installed beside heddle');
    return null;
  }
  const { tracer: own, captureContent: capturesContent = false } = options;
  const senders = new WeakMap<object, Context>();
  let isReported = false;
  const engine = {
    api,
    capturesContent,
    // Called for each span: the program may register the provider after it made the engine.
    tracer: () => (own as Tracer | undefined) ?? api.trace.getTracer('heddle', HEDDLE_VERSION),
    onTrouble(error: unknown) {
      if (!isReported) log('warn', `Spans are lost: ${messageOf(error)}`);
      isReported = true;
    },
    senderOf: (line: object) => senders.get(line),
  };
  return {
    noteSender(line) {
      if (line.type === 'user') senders.set(line, api.context.active());
    },
    open: (session) => sessionTelemetry({ ...engine, session }),
  };
}
