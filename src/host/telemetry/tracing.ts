import type { Attributes, Context, Span, SpanContext, SpanKind, Tracer } from '@opentelemetry/api';
import { optionalPackage, type PackageLoader } from '../../tools/optional-package.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import { HEDDLE_VERSION } from '../../wire/version.ts';
import type { TelemetryOptions, TracedSession } from './telemetry.ts';

/** What the spans of an engine are made with. */
export interface Tracing {
  api: typeof import('@opentelemetry/api');
  tracer(): Tracer;
  capturesContent: boolean;
  onTrouble(error: unknown): void;
}

/** The same for one of its sessions. */
export interface SessionTracing extends Tracing {
  session: TracedSession;
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

/** A span for those who do the work. The code behind it is the program's own: what that throws is said once, and fails no run. */
export interface WorkSpan {
  /** Undefined where the span could not be started. */
  spanContext(): SpanContext | undefined;
  tell(attributes: () => Attributes): void;
  /** What was said; told only where that was asked for. */
  quote(attributes: () => Attributes): void;
  tellEvent(name: string, attributes: Attributes): void;
  /** By a word, never by a message: messages quote what was said. */
  fail(type: string): void;
  /** Does the work in the context of the span: what begins meanwhile is below it. */
  within<T>(work: () => T): T;
  end(): void;
}

/** Does the work within a span, which ends with it, whatever comes of it. */
export async function inSpan<T>(
  tracing: SessionTracing,
  spec: SpanSpec,
  work: (span: WorkSpan) => Promise<T>,
): Promise<T> {
  const span = startSpan(tracing, spec);
  try {
    return await span.within(() => work(span));
  } catch (error) {
    span.fail(spec.errorType?.(error) ?? errorType(error));
    throw error;
  } finally {
    span.end();
  }
}

export function startSpan(tracing: SessionTracing, spec: SpanSpec): WorkSpan {
  const { api, capturesContent, session } = tracing;
  const { parent = api.context.active() } = spec;
  const guarded = <T>(ask: () => T): T | undefined => {
    try {
      return ask();
    } catch (error) {
      tracing.onTrouble(error);
      return undefined;
    }
  };
  const span = guarded(() => {
    const attributes = { ...spec.attributes, 'gen_ai.conversation.id': session.id() };
    return tracing.tracer().startSpan(spec.name, { kind: spec.kind ?? api.SpanKind.INTERNAL, attributes }, parent);
  });
  const context = span ? api.trace.setSpan(parent, span) : parent;
  const toSpan = (tell: (to: Span) => unknown) => {
    if (span) guarded(() => tell(span));
  };
  const tell: WorkSpan['tell'] = (attributes) => toSpan((to) => to.setAttributes(attributes()));
  return {
    spanContext: () => guarded(() => span?.spanContext()),
    tell,
    quote: capturesContent ? tell : () => {},
    tellEvent: (name, attributes) => toSpan((to) => to.addEvent(name, attributes)),
    fail: (type) => toSpan((to) => to.setAttribute('error.type', type).setStatus({ code: api.SpanStatusCode.ERROR })),
    within: (work) => api.context.with(context, work),
    end: () => toSpan((to) => to.end()),
  };
}

/** Its code or its name, as far as these are words: anybody may write anything into them. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return OTHER;
  const words = ['code' in error ? error.code : undefined, error.name];
  return words.find((word): word is string => typeof word === 'string' && WORD.test(word)) ?? OTHER;
}

const OTHER = '_OTHER';
const WORD = /^\w{1,64}$/;
