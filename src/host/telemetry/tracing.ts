import type { Attributes, Context, Span, SpanKind, Tracer } from '@opentelemetry/api';
import { optionalPackage, type PackageLoader } from '../../tools/optional-package.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import { HEDDLE_VERSION } from '../../wire/version.ts';
import type { TelemetryOptions } from './telemetry.ts';

/** What every span is made with. */
export interface Tracing {
  api: typeof import('@opentelemetry/api');
  tracer(): Tracer;
  capturesContent: boolean;
  /** The code behind a span is the program's own. What it throws is said once, and fails no run. */
  onTrouble(error: unknown): void;
}

/** Null where the package is missing: it is the program's own, because its exporters must share it. */
export async function openTracing(
  options: TelemetryOptions,
  log: Logger,
  load: PackageLoader<'@opentelemetry/api'> = () => optionalPackage('@opentelemetry/api'),
): Promise<Tracing | null> {
  const api = await load();
  if (!api) {
    log('warn', 'Telemetry is off: the package @opentelemetry/api is not installed beside heddle');
    return null;
  }
  const { tracer: own, captureContent = false } = options;
  let isTold = false;
  return {
    api,
    // Asked for each span: the provider may be registered after the engine was made.
    tracer: () => (own as Tracer | undefined) ?? api.trace.getTracer('heddle', HEDDLE_VERSION),
    capturesContent: captureContent,
    onTrouble(error) {
      if (!isTold) log('warn', `Spans are lost: ${messageOf(error)}`);
      isTold = true;
    },
  };
}

export interface SpanSpec {
  name: string;
  kind?: SpanKind;
  attributes: Attributes;
  /** Default: what is active. */
  parent?: Context;
  /** What kind of trouble it is that the work throws; undefined where that is not known better than by its name. */
  errorType?(error: unknown): string | undefined;
}

/** Does the work within a span, which ends with it, whatever comes of it. */
export async function inSpan<T>(tracing: Tracing, spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T> {
  const { api } = tracing;
  const { parent = api.context.active() } = spec;
  const span = startSpan(tracing, { ...spec, parent });
  try {
    return await api.context.with(api.trace.setSpan(parent, span), () => work(span));
  } catch (error) {
    markFailed(tracing, span, spec.errorType?.(error) ?? errorType(error));
    throw error;
  } finally {
    endSpan(tracing, span);
  }
}

export function startSpan(tracing: Tracing, { name, kind, attributes, parent }: SpanSpec): Span {
  const { api } = tracing;
  const options = { kind: kind ?? api.SpanKind.INTERNAL, attributes };
  try {
    return tracing.tracer().startSpan(name, options, parent ?? api.context.active());
  } catch (error) {
    tracing.onTrouble(error);
    return api.trace.wrapSpanContext(api.INVALID_SPAN_CONTEXT);
  }
}

export function endSpan(tracing: Tracing, span: Span): void {
  try {
    span.end();
  } catch (error) {
    tracing.onTrouble(error);
  }
}

/** By a word, never by a message: messages quote what was said. */
export function markFailed({ api }: Tracing, span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: api.SpanStatusCode.ERROR });
}

function errorType(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : '_OTHER';
}
