import type { Attributes } from '@opentelemetry/api';
import { type Accumulator, createAccumulator } from '../../model/accumulate.ts';
import { isGroup } from '../../model/each-event.ts';
import type { Failure, Model, ModelEvent, ModelRequest, ModelYield } from '../../model/model.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import { messagesText, systemText } from './conversation-attributes.ts';
import { errorType, startSpan, type Tracing, type WorkSpan } from './tracing.ts';

/** The model with a `chat` span around each call. Retries are events of the span. */
export function tracedModel(tracing: Tracing, model: Model): Model {
  return {
    provider: model.provider,
    stream: (request, signal) => tracedStream(tracing, model, request, signal),
    ...(model.close && { close: () => model.close?.() }),
  };
}

async function* tracedStream(
  tracing: Tracing,
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelYield, void> {
  const span = startChat(tracing, model, request);
  const notes = noteAnswer(tracing, span);
  try {
    for await (const item of steppedWithin(span, () => model.stream(request, signal))) {
      for (const event of isGroup(item) ? item : [item]) notes.note(event);
      yield item;
    }
  } catch (error) {
    span.fail(errorType(error)); // a model should not throw, but the program's own may
    throw error;
  } finally {
    notes.report();
    span.end();
  }
}

/** Requests each step within the span, because the body of a generator runs in the context of its caller. */
function steppedWithin<T>(span: WorkSpan, begin: () => AsyncIterable<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const steps = span.within(() => begin()[Symbol.asyncIterator]());
      return {
        next: () => span.within(() => steps.next()),
        return: async () => (await span.within(() => steps.return?.())) ?? { done: true, value: undefined },
      };
    },
  };
}

function startChat(tracing: Tracing, model: Model, request: ModelRequest): WorkSpan {
  const { hide } = tracing.session;
  const span = startSpan(tracing, {
    name: `chat ${request.model}`,
    kind: tracing.api.SpanKind.CLIENT,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': model.provider,
      'gen_ai.request.model': request.model,
      'gen_ai.request.max_tokens': request.maxOutputTokens,
      'gen_ai.request.stream': true,
    },
  });
  span.quote(() => ({
    'gen_ai.system_instructions': systemText(request.system, hide),
    'gen_ai.input.messages': messagesText(request.messages, hide),
  }));
  return span;
}

interface AnswerNotes {
  note(event: ModelEvent): void;
  /** Reports the answer, as far as it has arrived. */
  report(): void;
}

function noteAnswer({ capturesContent, session }: Tracing, span: WorkSpan): AnswerNotes {
  let answer = createAccumulator();
  let content: ContentBlock[] = [];
  return {
    note(event) {
      switch (event.type) {
        case 'event': {
          const completed = answer.add(event.event);
          if (completed && capturesContent) content.push(completed.block);
          break;
        }
        case 'retry':
          span.addEvent('retry', { ...failureAttributes(event.failure), 'heddle.retry.attempt': event.attempt });
          answer = createAccumulator();
          content = [];
          break;
        case 'failure':
          span.fail(event.failure.class);
          span.setAttributes(() => failureAttributes(event.failure));
          break;
      }
    },
    report() {
      if (answer.started) span.setAttributes(() => answerAttributes(answer));
      if (content.length === 0) return;
      span.quote(() => ({ 'gen_ai.output.messages': messagesText([{ role: 'assistant', content }], session.hide) }));
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

/** Leaves out the message of the failure: providers quote the request in it. */
function failureAttributes({ class: type, status }: Failure): Attributes {
  return { 'error.type': type, ...(status !== undefined && { 'http.response.status_code': status }) };
}

/** Tokens as the conventions count them: tokens from a cache are part of the input. */
export function usageAttributes(usage: CountedTokens): Attributes {
  const { input_tokens: fresh, output_tokens: output } = usage;
  const read = usage.cache_read_input_tokens ?? 0;
  const created = usage.cache_creation_input_tokens ?? 0;
  return {
    'gen_ai.usage.input_tokens': fresh + read + created,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.cache_read.input_tokens': read,
    'gen_ai.usage.cache_creation.input_tokens': created,
  };
}

interface CountedTokens {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens?: number | null | undefined;
  cache_creation_input_tokens?: number | null | undefined;
}
