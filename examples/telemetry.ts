// What an agent does as spans of OpenTelemetry, below those of the program. This one prints them; yours would register
// an exporter instead of the processor here.
import { context, type SpanContext, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { query, successOf } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';
import { createMemoryStore } from 'heddle/stores/memory';

const ended: ReadableSpan[] = [];
const collecting: SpanProcessor = {
  onStart() {},
  onEnd: (span) => void ended.push(span),
  async forceFlush() {},
  async shutdown() {},
};
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [collecting] }));

const engine = createEngine({
  cwd: process.cwd(),
  env: { PATH: process.env.PATH },
  store: createMemoryStore(),
  telemetry: true,
});
await trace.getTracer('shop').startActiveSpan('answer a customer', async (span) => {
  for await (const message of query({
    prompt: 'run: echo weft',
    options: { model: 'offline', transport: inProcess(engine), allowedTools: ['Bash'] },
  })) {
    if (message.type === 'result') console.log(successOf(message).num_turns, 'turns');
  }
  span.end();
});
await engine.close();
show(undefined, '');

function show(parent: SpanContext | undefined, indent: string): void {
  for (const span of ended.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent?.spanId)) {
    console.log(`${indent}${span.name}`);
    show(span.spanContext(), `${indent}  `);
  }
}
