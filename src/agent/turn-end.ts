import type { Failure } from '../model/model.ts';
import type { ToolUseBlock } from '../wire/api/content.ts';

/** Why a turn ended. `agent/result` turns it into the one result line. */
export type TurnEnd =
  | { kind: 'completed' }
  /** A hook ended the turn. */
  | { kind: 'hook_stopped'; reason: string }
  /** A hook has deferred a call to the host, which resumes the session with its decision. */
  | { kind: 'deferred'; call: ToolUseBlock }
  | { kind: 'max_turns'; maxTurns: number }
  | { kind: 'max_budget'; maxBudgetUsd: number }
  | { kind: 'max_duration'; maxDurationMs: number }
  | { kind: 'interrupted'; during: 'stream' | 'tools' }
  | { kind: 'empty_answer' }
  | NoOutput
  | { kind: 'error_answer'; code: 'refusal' | 'max_output_tokens'; text: string }
  | { kind: 'api_error'; failure: Failure; text: string }
  /** Work in the background had to be stopped after the last turn; no step of the loop ends this way either. */
  | { kind: 'background_stopped'; tasks: StoppedTask[] }
  /** The store or the engine itself failed; no step of the loop ends this way. */
  | { kind: 'broken'; code: string; message: string };

/** The end of a turn that has no valid output although one was asked for. */
export interface NoOutput {
  kind: 'no_structured_output';
  /** The number of attempts, the last output and why it is invalid, and the last text. */
  message: string;
}

export interface StoppedTask {
  id: string;
  description: string;
  /** The end of its last output. */
  lastOutput: string;
}
