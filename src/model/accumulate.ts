import { isObject, type JsonObject, stringField, tryParseJson } from '../util/json.ts';
import type { ContentBlock } from '../wire/api/content.ts';
import type { ApiUsage } from '../wire/api/usage.ts';
import type { BlockMetadata } from '../wire/provider-metadata.ts';
import type { StreamEvent } from './model.ts';

export interface CompletedBlock {
  block: ContentBlock;
  /** The text of a tool call's input that is not a JSON object; `block.input` is then empty. */
  invalidInput?: string;
  /** What the provider wants back with the block. */
  metadata?: BlockMetadata;
}

export interface AnswerHead {
  id: string;
  model: string;
  /** The usage of `message_start`. */
  usage: ApiUsage;
  /** The provider's report of what it did to the context, if any; passed on unchanged. */
  contextManagement?: unknown;
}

/**
 * Builds an answer from its stream. Events that do not fit are skipped: a provider may send kinds that Heddle does not
 * know.
 */
export interface Accumulator {
  /** Takes the next event; returns the block that it completes, or null. */
  add(event: StreamEvent): CompletedBlock | null;
  /** Whether `message_start` has arrived. */
  readonly started: boolean;
  readonly head: AnswerHead;
  /** The counts of `message_start`, updated by `message_delta`. Unknown fields are kept. */
  readonly usage: ApiUsage;
  readonly stopReason: string | null;
  readonly stopSequence: string | null;
  /** The indexes of the blocks that have started and not ended. */
  readonly openBlocks: readonly number[];
}

export function createAccumulator(): Accumulator {
  const open = new Map<number, OpenBlock>();
  let started = false;
  let usage = readUsage(undefined);
  let head: AnswerHead = { id: '', model: '', usage };
  let stopReason: string | null = null;
  let stopSequence: string | null = null;

  function complete(index: number): CompletedBlock | null {
    const block = open.get(index);
    if (!block) return null;
    open.delete(index);
    return finish(block, index);
  }

  /** Completes a block whose `content_block_stop` the provider left out. */
  function completeForgotten(): CompletedBlock | null {
    const [first] = open.keys();
    return first === undefined ? null : complete(first);
  }

  function onMessageStart(event: StreamEvent): null {
    const message = isObject(event.message) ? event.message : {};
    started = true;
    usage = readUsage(message.usage);
    head = {
      id: stringField(message, 'id') ?? '',
      model: stringField(message, 'model') ?? '',
      usage,
      contextManagement: message.context_management,
    };
    return null;
  }

  function onMessageDelta(event: StreamEvent): CompletedBlock | null {
    usage = mergeUsage(usage, event.usage);
    stopReason = stringField(event.delta, 'stop_reason') ?? stopReason;
    stopSequence = stringField(event.delta, 'stop_sequence') ?? stopSequence;
    return completeForgotten();
  }

  return {
    add(event) {
      switch (event.type) {
        case 'message_start':
          return onMessageStart(event);
        case 'content_block_start': {
          const index = indexOf(event);
          const overwritten = complete(index);
          if (isObject(event.content_block)) open.set(index, { start: event.content_block, pieces: [] });
          return overwritten;
        }
        case 'content_block_delta': {
          const block = open.get(indexOf(event));
          if (block && isObject(event.delta)) grow(block, event.delta);
          return null;
        }
        case 'content_block_stop':
          return withMetadata(complete(indexOf(event)), event.providerMetadata);
        case 'message_delta':
          return onMessageDelta(event);
        case 'message_stop':
          return completeForgotten();
        default:
          return null;
      }
    },
    get started() {
      return started;
    },
    get head() {
      return head;
    },
    get usage() {
      return usage;
    },
    get stopReason() {
      return stopReason;
    },
    get stopSequence() {
      return stopSequence;
    },
    get openBlocks() {
      return [...open.keys()];
    },
  };
}

/** A block while it streams. Pieces are joined once, at its end: appending to a string each time would copy it. */
interface OpenBlock {
  start: JsonObject;
  pieces: string[];
  signature?: string;
  citations?: unknown[];
}

function indexOf(event: StreamEvent): number {
  return typeof event.index === 'number' ? event.index : -1;
}

function grow(block: OpenBlock, delta: JsonObject): void {
  switch (delta.type) {
    case 'text_delta':
      addPiece(block, delta.text);
      break;
    case 'thinking_delta':
      addPiece(block, delta.thinking);
      break;
    case 'input_json_delta':
      addPiece(block, delta.partial_json);
      break;
    case 'signature_delta':
      block.signature = (block.signature ?? '') + (stringField(delta, 'signature') ?? '');
      break;
    case 'citations_delta':
      block.citations = [...(block.citations ?? []), delta.citation];
      break;
  }
}

function addPiece(block: OpenBlock, piece: unknown): void {
  if (typeof piece === 'string') block.pieces.push(piece);
}

function finish(block: OpenBlock, index: number): CompletedBlock {
  const { start, pieces, signature, citations } = block;
  switch (start.type) {
    case 'text':
      return known({ ...start, text: grown(start.text, pieces), ...(citations && { citations }) });
    case 'thinking':
      return known({
        ...start,
        thinking: grown(start.thinking, pieces),
        signature: signature ?? stringField(start, 'signature') ?? '',
      });
    case 'tool_use':
      return finishToolUse(start, pieces.join(''), index);
    default: {
      // Unknown kinds pass through, with the input that was streamed for them (server tools).
      const input = pieces.length > 0 ? tryParseJson(pieces.join('')) : undefined;
      return known(isObject(input) ? { ...start, input } : start);
    }
  }
}

/**
 * A call without a usable id or name gets one that the API accepts, so that Heddle can answer it with an error like any
 * other call that cannot run.
 */
function finishToolUse(start: JsonObject, streamed: string, index: number): CompletedBlock {
  const input = streamed.trim() === '' ? (start.input ?? {}) : tryParseJson(streamed);
  const named = {
    ...start,
    id: stringField(start, 'id') || `toolu_unnamed_${index}`,
    name: stringField(start, 'name') || 'unnamed_tool',
  };
  if (isObject(input)) return known({ ...named, input });
  return { ...known({ ...named, input: {} }), invalidInput: streamed || JSON.stringify(start.input) };
}

/** The field of `content_block_stop` is Heddle's own: adapters write it, and no provider does. */
function withMetadata(completed: CompletedBlock | null, metadata: unknown): CompletedBlock | null {
  if (!completed || !isObject(metadata)) return completed;
  const { provider, family, call, answer } = metadata;
  if (typeof provider !== 'string' || typeof family !== 'string') return completed;
  const fields = { ...(isObject(call) && { call }), ...(isObject(answer) && { answer }) };
  return { ...completed, metadata: { provider, family, ...fields } };
}

function grown(start: unknown, pieces: string[]): string {
  return (typeof start === 'string' ? start : '') + pieces.join('');
}

function known(block: JsonObject): CompletedBlock {
  return { block: block as ContentBlock };
}

/** Keeps the provider's fields and their order; the two counts that are added up are always numbers. */
function readUsage(value: unknown): ApiUsage {
  const reported = isObject(value) ? value : {};
  return {
    ...reported,
    input_tokens: numberOr0(reported.input_tokens),
    output_tokens: numberOr0(reported.output_tokens),
  };
}

function numberOr0(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/**
 * Counts in later events are totals, so they replace earlier ones; a zero or null means "not reported", never "less".
 */
function mergeUsage(usage: ApiUsage, update: unknown): ApiUsage {
  if (!isObject(update)) return usage;
  const reported = Object.entries(update).filter(([key, value]) => !(key in usage) || (value !== null && value !== 0));
  return readUsage({ ...usage, ...Object.fromEntries(reported) });
}
