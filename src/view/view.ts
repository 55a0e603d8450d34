import type { JsonObject } from '../util/json.ts';
import type { CallView, LiveBlock, TodoView, Tokens } from './blocks.ts';

/**
 * What there is to see of a session now. The tracker changes it in place; a renderer only reads it. It holds what is live:
 * blocks that are done leave it.
 */
export interface View {
  readonly phase: Phase;
  readonly doing: Doing | null;
  /** What is being said or done, in the order of the conversation. */
  readonly live: readonly LiveBlock[];
  /** Calls without a result, those of subagents too, in the order in which they came. */
  readonly calls: ReadonlyMap<string, CallView>;
  /** Open questions, the oldest first. */
  readonly questions: readonly Question[];
  /** Prompts that wait for their turn. */
  readonly queue: readonly Queued[];
  /** Tasks that run: agents, and commands in the background. */
  readonly tasks: readonly TaskView[];
  readonly todos: readonly TodoView[];
  readonly team: TeamView | null;
  readonly info: SessionInfo;
  readonly meters: Meters;
}

/** `lost`: the agent ended without having been asked to. */
export type Phase = 'starting' | 'idle' | 'busy' | 'compacting' | 'lost' | 'ended';

/** What the main thread does. `since` is the time of the line that said so. */
export type Doing = { since: number } & (
  | { what: 'requesting' | 'thinking' | 'writing' }
  /** The model writes a call of this tool. */
  | { what: 'calling'; tool: string }
  /** The next attempt to call the model. */
  | { what: 'retry'; at: number; attempt: number; of: number; reason: string }
  | { what: 'hook'; name: string }
);

/** A question that only a person can answer. */
export interface Question {
  /** The id of the request; the answer carries it. */
  id: string;
  kind: 'permission' | 'plan' | 'choices' | 'elicitation';
  /** The request as it came: fields of `can_use_tool` or `elicitation`. */
  request: JsonObject;
  /** The call that it is about; null for an elicitation. */
  call: { id: string; name: string; subject: string } | null;
  /** The agent that asks; null for the main thread. */
  agent: { id: string; name: string } | null;
}

export interface Queued {
  uuid: string;
  text: string;
  attachments: number;
}

export interface TaskView {
  id: string;
  /** `local_bash`, `local_agent`, `in_process_teammate` … */
  type: string;
  description: string;
  /** The kind of agent; null for a command. */
  agent: string | null;
  /** The call that started it. */
  callId: string | null;
  parentId: string | null;
  isBackground: boolean;
  startedAt: number;
  calls: number;
  tokens: number;
  costUsd: number;
  lastTool: string | null;
  /** What it last told about itself. */
  summary: string;
}

export interface TeamView {
  name: string;
  members: readonly { id: string; name: string; agent: string; isWorking: boolean }[];
}

/** What the session is: from its `init` lines, and from the answer to `initialize`. */
export interface SessionInfo {
  sessionId: string | null;
  title: string | null;
  cwd: string;
  model: string;
  mode: string;
  effort: string | null;
  version: string;
  keySource: string;
  /** Why the model cannot be asked, as the session was opened; null: nothing is known to be wrong. */
  modelProblem: string | null;
  outputStyle: string;
  tools: readonly string[];
  servers: readonly { name: string; status: string; source: string | null }[];
  commands: readonly { name: string; description: string; argumentHint: string; aliases: readonly string[] }[];
  agents: readonly string[];
  skills: readonly string[];
  directories: readonly string[];
  capabilities: readonly string[];
  /** As `init` has it; null before. */
  trust: JsonObject | null;
  sandbox: JsonObject | null;
}

/** Numbers about the session. Tokens and cost are those of the last result, and what has been used since. */
export interface Meters {
  /** Tokens in the window of the main thread's model, by its last answer. */
  contextTokens: number;
  /** Null until a result has told it. */
  contextWindow: number | null;
  /** Of the session, agents included. */
  tokens: Tokens;
  costUsd: number;
  /** Milliseconds of waiting for the model's API. */
  apiMs: number;
  /** When the running turn began; null when none runs. */
  turnStartedAt: number | null;
  /** Lines that tools have added to and removed from files. */
  linesAdded: number;
  linesRemoved: number;
}
