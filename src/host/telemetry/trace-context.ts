import type { Context, SpanContext } from '@opentelemetry/api';
import type { Env } from '../home.ts';
import type { Tracing } from './tracing.ts';

/** The W3C headers of a span, by their names; nothing for a span that nobody records. */
export function traceHeaders({ api }: Tracing, span: SpanContext | undefined): Record<string, string> {
  if (!span || !api.isSpanContextValid(span)) return {};
  const { traceId, spanId, traceFlags } = span;
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  const tracestate = span.traceState?.serialize();
  return { traceparent, ...(tracestate && { tracestate }) };
}

/** The same as variables of the environment. An inherited state belongs to another trace, so it does not stay. */
export function traceVariables(tracing: Tracing, span: SpanContext | undefined): Record<string, string> {
  const { traceparent, tracestate = '' } = traceHeaders(tracing, span);
  return traceparent === undefined ? {} : { TRACEPARENT: traceparent, TRACESTATE: tracestate };
}

/** The context with the span that TRACEPARENT names; as it is where that names none. */
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

/** Later versions may say more behind it. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
