import type { Hooks } from '../hooks/dispatch.ts';
import type { ApiTool, Model, Thinking } from '../model/model.ts';
import type { Runtime } from '../util/runtime.ts';
import type { ContentBlock } from '../wire/api/content.ts';
import type { PermissionDenial } from '../wire/api/usage.ts';
import type { Message, StreamEventMessage } from '../wire/messages/index.ts';
import type { Ledger } from './ledger.ts';
import type { Limits } from './limits.ts';
import type { StructuredOutput } from './structured-output.ts';
import type { TurnConversation } from './turn-conversation.ts';
import type { TurnTools } from './turn-tools.ts';

/**
 * Everything that the loop may use while it answers one user message. The host makes one per turn. A subagent gets its
 * own with other tools, another prompt and a narrower gate, and uses the same loop.
 */
export interface Turn {
  readonly runtime: Runtime;
  readonly sessionId: string;
  /** Null on the main thread, the Task call's id inside a subagent. */
  readonly parentToolUseId: string | null;

  /** Both change when a fallback takes over. */
  model: Model;
  request: RequestSettings;
  /** The models to try, in order, when the model cannot answer. The loop takes them from the front. */
  readonly fallbacks: Fallback[];
  readonly conversation: TurnConversation;
  /** The user's request in this turn, with messages that joined later: a compaction keeps it word for word. */
  readonly asked: ContentBlock[];
  /**
   * Takes the model's stream events; null when the host does not want them. They bypass the generator, which would cost
   * each of thousands of deltas several promises. The order holds, because the loop continues only after the line it
   * yielded was taken.
   */
  readonly partial: ((line: StreamEventMessage) => Promise<void> | undefined) | null;

  readonly tools: TurnTools;
  /** Null without hooks: the code for hooks is then not loaded. */
  readonly hooks: Hooks | null;

  readonly limits: Limits;
  readonly ledger: Ledger;
  readonly tally: Tally;
  /** Set when the answer must have a given shape. */
  readonly structured: StructuredOutput | null;
  /** True when the host knows the tool output of the reference since 2.1.325. */
  readonly mentionsToday?: boolean;
  /** True when each round of tool calls gets a summary line. */
  readonly summaries: boolean;

  /** Takes the user's queued messages: records them, adds them to the conversation and returns the lines to show. */
  takeQueued(): Promise<Message[]>;
  /** Runs the Stop hooks before the turn stops. `again` is set when a Stop hook has already made the turn continue. */
  beforeStop(again: boolean, signal: AbortSignal): Promise<StopVerdict>;
}

export interface Fallback {
  model: Model;
  request: RequestSettings;
}

export type StopVerdict =
  | { kind: 'stop' }
  /** The model gets the reason and the turn continues. */
  | { kind: 'continue'; feedback: string }
  /** The turn ends here, even if something else would continue it. */
  | { kind: 'end'; reason: string };

/** Settings that are the same for all model calls of a turn. */
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
  /** The number of overloads in a row that ends the attempt, when there is a fallback model. */
  readonly overloadLimit?: number;
}

/** The numbers that the result of the turn reports. */
export interface Tally {
  /** Rounds of tool calls that have been answered. */
  rounds: number;
  /** User-role lines yielded; `num_turns` is one more. */
  userLines: number;
  denials: PermissionDenial[];
  /** The text of the last block of the last answer; empty when that block was no text. */
  lastText: string;
  /** The number of blocks in the last answer, thinking blocks not counted. */
  lastBlocks: number;
  stopReason: string | null;
  /** The user messages that this turn answers. */
  userMessageUuids: string[];
  times: TurnTimes;
}

/** The times of first events in a turn, by the runtime's clock. */
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
