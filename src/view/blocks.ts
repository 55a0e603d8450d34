import type { JsonObject } from '../util/json.ts';
import type { PatchHunk } from '../wire/tools/tool-outputs.ts';

/** A part of the conversation that is over. It never changes again. */
export type Block =
  | PromptBlock
  | AnswerBlock
  | ThoughtBlock
  | CallBlock
  | CommandOutputBlock
  | TodosBlock
  | TaskBlock
  | CompactionBlock
  | DenialBlock
  | NoticeBlock
  | BranchBlock
  | ResultBlock;

interface Common {
  /** Unique in a tracker. A block that was live keeps its id. */
  id: string;
  /** The messages of the session that the block shows; empty where none was recorded. */
  uuids: readonly string[];
}

/** What the user asked for. */
export interface PromptBlock extends Common {
  kind: 'prompt';
  text: string;
  /** The number of images and documents in it. */
  attachments: number;
  /** The sender, where it is not the person at the host: `task-notification`, `peer` … */
  origin: string | null;
}

/** A text of the model, in Markdown. */
export interface AnswerBlock extends Common {
  kind: 'answer';
  /** Begins with the pieces that the live block had. */
  text: string;
  /** Set where the text was shown but never recorded, or recorded and then replaced. */
  broken: Broken | null;
  /** The kind of error, where the text replaces an answer; the result tells more. */
  error: string | null;
}

/** Why a text that was shown does not count: the turn was interrupted, a retry replaced it, or the agent is gone. */
export type Broken = 'interrupted' | 'replaced' | 'lost';

export interface ThoughtBlock extends Common {
  kind: 'thought';
  /** Empty where the model keeps its thoughts to itself. */
  text: string;
  /** Milliseconds, where the thought was seen while it was written. */
  ms: number | null;
  /** Tokens, where the agent estimates them. */
  tokens: number | null;
  broken: Broken | null;
}

/** A tool call with its result. */
export interface CallBlock extends Common {
  kind: 'call';
  call: CallView;
  outcome: CallOutcome;
  /** The text of the result, as the model gets it; empty where there is none. */
  text: string;
  /** The structured result (`tool_use_result`), as the tool built it. */
  data: unknown;
  /** The change of a file, for Edit, Write and NotebookEdit. */
  patch: FilePatch | null;
  /** Why the call was not allowed to run. */
  denial: string | null;
  /** Milliseconds from the call to its result, where both were seen as they came. */
  ms: number | null;
}

/** `unknown`: the turn ended before a result came. */
export type CallOutcome = 'done' | 'failed' | 'denied' | 'unknown';

export interface FilePatch {
  file: string;
  hunks: readonly PatchHunk[];
  added: number;
  removed: number;
  isNew: boolean;
}

/** The output of a command that ran without the model: a slash command, or a shell command of the person. */
export interface CommandOutputBlock extends Common {
  kind: 'command-output';
  /** The shell command; null for a slash command. */
  command: string | null;
  stdout: string;
  stderr: string;
}

/** A call changed the todo list. */
export interface TodosBlock extends Common {
  kind: 'todos';
  /** The items that are new or have another status now. */
  changed: readonly TodoView[];
  /** The list afterwards. */
  all: readonly TodoView[];
  /** Every item is completed: the list has served its purpose. */
  isComplete: boolean;
}

export interface TodoView {
  /** The number of the item in the task list; its position for TodoWrite. */
  id: string;
  text: string;
  status: 'pending' | 'in_progress' | 'completed';
  /** The item as work in progress ("Running the tests"). */
  active: string;
  owner: string | null;
}

/** A background task has ended. */
export interface TaskBlock extends Common {
  kind: 'task';
  taskId: string;
  status: 'completed' | 'failed' | 'stopped';
  summary: string;
  /** The file with all of its output. */
  outputFile: string | null;
}

/** A summary replaced the conversation so far. */
export interface CompactionBlock extends Common {
  kind: 'compaction';
  trigger: 'manual' | 'auto' | null;
  tokensBefore: number | null;
  tokensAfter: number | null;
  summary: string;
}

/** A call of a subagent that was not allowed to run. Calls of the main thread tell of it themselves. */
export interface DenialBlock extends Common {
  kind: 'denial';
  tool: string;
  agentId: string | null;
  reason: string;
}

/** Something that a person should know, in one line. */
export interface NoticeBlock extends Common {
  kind: 'notice';
  notice: Notice;
}

/** The conversation continues from another place than its end. */
export interface BranchBlock extends Common {
  kind: 'branch';
  /** `clear`: a new conversation. `files`: files were restored. */
  why: 'edit' | 'switch' | 'clear' | 'files';
  /** The message that the next one follows; null for a new root or an unknown place. */
  from: string | null;
  /** For `files`: what changed, or why it could not. */
  files: readonly string[];
  error: string | null;
}

/** The end of a turn. */
export interface ResultBlock extends Common {
  kind: 'result';
  isError: boolean;
  subtype: string;
  /** A word for what went wrong, for programs. */
  code: string | null;
  /** For people: what went wrong. */
  errors: readonly string[];
  /** The text of the result: what commands print, and the last answer of a turn. */
  text: string;
  /** The text above is not that of any block before. */
  isNewText: boolean;
  ms: number;
  tokens: Tokens;
  /** US dollars of this turn. */
  costUsd: number;
  denials: number;
}

export interface Tokens {
  in: number;
  out: number;
}

/** A text for a moment, or for a line of its own. */
export interface Notice {
  level: 'info' | 'warning' | 'error';
  /** Where it comes from: `hook`, `fallback`, `resume`, `input`, `superseded`, `retry`, `files` … */
  from: string;
  text: string;
}

/** A tool call, from its first token on. */
export interface CallView {
  /** The id of the call (`tool_use_id`). */
  id: string;
  name: string;
  /** Its main argument, as the model wrote it: not yet safe for a terminal. At most 400 characters. */
  subject: string;
  /** Empty while the model still writes it. */
  input: JsonObject;
  /** The call that started the subagent of this call; null on the main thread. */
  parent: string | null;
  /** When it began; for a call that needed an answer, when the answer was given. */
  startedAt: number;
  progress: CallProgress;
  /** For a call that runs an agent: what it has done so far. */
  agent: AgentProgress | null;
}

export interface CallProgress {
  /** How far the call is, where its tool tells: out of `total`, or as a plain count. */
  done: number | null;
  total: number | null;
  message: string;
  /** The end of its output so far, at most 4,000 characters. */
  tail: string;
}

export interface AgentProgress {
  kind: string;
  calls: number;
  /** What it does now: the name and subject of its last call. */
  last: { name: string; subject: string } | null;
  tokens: number;
  costUsd: number;
}

/** What is being said or done. Blocks that are over wait here for those before them. */
export type LiveBlock = LiveText | LiveCall | LiveDone;

/** An answer or a thought while the model writes it. `pieces` only grows: read on from where you were. */
export interface LiveText {
  kind: 'answer' | 'thought';
  id: string;
  pieces: readonly string[];
  startedAt: number;
}

/** A call that the model writes (`isWritten` false), that waits for an answer, or that runs. */
export interface LiveCall {
  kind: 'call';
  id: string;
  call: CallView;
  isWritten: boolean;
}

/** A block that is over, behind one that is not. */
export interface LiveDone {
  kind: 'done';
  id: string;
  block: Block;
}
