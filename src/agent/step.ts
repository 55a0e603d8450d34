import { type Accumulator, type CompletedBlock, createAccumulator } from '../model/accumulate.ts';
import { isGroup } from '../model/each-event.ts';
import type { Failure, ModelEvent, StreamEvent } from '../model/model.ts';
import { interruptedResult } from '../sessions/interrupted-result.ts';
import type { ContentBlock, ToolUseBlock } from '../wire/api/content.ts';
import type { ApiUsage } from '../wire/api/usage.ts';
import type { Message } from '../wire/messages/index.ts';
import { type BlockMetadata, joinedMetadata, type ProviderMetadata } from '../wire/provider-metadata.ts';
import { calledName, parseInput } from './calls/run-call.ts';
import type { ToolCall } from './calls/tool-call.ts';
import { kindOfTrouble } from './failures.ts';
import { budgetExhausted } from './limits.ts';
import { addAnswer, messagesFor } from './messages/api-messages.ts';
import { assistantLine, authStatusLine, statusLine, streamEventLine } from './messages/lines.ts';
import { punctual } from './punctual-stream.ts';
import { lineIds, systemLine } from './system-line.ts';
import type { Turn } from './turn.ts';
import type { ContextWindow } from './turn-conversation.ts';

export type StepEnd =
  /** The answer is complete. */
  | { kind: 'answered'; calls: ToolCall[] }
  /** The signal fired. Complete blocks were recorded and are part of the conversation; half ones are dropped. */
  | { kind: 'aborted'; calls: ToolCall[] }
  | { kind: 'failed'; failure: Failure };

/**
 * One model call, streamed. Each block is recorded and yielded when it is complete, before its `content_block_stop`
 * event and after the next event has arrived: the last block is stored with the stop reason and token counts of that
 * event. Afterwards the whole answer is one message of the conversation.
 */
export async function* runStep(turn: Turn, signal: AbortSignal): AsyncGenerator<Message, StepEnd> {
  // A host that watches the answer grow also gets a line while Heddle waits for it.
  if (turn.partial) yield statusLine(turn, 'requesting');
  const started = turn.runtime.clock.now();
  const answer = new Answer(turn.runtime.ids.uuid());
  const { times } = turn.tally;
  times.request ??= started;
  try {
    const stream = turn.model.stream(
      // Tools may have been loaded since the turn began.
      {
        ...turn.request,
        tools: turn.tools.registry.apiTools(),
        messages: messagesFor(turn.request.model, turn.conversation.messages),
      },
      signal,
    );
    for await (const item of punctual(stream, () => answer.held !== null)) {
      if (item === null) yield* release(turn, answer);
      for (const event of item === null ? [] : isGroup(item) ? item : [item]) {
        switch (event.type) {
          case 'auth':
            yield authStatusLine(turn, event);
            break;
          case 'response':
            answer.requestId = event.requestId;
            break;
          case 'event': {
            if (times.token === undefined) noteTime(turn, event.event);
            const completed = answer.accumulator.add(event.event);
            if (answer.held) yield* release(turn, answer);
            if (completed && !isBlank(completed.block)) {
              answer.held = { completed, event };
              break;
            }
            const busy = turn.partial?.(streamEventLine(turn, answer.nextEventId(), event.event, event.raw));
            if (busy) await busy;
            break;
          }
          case 'retry':
            yield* release(turn, answer);
            recordUsage(turn, answer);
            // No further attempt: a server that cuts every answer must not spend more than the user allows.
            if (budgetExhausted(turn.limits, turn.ledger.spentUsd)) {
              yield* discardAttempt(turn, answer);
              return { kind: 'failed', failure: event.failure };
            }
            yield* onRetry(turn, answer, event);
            break;
          case 'failure':
            answer.failure = event.failure;
            break;
          default:
            event satisfies never;
        }
      }
    }
    yield* release(turn, answer);
  } catch (error) {
    yield* release(turn, answer);
    keepCompletedBlocks(turn, answer);
    throw error;
  } finally {
    turn.ledger.addApiTime(turn.runtime.clock.now() - started);
  }
  return yield* finishStep(turn, answer, signal);
}

/** Notes the time of the answer's first event and of its first token. */
function noteTime({ runtime, tally: { times } }: Turn, { type }: StreamEvent): void {
  const now = runtime.clock.now();
  times.event ??= now;
  if (type === 'content_block_delta') times.token = now;
}

/** The state of an answer while it streams. */
class Answer {
  readonly nextEventId: () => string;
  accumulator: Accumulator = createAccumulator();
  requestId: string | null = null;
  failure: Failure | null = null;
  /** A complete block and the event that ended it, neither of them yielded yet. */
  held: { completed: CompletedBlock; event: Extract<ModelEvent, { type: 'event' }> } | null = null;
  blocks: ContentBlock[] = [];
  calls: ToolCall[] = [];
  uuids: string[] = [];
  /** What the provider added to the recorded blocks. */
  metadata: ProviderMetadata | undefined;

  constructor(firstEventId: string) {
    this.nextEventId = uuidSeries(firstEventId);
  }
}

/** True for a text without words: the API would refuse it, and there is nothing to show. */
function isBlank(block: ContentBlock): boolean {
  return block.type === 'text' && block.text.trim() === '';
}

/** Records and yields the block that was held back. */
async function* release(turn: Turn, answer: Answer): AsyncGenerator<Message, void> {
  const { held } = answer;
  if (held === null) return;
  answer.held = null;
  yield await recordBlock(turn, answer, held.completed);
  await turn.partial?.(streamEventLine(turn, answer.nextEventId(), held.event.event, held.event.raw));
}

async function recordBlock(turn: Turn, answer: Answer, completed: CompletedBlock): Promise<Message> {
  const call = completed.block.type === 'tool_use' ? readCall(turn, answer, completed.block, completed) : null;
  const block = call?.block ?? completed.block;
  const { head, stopReason, stopSequence, usage } = answer.accumulator;
  const line = assistantLine(turn, head, block);
  const providerMetadata = completed.metadata && metadataOf(completed.metadata, block);
  const final = {
    ...(stopReason !== null && { final: { stop_reason: stopReason, stop_sequence: stopSequence, usage } }),
    ...(providerMetadata && { providerMetadata }),
  };
  const recorded = await turn.conversation.record(line, { requestId: answer.requestId, ...final });
  answer.metadata = joinedMetadata(answer.metadata, providerMetadata);
  answer.blocks.push(block);
  answer.uuids.push(line.uuid);
  if (call) answer.calls.push({ ...call, assistantUuid: line.uuid });
  return recorded;
}

/** The metadata of a block's entry: that of a call by the id under which it is stored. */
function metadataOf({ call, ...rest }: BlockMetadata, block: ContentBlock): ProviderMetadata {
  return { ...rest, ...(call && block.type === 'tool_use' && { calls: { [block.id]: call } }) };
}

/** A call in a form that can be shown, stored, sent back and run, or with the problem that keeps it from running. */
function readCall(
  turn: Turn,
  answer: Answer,
  block: ToolUseBlock,
  { invalidInput }: CompletedBlock,
): Omit<ToolCall, 'assistantUuid'> {
  const own = withDefaults(turn, withOwnId(turn, answer, block));
  if (answer.calls.some((call) => call.block.id === block.id)) {
    return { block: own, problem: `the id ${block.id} belongs to another call of the same answer` };
  }
  if (invalidInput === undefined) return { block: own };
  return { block: own, problem: `the input is not a JSON object: ${invalidInput.slice(0, 200)}` };
}

/** The API refuses a conversation in which two calls share an id, but not every provider keeps its ids apart. */
function withOwnId(turn: Turn, answer: Answer, block: ToolUseBlock): ToolUseBlock {
  const isSame = (other: ContentBlock) => other.type === 'tool_use' && other.id === block.id;
  const isTaken = answer.blocks.some(isSame) || turn.conversation.messages.some(({ content }) => content.some(isSame));
  return isTaken ? { ...block, id: `toolu_${turn.runtime.ids.uuid()}` } : block;
}

/** The tool's defaults are filled in where the input is valid, so that what is shown, stored and run is the same. */
function withDefaults(turn: Turn, block: ToolUseBlock): ToolUseBlock {
  const tool = turn.tools.registry.get(calledName(turn.tools, block));
  const parsed = tool && parseInput(tool, block.input);
  return parsed?.ok ? { ...block, input: parsed.value } : block;
}

/**
 * Called when the store breaks in the middle of an answer. Blocks that are on the wire and on disk stay in the
 * conversation.
 */
function keepCompletedBlocks(turn: Turn, { accumulator, blocks, calls, metadata }: Answer): void {
  addAnswer(turn.conversation.messages, blocks, { model: accumulator.head.model, metadata });
  if (calls.length === 0) return;
  turn.conversation.messages.push({ role: 'user', content: calls.map((call) => interruptedResult(call.block.id)) });
}

/** The attempt has failed and the model client starts another. */
async function* onRetry(
  turn: Turn,
  answer: Answer,
  event: Extract<ModelEvent, { type: 'retry' }>,
): AsyncGenerator<Message, void> {
  yield* discardAttempt(turn, answer);
  yield systemLine(lineIds(turn), 'api_retry', {
    attempt: event.attempt,
    max_retries: event.maxRetries,
    retry_delay_ms: event.delayMs,
    error_status: event.failure.status ?? null,
    error: kindOfTrouble(event.failure),
    message: event.failure.message,
  });
  answer.accumulator = createAccumulator();
  answer.blocks = [];
  answer.calls = [];
  answer.uuids = [];
  answer.metadata = undefined;
}

/**
 * Ends a failed attempt for hosts that watched it: closes its events and marks its completed blocks as superseded. In
 * the file the attempt stays as a side branch, and the next one starts from the same parent.
 */
async function* discardAttempt(turn: Turn, answer: Answer): AsyncGenerator<Message, void> {
  await closeEvents(turn, answer);
  if (answer.uuids.length === 0) return;
  turn.conversation.rewind(answer.uuids);
  yield systemLine(lineIds(turn), 'superseded', {
    superseded_uuids: answer.uuids,
    reason: 'The connection broke in the middle of the answer',
  });
}

async function closeEvents(turn: Turn, { accumulator, nextEventId }: Answer): Promise<void> {
  if (!accumulator.started) return;
  const stops = accumulator.openBlocks.map((index) => ({ type: 'content_block_stop', index }));
  for (const event of [...stops, { type: 'message_stop' }]) {
    await turn.partial?.(streamEventLine(turn, nextEventId(), event, JSON.stringify(event)));
  }
}

async function* finishStep(turn: Turn, answer: Answer, signal: AbortSignal): AsyncGenerator<Message, StepEnd> {
  const { accumulator, blocks, calls, failure, metadata } = answer;
  recordUsage(turn, answer);
  if (accumulator.stopReason !== null) noteTokens(turn.conversation.window, accumulator.usage);
  if (failure && !signal.aborted) {
    yield* discardAttempt(turn, answer);
    return { kind: 'failed', failure };
  }
  addAnswer(turn.conversation.messages, blocks, { model: accumulator.head.model, metadata });
  if (signal.aborted) return { kind: 'aborted', calls };
  const last = blocks.at(-1);
  turn.tally.lastText = last?.type === 'text' ? last.text : '';
  turn.tally.lastBlocks = blocks.filter(({ type }) => type !== 'thinking' && type !== 'redacted_thinking').length;
  turn.tally.stopReason = accumulator.stopReason;
  return { kind: 'answered', calls };
}

/**
 * Also called for a cut or interrupted attempt: the provider has read the request and counts it. Its output is known
 * only as of `message_start`, so the true cost may be higher by at most one answer.
 */
function recordUsage(turn: Turn, { accumulator }: Answer): void {
  if (accumulator.started) turn.ledger.add(accumulator.head.model, accumulator.usage, turn.model.provider);
}

function noteTokens(context: ContextWindow, usage: ApiUsage): void {
  context.tokens = tokensOf(usage);
  context.counted = {
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_creation_input_tokens: usage.cache_creation_input_tokens ?? 0,
    cache_read_input_tokens: usage.cache_read_input_tokens ?? 0,
  };
}

/** The tokens of the window that the request and its answer use. */
export function tokensOf(usage: ApiUsage): number {
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  return usage.input_tokens + cached + usage.output_tokens;
}

const DIGITS = 12;
const SIZE = 16 ** DIGITS;

/**
 * Further ids from one random uuid, by counting up its last twelve digits: as unique as the first, and ten times
 * cheaper than a new random one. For lines that come by the thousand and need not be hard to guess.
 */
function uuidSeries(first: string): () => string {
  const head = first.slice(0, -DIGITS);
  let tail = Number.parseInt(first.slice(-DIGITS), 16);
  return () => {
    tail = (tail + 1) % SIZE;
    return head + tail.toString(16).padStart(DIGITS, '0');
  };
}
