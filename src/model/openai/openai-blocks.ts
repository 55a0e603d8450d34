import { isObject, type JsonObject, tryParseJson } from '../../util/json.ts';
import type { StreamEvent } from '../model.ts';
import { joinedFields } from './added-fields.ts';

/** A piece of a tool call. Usually only the first piece has an id and a name; some servers send no index. */
export interface CallFragment {
  index?: number;
  id?: string;
  name?: string;
  arguments: string;
  /** Fields that the server added to the call. */
  added?: JsonObject;
}

/**
 * Turns the pieces of a chat completion into content blocks as the Messages API streams them: one after the other. Chat
 * completions have no blocks; texts, thoughts and calls may come in any order, and the pieces of several calls may
 * alternate.
 */
export interface BlockWriter {
  /** Trailing blanks are dropped: models write them between their thoughts and their calls. */
  add(kind: 'text' | 'thinking', piece: string): void;
  addCall(fragment: CallFragment): void;
  /** Fields that the server added to the answer as a whole; they leave with its last block. */
  addFields(fields: JsonObject): void;
  /** The answer is over: emits everything that is open or waiting. */
  end(): void;
  readonly hasCalls: boolean;
  /** How many characters have arrived, for estimates. */
  readonly characters: number;
}

export interface BlockWriterOptions {
  emit: (event: StreamEvent) => void;
  /** Makes an id for a call that came without one, or with the id of another call. */
  newCallId: () => string;
  /** The server and the family of models that get added fields back. */
  origin: { provider: string; family: string };
}

export function createBlockWriter({ emit, newCallId, origin }: BlockWriterOptions): BlockWriter {
  /** The blocks that are not finished. The first is emitted as it grows; the others wait for it. */
  const queue: Block[] = [];
  const calls: Call[] = [];
  let blank: Blank = NO_BLANK;
  let nextIndex = 0;
  let characters = 0;
  let answerFields: JsonObject | null = null;
  let isOver = false;

  function append(block: Block, piece: string): void {
    if (piece === '') return;
    if (block.index === undefined) block.waiting.push(piece);
    else emit({ type: 'content_block_delta', index: block.index, delta: deltaOf(block.kind, piece) });
  }

  function push(block: Block): void {
    queue.push(block);
    advance();
  }

  /** Moves to the next block when the first one is known to be complete. */
  function advance(): void {
    for (;;) {
      const [first, next] = queue;
      if (!first || (first.index === undefined && !isNamed(first))) return;
      open(first);
      if (!next || !isComplete(first)) return;
      close();
    }
  }

  function open(block: Block): void {
    if (block.index !== undefined) return;
    block.index = nextIndex++;
    emit({ type: 'content_block_start', index: block.index, content_block: startOf(block) });
    for (const piece of block.waiting.splice(0)) append(block, piece);
  }

  function close(): void {
    const block = queue.shift();
    if (!block) return;
    if (block.kind === 'tool_use') block.isClosed = true;
    const answer = isOver && queue.length === 0 ? answerFields : null;
    emit({ type: 'content_block_stop', index: block.index, ...metadataOf(block, answer, origin) });
  }

  function openCall(fragment: CallFragment): Call {
    const { id } = fragment;
    const call = newCall(fragment, !id || calls.some((each) => each.id === id) ? newCallId() : id);
    calls.push(call);
    return call;
  }

  return {
    add(kind, piece) {
      characters += piece.length;
      const last = queue.at(-1);
      if (last?.kind === kind) {
        blank = NO_BLANK;
        append(last, piece);
        return;
      }
      const text = blank.kind === kind ? blank.text + piece : piece;
      blank = text.trim() === '' ? { kind, text } : NO_BLANK;
      if (blank === NO_BLANK) push({ kind, waiting: [text] });
    },
    addCall(fragment) {
      characters += fragment.arguments.length;
      blank = NO_BLANK;
      const known = findCall(calls, fragment);
      const call = known ?? openCall(fragment);
      // A call that was complete when the next one began takes no more pieces.
      if (call.isClosed) return;
      const isNewlyNamed = call.name === '' && Boolean(fragment.name);
      call.name ||= fragment.name ?? '';
      if (fragment.added) call.added = joinedFields(call.added, fragment.added);
      call.pieces.push(fragment.arguments);
      append(call, fragment.arguments);
      if (!known) push(call);
      else if (isNewlyNamed) advance();
    },
    addFields(fields) {
      answerFields = joinedFields(answerFields ?? {}, fields);
    },
    end() {
      isOver = true;
      for (const block of [...queue]) {
        open(block);
        close();
      }
    },
    get hasCalls() {
      return calls.length > 0;
    },
    get characters() {
      return characters;
    },
  };
}

/** Blanks that will begin a block if anything follows. */
interface Blank {
  kind: 'text' | 'thinking' | null;
  text: string;
}

const NO_BLANK: Blank = { kind: null, text: '' };

interface PlainBlock {
  kind: 'text' | 'thinking';
  /** Its index in the answer, set when its emission starts. */
  index?: number;
  /** Pieces that arrived while an earlier block was being emitted. */
  waiting: string[];
}

interface Call {
  kind: 'tool_use';
  index?: number;
  waiting: string[];
  /** The server's number for the call. */
  number: number | undefined;
  rawId: string | undefined;
  id: string;
  name: string;
  /** All arguments so far. */
  pieces: string[];
  isClosed: boolean;
  added?: JsonObject;
}

type Block = PlainBlock | Call;

function newCall({ index, id: rawId }: CallFragment, id: string): Call {
  return { kind: 'tool_use', waiting: [], number: index, rawId, id, name: '', pieces: [], isClosed: false };
}

/**
 * The call that a fragment continues, or undefined when it begins a new one. Some servers number all calls 0: a new id
 * together with a name is a new call. Some send no numbers: a name without a known id is a new call.
 */
function findCall(calls: readonly Call[], { index, id, name }: CallFragment): Call | undefined {
  if (index === undefined) {
    const same = id ? calls.findLast((call) => call.rawId === id) : undefined;
    return same ?? (name ? undefined : calls.at(-1));
  }
  const same = calls.findLast((call) => call.number === index);
  const isAnother = same?.rawId && id && name && same.rawId !== id;
  return isAnother ? undefined : same;
}

/** What the server wants back with a block: the fields of a call, and with the last block those of the answer. */
function metadataOf(block: Block, answer: JsonObject | null, origin: BlockWriterOptions['origin']): JsonObject {
  const call = block.kind === 'tool_use' ? block.added : undefined;
  if (!call && !answer) return {};
  return { providerMetadata: { ...origin, ...(call && { call }), ...(answer && { answer }) } };
}

function isNamed(block: Block): boolean {
  return block.kind !== 'tool_use' || block.name !== '';
}

/** Whether the block is complete now that the next block has begun. Several calls may grow at once. */
function isComplete(block: Block): boolean {
  return block.kind !== 'tool_use' || isObject(tryParseJson(block.pieces.join('')));
}

function startOf(block: Block): JsonObject {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      // Thoughts are sent back only to the provider they came from, so the block names that provider.
      return { type: 'thinking', thinking: '', signature: '', provider: 'openai' };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} };
    default:
      return block satisfies never;
  }
}

function deltaOf(kind: Block['kind'], piece: string): JsonObject {
  switch (kind) {
    case 'text':
      return { type: 'text_delta', text: piece };
    case 'thinking':
      return { type: 'thinking_delta', thinking: piece };
    case 'tool_use':
      return { type: 'input_json_delta', partial_json: piece };
    default:
      return kind satisfies never;
  }
}
