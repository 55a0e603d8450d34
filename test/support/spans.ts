import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';

/** The spans of the running test, once they have ended: what a program that has registered a provider would export. */
export interface SpanLog {
  all(): ReadableSpan[];
  /** The names, each below that of its parent, in the order in which they began. */
  tree(): string[];
  /** The one whose name begins like this. */
  named(start: string): ReadableSpan;
}

/** Registers a provider for this test file. A span ends before the result of its turn is told, whatever came. */
export function collectSpans(): SpanLog {
  const exporter = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const begun = new Set<ReadableSpan>();
  const watching: SpanProcessor = {
    onStart: (span) => void begun.add(span as unknown as ReadableSpan),
    onEnd: (span) => void begun.delete(span),
    async forceFlush() {},
    async shutdown() {},
  };
  const spanProcessors = [watching, new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  afterAll(() => {
    trace.disable();
    context.disable();
  });
  beforeEach(() => {
    exporter.reset();
    begun.clear();
  });
  afterEach(() => expect(openNames()).toEqual([]));
  const openNames = () => [...begun].map(({ name }) => name);
  const all = () => exporter.getFinishedSpans();
  return {
    all,
    tree: () => treeOf(all()),
    named(start) {
      const found = all().find(({ name }) => name.startsWith(start));
      if (!found) throw new Error(`No span ${start} among ${all().map(({ name }) => name)}`);
      return found;
    },
  };
}

function treeOf(spans: readonly ReadableSpan[]): string[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const parentOf = ({ parentSpanContext: parent }: ReadableSpan) =>
    parent && ids.has(parent.spanId) ? parent.spanId : undefined;
  const ordered = spans.toSorted((a, b) => timeOf(a) - timeOf(b));
  const below = (parent: string | undefined, indent: string): string[] =>
    ordered
      .filter((span) => parentOf(span) === parent)
      .flatMap((span) => [`${indent}${span.name}`, ...below(span.spanContext().spanId, `${indent}  `)]);
  return below(undefined, '');
}

function timeOf({ startTime: [seconds, nanoseconds] }: ReadableSpan): number {
  return seconds * 1e3 + nanoseconds / 1e6;
}
