// What a program does that wants traces: registers a provider. This one appends each span to the file SPANS_FILE.
import { appendFileSync } from 'node:fs';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';

const toFile = {
  onStart() {},
  onEnd(ended) {
    const { name, attributes, parentSpanContext } = ended;
    const span = { name, attributes, parent: parentSpanContext?.spanId, ...ended.spanContext() };
    appendFileSync(process.env.SPANS_FILE, `${JSON.stringify(span)}\n`);
  },
  async forceFlush() {},
  async shutdown() {},
};

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [toFile] }));
