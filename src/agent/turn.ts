import type { Hooks } from '../hooks/dispatch.ts';
import type { ApiMessage, ApiTool, Model, Thinking } from '../model/model.ts';
import type { Registry } from '../tools/registry.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { Runtime } from '../util/runtime.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { Message, StreamEventMessage } from '../wire/messages/index.ts';
import type { PermissionDenial } from '../wire/usage.ts';
import type { Attachment } from './attachment.ts';
import type { Gate } from './gate.ts';
import type { PlacedKept } from './kept.ts';
import type { Ledger } from './ledger.ts';
import type { Limits } from './limits.ts';
import type { EntryFacts } from './recorder.ts';
import type { StructuredOutput } from './structured.ts';

/**
 * All that the loop may touch while it answers one user message. The host makes one per turn; a subagent gets its own
 * with other tools, another prompt and a narrower gate. The loop is the same.
 */
export interface Turn {
  readonly runtime: Runtime;
  readonly sessionId: string;
  /** Null on the main thread, the Task call's id inside a subagent. */
  readonly parentToolUseId: string | null;

  /** Both change when a fallback takes over. */
  model: Model;
  request: RequestSettings;
  /** What is tried, in order, when the model cannot answer (ruling K17). The loop takes them from the front. */
  readonly fallbacks: Fallback[];
  /** The conversation so far, the new user message included. The loop appends to it. */
  readonly messages: ApiMessage[];
  /** What the user asks in this turn, with what joined it later: it outlives a compaction word for word. */
  readonly asked: ContentBlock[];
  /**
   * Takes the model's stream events; null when nobody wants them. They bypass the generator, which would cost each of
   * thousands of deltas several promises. The order holds: the loop goes on only after what it yielded was taken.
   */
  readonly partial: ((line: StreamEventMessage) => Promise<void> | undefined) | null;

  readonly tools: Registry;
  /** By the name that the model calls, the tool that it gets instead. Everything judges the tool that it gets. */
  readonly aliases?: ReadonlyMap<string, string> | undefined;
  /** Results of calls that run side by side come in the order of the calls, not of their completion. */
  readonly ordered: boolean;
  readonly gate: Gate;
  /** Null when there are none: then nothing of them is loaded. */
  readonly hooks: Hooks | null;
  toolContext(toolUseId: string, signal: AbortSignal): ToolContext;
  /** What a tool found without what nobody may see: the runtime's credentials. */
  hide<T>(found: T): T;

  readonly limits: Limits;
  readonly ledger: Ledger;
  readonly tally: Tally;
  /** How full the model's window is; shared by all turns of the session. */
  readonly context: ContextWindow;
  /** Set when the answer must have a given shape. */
  readonly structured: StructuredOutput | null;
  /** Milliseconds between the signs of life of a tool call that takes long. Default: 30 s. */
  readonly progressMs?: number;
  /** Whether the host knows what tools of the reference tell since 2.1.325. */
  readonly tellsToday?: boolean;
  /** Whether each round of tool calls is summed up in a line of its own. */
  readonly summaries: boolean;

  /** Takes what the user has said meanwhile: records it, adds it to the conversation, returns the lines to show (ruling K26). */
  takeQueued(): Promise<Message[]>;
  /** Asked before the turn stops: the seam for Stop hooks. `again` is set when the turn goes on because of one already. */
  beforeStop(again: boolean, signal: AbortSignal): Promise<StopVerdict>;

  /** The single place that appends to the store; resolves with the message once it is on disk, ready to be yielded. */
  record(message: Message, facts?: EntryFacts): Promise<Message>;
  /** Records what stays of the conversation behind a summary, so that a resume sends the same. */
  keep(kept: readonly PlacedKept[]): Promise<void>;
  /** What the model has to be told again behind a summary: the facts of the place and the day, memory files. */
  facts(): Promise<readonly Attachment[]>;
  /** Records what hooks add to the conversation. Adding it is the caller's part. */
  attach(attachments: readonly Attachment[]): Promise<void>;
  /** Moves the end of the chain back to where a dead attempt began, so that its retry hangs beside it (ruling K27). */
  rewind(uuids: readonly string[]): void;
}

export interface Fallback {
  model: Model;
  request: RequestSettings;
}

export interface CountedTokens {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
}

export interface ContextWindow {
  /** Of the last request and its answer; 0 when unknown. */
  tokens: number;
  /** What the API has said of them, while this process has asked it. */
  counted?: CountedTokens;
  readonly window: number;
  /** From how many tokens on the conversation is compacted. Null: never by itself. */
  readonly compactAt: number | null;
  /** Compactions in a row after which the next request was still too long. */
  fruitless: number;
}

export type StopVerdict =
  | { kind: 'stop' }
  /** The model gets the reason and goes on. */
  | { kind: 'continue'; feedback: string }
  /** The turn ends here, whatever else would keep it going. */
  | { kind: 'end'; reason: string };

/** What stays the same over all model calls of a turn. */
export interface RequestSettings {
  readonly model: string;
  readonly system: readonly string[];
  readonly sharedBlocks?: number;
  readonly tools: readonly ApiTool[];
  readonly maxOutputTokens: number;
  readonly thinking?: Thinking;
  readonly effort?: string;
  readonly betas?: readonly string[];
  readonly userId?: string;
  /** How many overloads in a row end the attempt, when there is something to fall back to. */
  readonly overloadLimit?: number;
}

/** What the result of the turn reports. */
export interface Tally {
  /** Rounds of tool calls that have been answered. */
  rounds: number;
  /** User-role lines yielded; `num_turns` is one more. */
  userLines: number;
  denials: PermissionDenial[];
  /** The text of the last block of the last answer; empty when that block was no text. */
  lastText: string;
  /** How many blocks the last answer had, thoughts not counted. */
  lastBlocks: number;
  stopReason: string | null;
  /** The user messages that this turn answers. */
  userMessageUuids: string[];
  times: TurnTimes;
}

/** When things happened first in a turn, by the runtime's clock. */
export interface TurnTimes {
  begin?: number;
  request?: number;
  /** An event of an answer. */
  event?: number;
  token?: number;
}

export function emptyTally(): Tally {
  return {
    rounds: 0,
    userLines: 0,
    denials: [],
    lastText: '',
    lastBlocks: 0,
    stopReason: null,
    userMessageUuids: [],
    times: {},
  };
}
