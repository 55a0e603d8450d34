import type { StreamEvent } from '../../src/model/model.ts';
import { type FakeApi, type FakeApiRequest, type FakeDialect, startFakeServer } from '../../src/testing/fake-server.ts';
import type { Script } from '../../src/testing/script.ts';
import { isObject, type JsonObject, stringField } from '../../src/util/json.ts';

/** OpenAI's Responses on a loopback port, from the same scripts; the signature of a thought is its encrypted content. */
export function startFakeResponses(script: Script<FakeApiRequest>): Promise<FakeApi> {
  return startFakeServer(script, RESPONSES);
}

/** The ids of the thoughts and calls that a request brings back. */
export function itemsOfKind(body: JsonObject, kind: string): JsonObject[] {
  return (body.input as JsonObject[]).filter(({ type }) => type === kind);
}

const RESPONSES: FakeDialect = {
  path: '/responses',
  basePath: '/v1',
  requestIdHeader: 'x-request-id',
  keepAlive: ': keep-alive\n\n',
  writer: eventWriter,
  whole: ({ head, model, content, stopReason, usage }) => ({
    ...response(head.id, model),
    ...ending(stopReason),
    output: content.map((block, at) => itemOf(block as unknown as JsonObject, at)),
    usage: countsOf(usage as unknown as JsonObject),
  }),
  error: ({ type, message }) => JSON.stringify({ error: { type, code: null, param: null, message } }),
  streamedError: ({ type, message }) => sse({ type: 'error', code: type, message, param: null, sequence_number: 99 }),
  other: () => null,
};

function eventWriter({ body }: FakeApiRequest): (event: StreamEvent) => string {
  const model = stringField(body, 'model') ?? '';
  let id = '';
  let usage: JsonObject = {};
  let number = 0;
  const output: JsonObject[] = [];
  const open = new Map<unknown, JsonObject>();
  const send = (fields: JsonObject & { type: string }) => sse({ ...fields, sequence_number: number++ });

  return (event) => {
    const at = event.index as number;
    const block = open.get(at) ?? {};
    const place: JsonObject = { output_index: at, item_id: `item_${at}` };
    switch (event.type) {
      case 'message_start': {
        const message = event.message as JsonObject;
        id = String(message.id);
        usage = message.usage as JsonObject;
        return send({ type: 'response.created', response: response(id, model) });
      }
      case 'ping':
        return RESPONSES.keepAlive;
      case 'content_block_start': {
        const first: JsonObject = { ...(event.content_block as JsonObject), json: '' };
        open.set(at, first);
        const item = { ...itemOf(first, at), status: 'in_progress', arguments: '', content: [], summary: [] };
        const added = send({ type: 'response.output_item.added', output_index: at, item });
        if (first.type === 'text') {
          const part = { type: 'output_text', text: '', annotations: [] };
          return added + send({ type: 'response.content_part.added', ...place, content_index: 0, part });
        }
        if (first.type !== 'thinking') return added;
        const part = { type: 'summary_text', text: '' };
        return added + send({ type: 'response.reasoning_summary_part.added', ...place, summary_index: 0, part });
      }
      case 'content_block_delta': {
        const delta = event.delta as JsonObject;
        if (delta.type === 'signature_delta') block.signature = delta.signature;
        if (delta.type === 'thinking_delta') {
          block.thinking = `${block.thinking}${delta.thinking}`;
          return send({
            type: 'response.reasoning_summary_text.delta',
            ...place,
            summary_index: 0,
            delta: delta.thinking,
          });
        }
        if (delta.type === 'text_delta') {
          block.text = `${block.text}${delta.text}`;
          return send({
            type: 'response.output_text.delta',
            ...place,
            content_index: 0,
            delta: delta.text,
            logprobs: [],
          });
        }
        if (delta.type !== 'input_json_delta') return '';
        block.json = `${block.json}${delta.partial_json}`;
        return send({ type: 'response.function_call_arguments.delta', ...place, delta: delta.partial_json });
      }
      case 'content_block_stop': {
        const item = itemOf(block, at);
        output.push(item);
        return send({ type: 'response.output_item.done', output_index: at, item });
      }
      case 'message_delta': {
        usage = { ...usage, ...(isObject(event.usage) ? event.usage : {}) };
        const end = ending(stringField(event.delta, 'stop_reason') ?? null);
        const type = end.status === 'completed' ? 'response.completed' : 'response.incomplete';
        return send({ type, response: { ...response(id, model), ...end, output, usage: countsOf(usage) } });
      }
      default:
        return '';
    }
  };
}

function sse(event: JsonObject): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function response(id: string, model: string): JsonObject {
  return { id, object: 'response', created_at: 0, status: 'in_progress', model, output: [], usage: null };
}

function ending(stopReason: string | null): JsonObject {
  const reason = stopReason === 'max_tokens' ? 'max_output_tokens' : stopReason === 'refusal' ? 'content_filter' : null;
  if (reason === null) return { status: 'completed', incomplete_details: null };
  return { status: 'incomplete', incomplete_details: { reason } };
}

function itemOf(block: JsonObject, at: number): JsonObject {
  switch (block.type) {
    case 'thinking': {
      const summary = block.thinking ? [{ type: 'summary_text', text: block.thinking }] : [];
      return { type: 'reasoning', id: `item_${at}`, summary, encrypted_content: block.signature ?? null };
    }
    case 'tool_use': {
      const json = typeof block.json === 'string' ? block.json : JSON.stringify(block.input);
      return {
        type: 'function_call',
        id: `item_${at}`,
        call_id: block.id,
        name: block.name,
        arguments: json,
        status: 'completed',
      };
    }
    default: {
      const content = [{ type: 'output_text', text: block.text ?? '', annotations: [] }];
      return { type: 'message', id: `item_${at}`, role: 'assistant', status: 'completed', content };
    }
  }
}

function countsOf(usage: JsonObject): JsonObject {
  const cached = Number(usage.cache_read_input_tokens ?? 0);
  const input = Number(usage.input_tokens ?? 0) + cached;
  const output = Number(usage.output_tokens ?? 0);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
