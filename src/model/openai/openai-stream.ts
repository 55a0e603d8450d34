import { isObject, type JsonObject, stringField, tryParseJson } from '../../util/json.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { ApiUsage } from '../../wire/api/usage.ts';
import { failureOfErrorText } from '../failures.ts';
import type { SseEvent } from '../http/sse.ts';
import { asEvent, type Dialect, failed } from '../http/stream-reader.ts';
import type { ModelEvent, StreamEvent } from '../model.ts';
import { addedToAnswer, addedToCall } from './added-fields.ts';
import { type CallFragment, createBlockWriter } from './openai-blocks.ts';
import { estimatedUsage, noUsage, readUsage } from './openai-usage.ts';

export interface ChatDialectOptions {
  /** The model's name in Heddle, for the answer's head. */
  model: string;
  requestId: string | null;
  runtime: Runtime;
  /** The server and the family of models that get back what they add. */
  origin: { provider: string; family: string };
  /** The request, for an estimate where the server does not count. */
  requestBody: string;
}

/** Translates the chunks of a chat completion into events of the Messages API. */
export function createChatDialect({ model, requestId, runtime, origin, requestBody }: ChatDialectOptions): Dialect {
  let out: ModelEvent[] = [];
  let isStarted = false;
  let usage: ApiUsage | undefined;
  let finishReason: string | undefined;
  let hasRefused = false;
  const emit = (event: StreamEvent) => out.push(asEvent(event));
  const newId = () => runtime.ids.uuid().replaceAll('-', '');
  const blocks = createBlockWriter({ emit, newCallId: () => `call_${newId()}`, origin });

  /** Returns whether the chunk had any content. */
  function takeChunk(chunk: JsonObject): boolean {
    const before = { events: out.length, characters: blocks.characters };
    const choice = firstChoice(chunk);
    if (!isStarted) emit(messageStart(`msg_${newId()}`, model));
    isStarted = true;
    usage = readUsage(chunk, choice) ?? usage;
    const delta = choice?.delta ?? choice?.message;
    if (isObject(delta)) takeDelta(delta);
    finishReason = stringField(choice, 'finish_reason') || finishReason;
    // The counts come last, in a chunk of their own. Not every server sends [DONE] after them.
    if (!choice && usage && finishReason !== undefined) finish();
    return out.length > before.events || blocks.characters > before.characters;
  }

  function takeDelta(delta: JsonObject): void {
    const thought = stringField(delta, 'reasoning_content') || stringField(delta, 'reasoning');
    if (thought) blocks.add('thinking', thought);
    for (const { kind, text } of contentPieces(delta.content)) blocks.add(kind, text);
    const refusal = stringField(delta, 'refusal');
    if (refusal) {
      hasRefused = true;
      blocks.add('text', refusal);
    }
    for (const fragment of callFragments(delta)) blocks.addCall(fragment);
    const added = addedToAnswer(delta);
    if (added) blocks.addFields(added);
  }

  function finish(): void {
    blocks.end();
    emit({
      type: 'message_delta',
      delta: { stop_reason: stopReason(), stop_sequence: null },
      usage: usage ?? estimatedUsage({ body: requestBody }, blocks),
    });
    emit({ type: 'message_stop' });
  }

  /** Not every server sends `tool_calls` when it calls a tool, and some send it when they do not. */
  function stopReason(): string {
    if (finishReason === 'length' || finishReason === 'model_length') return 'max_tokens';
    if (finishReason === 'content_filter' || hasRefused) return 'refusal';
    return blocks.hasCalls ? 'tool_use' : 'end_turn';
  }

  function takeDone(): void {
    if (isStarted) finish();
    else out.push(failed('malformed', 'The API ended the stream without an answer.', requestId));
  }

  return {
    take(event, events) {
      out = events;
      if (event.data.trim() === '[DONE]') {
        takeDone();
        return true;
      }
      const chunk = tryParseJson(event.data);
      const failure = failureIn(event, chunk, requestId);
      if (failure) {
        events.push(failure);
        return true;
      }
      if (isObject(chunk) && Array.isArray(chunk.choices)) return takeChunk(chunk);
      runtime.log('debug', 'Passed over a stream event that is no chunk', { event: event.event });
      return false;
    },
    complete() {
      if (finishReason === undefined) return null;
      out = [];
      finish();
      return out;
    },
    whole(body) {
      if (!firstChoice(body)) return null;
      out = [];
      takeChunk(body);
      finish();
      return out;
    },
  };
}

/** Server ids are not used: some servers draw them from a few hundred values. */
function messageStart(id: string, model: string): StreamEvent {
  return {
    type: 'message_start',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: noUsage(),
    },
  };
}

/** Some servers send several answers to one request; the first is used. */
function firstChoice({ choices }: JsonObject): JsonObject | undefined {
  if (!Array.isArray(choices)) return undefined;
  return choices.filter(isObject).find(({ index }) => index === undefined || index === null || index === 0);
}

/** The failure, if the event reports one or cannot be parsed: in that case the answer is incomplete. */
function failureIn(event: SseEvent, chunk: unknown, requestId: string | null): ModelEvent | null {
  const error = event.event === 'error' ? event.data : errorText(chunk, event.data);
  if (error !== null) return { type: 'failure', failure: failureOfErrorText(error, requestId) };
  const isCutChunk = chunk === undefined && event.data.trimStart().startsWith('{');
  return isCutChunk ? failed('malformed', 'The API sent an unreadable chunk.', requestId) : null;
}

/**
 * The error that a chunk reports, as JSON, or null. It is next to the choices, in the first choice, or the whole chunk.
 */
function errorText(chunk: unknown, data: string): string | null {
  if (!isObject(chunk)) return null;
  if (chunk.error || chunk.object === 'error') return data;
  const choice = firstChoice(chunk);
  if (choice?.error) return JSON.stringify({ error: choice.error });
  return choice?.finish_reason === 'error' ? '{}' : null;
}

/** Content is a text, or a list of parts with texts and thoughts (Mistral). */
function contentPieces(content: unknown): { kind: 'text' | 'thinking'; text: string }[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter(isObject).flatMap((part) => {
    if (part.type === 'thinking') {
      return contentPieces(part.thinking).map(({ text }) => ({ kind: 'thinking' as const, text }));
    }
    return contentPieces(part.text);
  });
}

/** `function_call` is the older form, from before an answer could have several calls. */
function callFragments({ tool_calls, function_call }: JsonObject): CallFragment[] {
  if (Array.isArray(tool_calls) && tool_calls.length > 0) return tool_calls.filter(isObject).map(callFragment);
  return isObject(function_call) ? [callFragment({ index: 0, function: function_call })] : [];
}

function callFragment(call: JsonObject): CallFragment {
  const { index, id, function: called } = call;
  const added = addedToCall(call);
  const name = stringField(called, 'name');
  return {
    ...(typeof index === 'number' && { index }),
    ...(typeof id === 'string' && id !== '' && { id }),
    ...(name && { name }),
    ...(added && { added }),
    arguments: argumentsText(isObject(called) ? called.arguments : undefined),
  };
}

/** Some servers send the arguments as an object instead of its text. */
function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return isObject(value) ? JSON.stringify(value) : '';
}
