import type { Attributes, Span } from '@opentelemetry/api';
import { type Accumulator, createAccumulator } from '../../model/accumulate.ts';
import { isGroup } from '../../model/each-event.ts';
import type { Failure, Model, ModelEvent, ModelRequest, ModelYield } from '../../model/model.ts';
import type { ContentBlock } from '../../wire/content.ts';
import { messagesText, systemText } from './content.ts';
import { conversationOf } from './conversation-id.ts';
import { endSpan, markFailed, startSpan, type Tracing } from './tracing.ts';
import { usageAttributes } from './usage.ts';

/** The model with a span, `chat`, around each of its calls; its retries are events of that span. */
export function tracedModel(tracing: Tracing, model: Model): Model {
  return {
    provider: model.provider,
    stream: (request, signal) => tracedStream(tracing, model, request, signal),
    ...(model.close && { close: () => model.close?.() }),
  };
}

/** Each `next` of the inner stream runs in the span's context: a generator's body has that of whoever asks it. */
async function* tracedStream(
  tracing: Tracing,
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelYield, void> {
  const { api } = tracing;
  const chat = startChat(tracing, model, request);
  const context = api.trace.setSpan(api.context.active(), chat.span);
  const source = model.stream(request, signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await api.context.with(context, () => source.next());
      if (step.done) return;
      for (const event of isGroup(step.value) ? step.value : [step.value]) chat.note(event);
      yield step.value;
    }
  } finally {
    // Whoever has heard enough leaves; so does the call.
    await Promise.resolve(source.return?.()).finally(() => chat.end());
  }
}

interface Chat {
  span: Span;
  note(event: ModelEvent): void;
  end(): void;
}

function startChat(tracing: Tracing, model: Model, request: ModelRequest): Chat {
  const { api, capturesContent } = tracing;
  const span = startSpan(tracing, {
    name: `chat ${request.model}`,
    kind: api.SpanKind.CLIENT,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': model.provider,
      'gen_ai.request.model': request.model,
      'gen_ai.request.max_tokens': request.maxOutputTokens,
      'gen_ai.request.stream': true,
      ...conversationOf(api.context.active()),
      ...(capturesContent && {
        'gen_ai.system_instructions': systemText(request.system),
        'gen_ai.input.messages': messagesText(request.messages),
      }),
    },
  });
  let answer = createAccumulator();
  let blocks: ContentBlock[] = [];
  return {
    span,
    note(event) {
      switch (event.type) {
        case 'event': {
          const completed = answer.add(event.event);
          if (completed && capturesContent) blocks.push(completed.block);
          break;
        }
        case 'retry':
          span.addEvent('retry', { ...failureAttributes(event.failure), 'heddle.retry.attempt': event.attempt });
          answer = createAccumulator();
          blocks = [];
          break;
        case 'failure':
          span.setAttributes(failureAttributes(event.failure));
          markFailed(tracing, span, event.failure.class);
          break;
      }
    },
    end() {
      if (answer.started) span.setAttributes(answerAttributes(answer));
      if (blocks.length > 0) {
        span.setAttribute('gen_ai.output.messages', messagesText([{ role: 'assistant', content: blocks }]));
      }
      endSpan(tracing, span);
    },
  };
}

function answerAttributes({ head, usage, stopReason }: Accumulator): Attributes {
  return {
    'gen_ai.response.id': head.id,
    'gen_ai.response.model': head.model,
    ...(stopReason !== null && { 'gen_ai.response.finish_reasons': [stopReason] }),
    ...usageAttributes(usage),
  };
}

/** Not its message: providers quote what they were sent. */
function failureAttributes({ class: type, status }: Failure): Attributes {
  return { 'error.type': type, ...(status !== undefined && { 'http.response.status_code': status }) };
}
