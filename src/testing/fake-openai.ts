import type { StreamEvent } from '../model/model.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { ContentBlock } from '../wire/api/content.ts';
import { textOf } from '../wire/api/text-of.ts';
import type { ApiUsage } from '../wire/api/usage.ts';
import { type FakeApi, type FakeApiRequest, type FakeDialect, startFakeServer } from './fake-server.ts';
import type { Script } from './script.ts';

/**
 * Chat completions on a loopback port, from the same scripts as `startFakeApi`; set OPENAI_BASE_URL to its `url`.
 * Signatures of thoughts are lost, because this API has none.
 *
 * @example
 * ```ts
 * import { query } from 'heddle';
 *
 * const api = await startFakeOpenAi(['Hello!']);
 * const env = { ...process.env, OPENAI_API_KEY: 'test', OPENAI_BASE_URL: api.url };
 * for await (const message of query({ prompt: 'hello', options: { env, model: 'openai/test' } })) console.log(message.type);
 * await api.close();
 * ```
 */
export function startFakeOpenAi(script: Script<FakeApiRequest>): Promise<FakeApi> {
  return startFakeServer(script, CHAT_COMPLETIONS);
}

const DONE = 'data: [DONE]\n\n';

const CHAT_COMPLETIONS: FakeDialect = {
  path: '/chat/completions',
  basePath: '/v1',
  requestIdHeader: 'x-request-id',
  keepAlive: ': keep-alive\n\n',
  writer: chunkWriter,
  whole: ({ head, model, content, stopReason, usage }) => ({
    id: head.id,
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message: messageOf(content), finish_reason: finishReason(stopReason) }],
    usage: countsOf(usage),
  }),
  error: errorBody,
  streamedError: (error) => `data: ${errorBody(error)}\n\n`,
  other: () => null,
};

/** Writes each event as the chunks of this API. */
function chunkWriter({ body }: FakeApiRequest): (event: StreamEvent) => string {
  let head: JsonObject = {};
  let usage: JsonObject = {};
  /** Tool calls have their own numbers, separate from other blocks. */
  const numbers = new Map<unknown, number>();
  const chunk = (fields: JsonObject) => `data: ${JSON.stringify({ ...head, ...fields })}\n\n`;
  const delta = (fields: JsonObject, finish: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: fields, finish_reason: finish }] });

  return (event) => {
    switch (event.type) {
      case 'message_start': {
        const message = isObject(event.message) ? event.message : {};
        head = { id: message.id, object: 'chat.completion.chunk', created: 0, model: message.model };
        usage = isObject(message.usage) ? message.usage : {};
        return delta({ role: 'assistant', content: '' });
      }
      case 'ping':
        return CHAT_COMPLETIONS.keepAlive;
      case 'content_block_start': {
        const block = isObject(event.content_block) ? event.content_block : {};
        if (block.type !== 'tool_use') return '';
        const index = numbers.size;
        numbers.set(event.index, index);
        const called = { name: block.name, arguments: '' };
        return delta({ tool_calls: [{ index, id: block.id, type: 'function', function: called }] });
      }
      case 'content_block_delta': {
        const fields = deltaOf(event.delta, numbers.get(event.index));
        return fields ? delta(fields) : '';
      }
      case 'message_delta': {
        const last = delta({}, finishReason(stringField(event.delta, 'stop_reason') ?? null));
        const asked = isObject(body.stream_options) && body.stream_options.include_usage === true;
        const counts = { ...usage, ...(isObject(event.usage) ? event.usage : {}) };
        return asked ? last + chunk({ choices: [], usage: countsOf(counts as ApiUsage) }) : last;
      }
      case 'message_stop':
        return DONE;
      default:
        return '';
    }
  };
}

function deltaOf(delta: unknown, call: number | undefined): JsonObject | null {
  switch (stringField(delta, 'type')) {
    case 'text_delta':
      return { content: stringField(delta, 'text') };
    case 'thinking_delta':
      return { reasoning_content: stringField(delta, 'thinking') };
    case 'input_json_delta':
      return { tool_calls: [{ index: call, function: { arguments: stringField(delta, 'partial_json') } }] };
    default:
      return null;
  }
}

function messageOf(content: readonly ContentBlock[]): JsonObject {
  const text = textOf(content, '');
  const thoughts = content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join('');
  const calls = content.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ id: block.id, type: 'function', function: { name: block.name, arguments: JSON.stringify(block.input) } }]
      : [],
  );
  return {
    role: 'assistant',
    content: text || null,
    ...(thoughts && { reasoning_content: thoughts }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function countsOf({ input_tokens, cache_read_input_tokens, output_tokens }: ApiUsage): JsonObject {
  const cached = cache_read_input_tokens ?? 0;
  return {
    prompt_tokens: input_tokens + cached,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + cached + output_tokens,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

function finishReason(stopReason: string | null): string | null {
  switch (stopReason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'tool_use':
      return 'tool_calls';
    case 'max_tokens':
      return 'length';
    case 'refusal':
      return 'content_filter';
    default:
      return stopReason;
  }
}

function errorBody({ type, message }: { type: string; message: string }): string {
  return JSON.stringify({ error: { message, type, param: null, code: null } });
}
