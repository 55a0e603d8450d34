import type { Attributes, Context, Span, SpanContext, SpanKind, Tracer } from '@opentelemetry/api';
import type { TracedSession } from '../engine/telemetry.ts';

/** The parts that the spans of a session are made from. */
export interface Tracing {
  api: typeof import('@opentelemetry/api');
  tracer(): Tracer;
  capturesContent: boolean;
  /** The program's own code implements spans. An error that it throws does not fail the run. */
  onTrouble(error: unknown): void;
  session: TracedSession;
}

export interface SpanSpec {
  name: string;
  kind?: SpanKind;
  attributes: Attributes;
  /** Default: the active context. */
  parent?: Context;
  /** The type of an error that the work throws; undefined: use the name of the error. */
  errorType?(error: unknown): string | undefined;
}

/** A span for the code that does the work. Its methods never throw; `within` throws only what the work throws. */
export interface WorkSpan {
  /** Undefined when the span could not be started. */
  spanContext(): SpanContext | undefined;
  setAttributes(attributes: () => Attributes): void;
  /** Adds contents of the conversation, if the program asked for contents. */
  quote(attributes: () => Attributes): void;
  addEvent(name: string, attributes: Attributes): void;
  /** Takes a word, never a message: messages quote contents. */
  fail(type: string): void;
  /** Runs the work in the context of the span: spans that start meanwhile are its children. */
  within<T>(work: () => T): T;
  end(): void;
}

/** Runs the work within a span. The span ends when the work returns or throws. */
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
  const setAttributes: WorkSpan['setAttributes'] = (attributes) => toSpan((to) => to.setAttributes(attributes()));
  return {
    spanContext: () => guarded(() => span?.spanContext()),
    setAttributes,
    quote: capturesContent ? setAttributes : () => {},
    addEvent: (name, attributes) => toSpan((to) => to.addEvent(name, attributes)),
    fail(type) {
      setAttributes(() => ({ 'error.type': type }));
      toSpan((to) => to.setStatus({ code: api.SpanStatusCode.ERROR }));
    },
    within: (work) => api.context.with(context, work),
    end: () => toSpan((to) => to.end()),
  };
}

/** The code or the name of an error if it is a single word, because any code may write any text into them. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return OTHER;
  const words = ['code' in error ? error.code : undefined, error.name];
  return words.find((word): word is string => typeof word === 'string' && WORD.test(word)) ?? OTHER;
}

const OTHER = '_OTHER';
const WORD = /^\w{1,64}$/;
