import type { Context, SpanContext } from '@opentelemetry/api';
import type { Env } from '../engine/environment.ts';
import type { Tracing } from './tracing.ts';

/** The W3C headers of a span, by name; empty for a span that is not recorded. */
export function traceHeaders({ api }: Tracing, span: SpanContext | undefined): Record<string, string> {
  if (!span || !api.isSpanContextValid(span)) return {};
  const { traceId, spanId, traceFlags } = span;
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  const tracestate = span.traceState?.serialize();
  return { traceparent, ...(tracestate && { tracestate }) };
}

/** The headers of a span as environment variables. Removes an inherited state, which belongs to another trace. */
export function traceVariables(tracing: Tracing, span: SpanContext | undefined): Record<string, string> {
  const { traceparent, tracestate = '' } = traceHeaders(tracing, span);
  return traceparent === undefined ? {} : { TRACEPARENT: traceparent, TRACESTATE: tracestate };
}

/** The context with the span that TRACEPARENT names; unchanged when the variable names none. */
export function withEnvSpan({ api }: Tracing, env: Env, context: Context): Context {
  const [, version, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(env.TRACEPARENT?.trim() ?? '') ?? [];
  const span: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(env.TRACESTATE && { traceState: api.createTraceState(env.TRACESTATE) }),
  };
  return version !== 'ff' && api.isSpanContextValid(span) ? api.trace.setSpanContext(context, span) : context;
}

/** Later versions may append fields. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
