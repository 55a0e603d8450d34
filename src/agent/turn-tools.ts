import type { Layer } from '../permissions/decide.ts';
import type { Registry } from '../tools/registry.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import type { Places } from '../tools/workspace.ts';
import type { JsonObject } from '../util/json.ts';

/** The tools of a turn, and how its calls run. */
export interface TurnTools {
  readonly registry: Registry;
  /** Maps a name that the model calls to the tool that runs instead. Rules, modes and hooks judge that tool. */
  readonly aliases?: ReadonlyMap<string, string> | undefined;
  /** Results of calls that run side by side come in the order of the calls, not of their completion. */
  readonly ordered: boolean;
  readonly gate: Gate;
  /** The context for one call. */
  context(toolUseId: string, signal: AbortSignal): ToolContext;
  /** Removes the runtime's credentials from a tool's output. */
  hideCredentials<T>(found: T): T;
  /** Milliseconds between two progress lines of a tool call that takes long. Default: 30 s. */
  readonly progressMs?: number;
}

/** The one chokepoint: every tool call of every agent passes here before it runs. */
export interface Gate {
  check(call: GateCall, signal: AbortSignal): Promise<Verdict>;
}

export interface GateCall {
  tool: Tool;
  /** Valid for the tool. */
  input: JsonObject;
  toolUseId: string;
  /** The decision of PreToolUse hooks. */
  vote?: HookVote | null;
}

export type Verdict =
  | { allowed: true; input: JsonObject; places?: Places | undefined /** Real paths of its files. */ }
  | Refusal;

interface Refusal {
  allowed: false;
  message: string;
  /** Also stop the whole turn. */
  interrupt: boolean;
  /** The reason, when a hook wants the turn to end. */
  stopReason?: string;
  /** Set when the call was denied without a question. */
  automatic?: AutomaticDenial;
}

/** The decision of PreToolUse hooks about a call. */
export interface HookVote {
  behavior: 'allow' | 'ask';
  reason: string;
}

/** The rule, mode or hook that denied a call without a question. */
export interface AutomaticDenial {
  layer: Layer;
  reason: string;
}
