import type { Attributes, Context, Span, SpanContext, SpanKind, Tracer } from '@opentelemetry/api';
import type { TracedSession } from './telemetry.ts';

/** What the spans of a session are made with. */
export interface Tracing {
  api: typeof import('@opentelemetry/api');
  tracer(): Tracer;
  capturesContent: boolean;
  /** The code behind a span is the program's own: what it throws fails no run. */
  onTrouble(error: unknown): void;
  session: TracedSession;
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

/** A span for those who do the work. None of its methods throws; `within` only what the work does. */
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
export async function inSpan<T>(tracing: Tracing, spec: SpanSpec, work: (span: WorkSpan) => Promise<T>): Promise<T> {
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

export function startSpan(tracing: Tracing, spec: SpanSpec): WorkSpan {
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
    fail(type) {
      tell(() => ({ 'error.type': type }));
      toSpan((to) => to.setStatus({ code: api.SpanStatusCode.ERROR }));
    },
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
