import { type AnswerBlock, answerEvents } from '../model/answer-events.ts';
import type { StreamEvent } from '../model/model.ts';
import type { JsonObject } from '../util/json.ts';

/**
 * The answer of a fake model to one request. Made with `reply`, `fail`, `raw`, `hang`; a string or blocks are a
 * `reply`.
 */
export type Answer = Reply | Failing | RawBody | Hanging;
export type AnswerLike = Answer | AnswerBlock | readonly AnswerBlock[] | string;

/** Answers in order, or a function that is called for each request. */
export type Script<Request> =
  | readonly AnswerLike[]
  | ((request: Request, index: number) => AnswerLike | Promise<AnswerLike>);

export interface Reply extends ReplyOptions {
  kind: 'reply';
  content: readonly AnswerBlock[];
}

export interface ReplyOptions {
  /** Default: `tool_use` when there is a call, else `end_turn`. */
  stopReason?: string;
  /** Overrides of the default counts: 10 in, 100 read from the cache, 7 out. */
  usage?: JsonObject;
  id?: string;
  /** Pause before the head of the answer. */
  waitMs?: number;
  /** Pause before each delta. */
  deltaMs?: number;
  /** Writes the body in pieces of this many bytes, which may split characters. */
  chunkBytes?: number;
  fault?: Fault;
}

/** A fault in the middle of a reply, which ends it. */
export interface Fault {
  /** `block`: after the last delta of the block with this index, before it is closed. */
  after: { events: number } | { bytes: number } | { block: number };
  /**
   * `cut`: the connection breaks. `end`: the body ends as if it were complete. `pings`: only keep-alives from now on.
   */
  how: 'cut' | 'end' | 'hang' | { pings: { everyMs: number } } | { error: { type: string; message: string } };
}

export interface Failing {
  kind: 'fail';
  status: number;
  type: string;
  message: string;
  headers: Record<string, string>;
}

export interface RawBody {
  kind: 'raw';
  body: string | Buffer;
  status: number;
  headers: Record<string, string>;
  chunkBytes?: number;
}

/** Accepts the request and never answers. */
export interface Hanging {
  kind: 'hang';
}

/**
 * A text block, streamed in the given pieces.
 *
 * @example
 * ```ts
 * const model = scriptedModel([text('Hel', 'lo!')]);
 * ```
 */
export function text(...pieces: string[]): AnswerBlock {
  return { block: { type: 'text', text: pieces.join('') }, pieces };
}

/**
 * A thought before the answer, with its signature.
 *
 * @example
 * ```ts
 * const model = scriptedModel([[thinking('Is that a greeting?'), text('Hello!')]]);
 * ```
 */
export function thinking(thought: string, signature = 'c2lnbmF0dXJl'): AnswerBlock {
  return { block: { type: 'thinking', thinking: thought, signature } };
}

/**
 * A tool call; without an id it gets one that is unique in the script. Its input is streamed in two pieces.
 *
 * @example
 * ```ts
 * const model = scriptedModel([toolUse('Read', { file_path: '/tmp/notes.md' }), 'It is a list.']);
 * ```
 */
export function toolUse(name: string, input: JsonObject, id?: string): AnswerBlock {
  const json = JSON.stringify(input);
  const half = Math.ceil(json.length / 2);
  return { block: toolUseBlock(name, input, id), pieces: [json.slice(0, half), json.slice(half)] };
}

/**
 * A tool call whose input is streamed as the given text, JSON or not.
 *
 * @example
 * ```ts
 * const model = scriptedModel([brokenToolUse('Read', ['{"file_', 'path"']), 'That went wrong.']);
 * ```
 */
export function brokenToolUse(name: string, pieces: readonly string[], id?: string): AnswerBlock {
  return { block: toolUseBlock(name, {}, id), pieces };
}

/**
 * An answer made of blocks, with options for how it is sent: pauses, counts of tokens, a stop reason, a fault.
 *
 * @example
 * ```ts
 * const model = scriptedModel([reply([text('Cut off')], { stopReason: 'max_tokens', deltaMs: 5 })]);
 * ```
 */
export function reply(content: readonly AnswerBlock[], options: ReplyOptions = {}): Reply {
  return { kind: 'reply', content, ...options };
}

/**
 * An HTTP error with the provider's error body.
 *
 * @example
 * ```ts
 * const model = scriptedModel([fail(529, 'overloaded_error', 'Overloaded'), 'Hello!']);
 * ```
 */
export function fail(status: number, type: string, message: string, headers: Record<string, string> = {}): Failing {
  return { kind: 'fail', status, type, message, headers };
}

/**
 * Any status, headers and body: pages of proxies, broken streams, redirects. Default: 200, an event stream.
 *
 * @example
 * ```ts
 * const api = await startFakeApi([raw('<h1>Bad gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } })]);
 * await api.close();
 * ```
 */
export function raw(
  body: string | Buffer,
  options: { status?: number; headers?: Record<string, string>; chunkBytes?: number } = {},
): RawBody {
  return { kind: 'raw', body, status: 200, headers: { 'content-type': 'text/event-stream' }, ...options };
}

/**
 * An answer that never comes: the fake accepts the request and sends nothing.
 *
 * @example
 * ```ts
 * const model = scriptedModel([hang()]);
 * ```
 */
export function hang(): Hanging {
  return { kind: 'hang' };
}

/** The answer for a request. An exhausted list answers with an error that says so and is not retried. */
export async function answerFor<Request>(script: Script<Request>, request: Request, index: number): Promise<Answer> {
  if (typeof script === 'function') return toAnswer(await script(request, index));
  const answer = script[index];
  if (answer !== undefined) return toAnswer(answer);
  return fail(
    400,
    'invalid_request_error',
    `The script has ${script.length} answers, but this is request ${index + 1}.`,
  );
}

export function errorBody({ type, message }: { type: string; message: string }): string {
  return JSON.stringify({ type: 'error', error: { type, message } });
}

/**
 * An event as the API writes it.
 *
 * @example
 * ```ts
 * const api = await startFakeApi([raw(sseText({ type: 'ping' }))]);
 * await api.close();
 * ```
 */
export function sseText(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The steps by which a fake plays a reply. */
export type Action =
  | { do: 'send'; event: StreamEvent; text: string }
  | { do: 'send-part'; bytes: Buffer }
  | { do: 'wait'; ms: number }
  | { do: 'fault'; how: Fault['how'] };

export interface PlayOptions {
  /** The index of the request in the script. */
  index: number;
  model: string;
  /** How an event is written; default: as the Messages API does. */
  textOf?: (event: StreamEvent) => string;
}

/** Turns replies into events, for all fakes: the fake APIs write them, the scripted model yields them. */
export function* play(answer: Reply, { index, model, textOf = sseText }: PlayOptions): Generator<Action, void> {
  const { fault, deltaMs } = answer;
  let events = 0;
  let bytes = 0;
  for (const event of eventsOf(answer, index, model)) {
    const text = textOf(event);
    const size = fault ? Buffer.byteLength(text) : 0;
    if (fault && isDue(fault, { event, events, bytes: bytes + size })) {
      if ('bytes' in fault.after) {
        yield { do: 'send-part', bytes: Buffer.from(text).subarray(0, fault.after.bytes - bytes) };
      }
      yield { do: 'fault', how: fault.how };
      return;
    }
    if (deltaMs && event.type === 'content_block_delta') yield { do: 'wait', ms: deltaMs };
    yield { do: 'send', event, text };
    events++;
    bytes += size;
  }
}

function toolUseBlock(name: string, input: JsonObject, id: string | undefined): AnswerBlock['block'] {
  return { type: 'tool_use', ...(id !== undefined && { id }), name, input };
}

function toAnswer(answer: AnswerLike): Answer {
  if (typeof answer === 'string') return reply([text(answer)]);
  if (Array.isArray(answer)) return reply(answer);
  return 'block' in answer ? reply([answer]) : (answer as Answer);
}

function* eventsOf(answer: Reply, index: number, model: string): Generator<StreamEvent, void> {
  const content = answer.content.map((block, at) => withId(block, `toolu_fake_${index + 1}_${at}`));
  const stopReason = content.some(({ block }) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
  for (const event of answerEvents({
    id: answer.id ?? `msg_fake_${index + 1}`,
    model,
    content,
    stopReason: answer.stopReason ?? stopReason,
    usage: { ...USAGE, ...answer.usage },
    finalUsage: { output_tokens: answer.usage?.output_tokens ?? 7 },
  })) {
    yield event;
    if (event.type === 'message_start') yield { type: 'ping' };
  }
}

const USAGE = {
  input_tokens: 10,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 100,
  output_tokens: 1,
  service_tier: 'standard',
};

function withId(answer: AnswerBlock, id: string): AnswerBlock {
  if (answer.block.type !== 'tool_use' || answer.block.id !== undefined) return answer;
  const { type, ...rest } = answer.block;
  return { ...answer, block: { type, id, ...rest } };
}

function isDue({ after }: Fault, at: { event: StreamEvent; events: number; bytes: number }): boolean {
  if ('events' in after) return at.events >= after.events;
  if ('bytes' in after) return at.bytes > after.bytes;
  return at.event.type === 'content_block_stop' && at.event.index === after.block;
}
