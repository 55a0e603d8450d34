import { isObject, type JsonObject, stringField, tryParseJson } from '../../util/json.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { ApiUsage } from '../../wire/api/usage.ts';
import { failureOfErrorText } from '../failures.ts';
import { asEvent, type Dialect, failed } from '../http/stream-reader.ts';
import type { ModelEvent, StreamEvent } from '../model.ts';

export interface ResponsesDialectOptions {
  /** The model's name in Heddle, for the answer's head. */
  model: string;
  requestId: string | null;
  runtime: Runtime;
  /** Who gets the encrypted thoughts back. */
  provider: string;
}

/** Translates the events of a response into events of the Messages API. */
export function createResponsesDialect(options: ResponsesDialectOptions): Dialect {
  const { requestId, runtime } = options;
  const answer: Answer = {
    options,
    out: [],
    isStarted: false,
    nextIndex: 0,
    hasCalls: false,
    hasRefused: false,
    open: new Map(),
  };
  return {
    take({ event: name, data }, events) {
      answer.out = events;
      const event = tryParseJson(data);
      if (isObject(event)) return takeEvent(answer, event);
      if (data.trimStart().startsWith('{')) {
        events.push(failed('malformed', 'The API sent an unreadable event.', requestId));
        return true;
      }
      runtime.log('debug', 'Passed over a stream event that is no JSON object', { event: name });
      return false;
    },
    complete: () => null,
    whole(body) {
      if (!Array.isArray(body.output)) return null;
      answer.out = [];
      for (const [at, item] of body.output.entries()) itemDone(answer, { item, output_index: at });
      finish(answer, body);
      return answer.out;
    },
  };
}

/** An answer while it streams. */
interface Answer {
  readonly options: ResponsesDialectOptions;
  /** Where the events of the current piece go. */
  out: ModelEvent[];
  isStarted: boolean;
  nextIndex: number;
  hasCalls: boolean;
  hasRefused: boolean;
  /** The items that have a block, by their place in the output. */
  readonly open: Map<unknown, OpenItem>;
}

interface OpenItem {
  index: number;
  /** Whether any piece of its content has been emitted. */
  hasContent: boolean;
}

/** Returns whether the event was more than a keep-alive. */
function takeEvent(answer: Answer, event: JsonObject): boolean {
  const delta = stringField(event, 'delta') ?? '';
  switch (event.type) {
    case 'response.created':
      start(answer);
      return true;
    case 'response.output_item.added':
      if (isObject(event.item) && event.item.type === 'function_call') openCall(answer, event.output_index, event.item);
      return true;
    case 'response.reasoning_summary_part.added':
      if (answer.open.get(event.output_index)?.hasContent) think(answer, event, '\n\n');
      return true;
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      think(answer, event, delta);
      return true;
    case 'response.refusal.delta':
      answer.hasRefused = true;
      write(answer, event, delta);
      return true;
    case 'response.output_text.delta':
      write(answer, event, delta);
      return true;
    case 'response.function_call_arguments.delta': {
      const call = answer.open.get(event.output_index);
      if (call) grow(answer, call, { type: 'input_json_delta', partial_json: delta });
      return true;
    }
    case 'response.output_item.done':
      itemDone(answer, event);
      return true;
    case 'response.completed':
    case 'response.incomplete':
      finish(answer, isObject(event.response) ? event.response : {});
      return true;
    case 'response.failed':
      fail(answer, isObject(event.response) ? event.response.error : null);
      return true;
    case 'error':
      fail(answer, isObject(event.error) ? event.error : { code: event.code, message: event.message });
      return true;
    default:
      return false;
  }
}

function emit({ out }: Answer, event: StreamEvent): void {
  out.push(asEvent(event));
}

function newId({ options: { runtime } }: Answer): string {
  return runtime.ids.uuid().replaceAll('-', '');
}

function start(answer: Answer): void {
  if (answer.isStarted) return;
  answer.isStarted = true;
  const { model } = answer.options;
  const message = { id: `msg_${newId(answer)}`, type: 'message', role: 'assistant', model, content: [] };
  const usage = usageOf({});
  emit(answer, { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } });
}

function blockOf(answer: Answer, at: unknown, first: JsonObject): OpenItem {
  start(answer);
  const known = answer.open.get(at);
  if (known) return known;
  const item = { index: answer.nextIndex++, hasContent: false };
  answer.open.set(at, item);
  emit(answer, { type: 'content_block_start', index: item.index, content_block: first });
  return item;
}

function grow(answer: Answer, item: OpenItem, delta: JsonObject): void {
  item.hasContent = true;
  emit(answer, { type: 'content_block_delta', index: item.index, delta });
}

function close(answer: Answer, at: unknown): void {
  const item = answer.open.get(at);
  if (!item) return;
  answer.open.delete(at);
  emit(answer, { type: 'content_block_stop', index: item.index });
}

/** The block names the provider: only it gets the thought back, with the id that it gave. */
function thoughtOf({ options: { provider } }: Answer, id: unknown): JsonObject {
  return { type: 'thinking', thinking: '', signature: '', provider, ...(typeof id === 'string' && { id }) };
}

function think(answer: Answer, event: JsonObject, text: string): void {
  const item = blockOf(answer, event.output_index, thoughtOf(answer, event.item_id));
  grow(answer, item, { type: 'thinking_delta', thinking: text });
}

function write(answer: Answer, event: JsonObject, text: string): void {
  grow(answer, blockOf(answer, event.output_index, { type: 'text', text: '' }), { type: 'text_delta', text });
}

function openCall(answer: Answer, at: unknown, item: JsonObject): OpenItem {
  answer.hasCalls = true;
  const id = stringField(item, 'call_id') || `call_${newId(answer)}`;
  return blockOf(answer, at, { type: 'tool_use', id, name: stringField(item, 'name') ?? '', input: {} });
}

/** An item as a whole: what has not come in pieces is emitted now. */
function itemDone(answer: Answer, event: JsonObject): void {
  const { item, output_index: at } = event;
  if (!isObject(item)) return;
  switch (item.type) {
    case 'reasoning':
      reasoningDone(answer, at, item);
      break;
    case 'message':
      if (!answer.open.get(at)?.hasContent) for (const text of textsOf(item.content)) write(answer, event, text);
      break;
    case 'function_call': {
      const call = openCall(answer, at, item);
      const text = stringField(item, 'arguments') ?? '';
      if (!call.hasContent && text !== '') grow(answer, call, { type: 'input_json_delta', partial_json: text });
      break;
    }
  }
  close(answer, at);
}

function reasoningDone(answer: Answer, at: unknown, item: JsonObject): void {
  const encrypted = stringField(item, 'encrypted_content');
  const summary = textsOf(item.summary).join('\n\n');
  if (!answer.open.has(at) && !encrypted && summary === '') return;
  const block = blockOf(answer, at, thoughtOf(answer, item.id));
  if (!block.hasContent && summary !== '') grow(answer, block, { type: 'thinking_delta', thinking: summary });
  if (encrypted) grow(answer, block, { type: 'signature_delta', signature: encrypted });
}

function finish(answer: Answer, response: JsonObject): void {
  start(answer);
  for (const at of [...answer.open.keys()]) close(answer, at);
  emit(answer, {
    type: 'message_delta',
    delta: { stop_reason: stopReason(answer, response), stop_sequence: null },
    usage: usageOf(isObject(response.usage) ? response.usage : {}),
  });
  emit(answer, { type: 'message_stop' });
}

function stopReason({ hasRefused, hasCalls }: Answer, { incomplete_details: incomplete }: JsonObject): string {
  const reason = stringField(incomplete, 'reason');
  if (reason === 'max_output_tokens') return 'max_tokens';
  if (reason === 'content_filter' || hasRefused) return 'refusal';
  return hasCalls ? 'tool_use' : 'end_turn';
}

function fail({ out, options: { requestId } }: Answer, error: unknown): void {
  const words = isObject(error) ? { ...error, type: error.type ?? error.code } : {};
  const text = JSON.stringify({ error: { message: 'The API reported that the response failed.', ...words } });
  out.push({ type: 'failure', failure: failureOfErrorText(text, requestId) });
}

/** The texts of the parts of an item. */
function textsOf(parts: unknown): string[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part) => stringField(part, 'text') || stringField(part, 'refusal') || []);
}

/** Tokens from the server's cache are counted separately, as in the Messages API. */
function usageOf(counts: JsonObject): ApiUsage {
  const input = count(counts.input_tokens);
  const details = isObject(counts.input_tokens_details) ? counts.input_tokens_details : {};
  const cached = Math.min(count(details.cached_tokens), input);
  const output = isObject(counts.output_tokens_details) ? counts.output_tokens_details : {};
  const thinking = count(output.reasoning_tokens);
  return {
    input_tokens: input - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: count(counts.output_tokens),
    ...(thinking > 0 && { output_tokens_details: { thinking_tokens: thinking } }),
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
