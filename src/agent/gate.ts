import type { Decision, Policy } from '../permissions/decide.ts';
import { denialText } from '../permissions/denial-text.ts';
import type { Tool } from '../tools/tool.ts';
import type { Workspace } from '../tools/workspace.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { PermissionUpdate } from '../wire/permissions.ts';
import { callOf, judge } from './judge.ts';

/** The one chokepoint: every tool call of every agent passes here before it runs. */
export interface Gate {
  check(call: GateCall, signal: AbortSignal): Promise<Verdict>;
}

export interface GateCall {
  tool: Tool;
  /** Valid for the tool. */
  input: JsonObject;
  toolUseId: string;
}

export type Verdict =
  | { allowed: true; input: JsonObject }
  | { allowed: false; message: string /** Stop the whole turn, too. */; interrupt: boolean };

/** Asks whoever can be asked. Absent: nobody can (headless), and an ask is an immediate denial (ruling G7). */
export type Ask = (request: AskRequest, signal: AbortSignal) => Promise<AskAnswer>;

export interface AskRequest {
  toolName: string;
  input: JsonObject;
  toolUseId: string;
  decision: Extract<Decision, { behavior: 'ask' }>;
}

export type AskAnswer =
  | { behavior: 'allow'; updatedInput?: JsonObject; updatedPermissions?: PermissionUpdate[] }
  | { behavior: 'deny'; message: string; interrupt?: boolean };

export interface GateOptions {
  workspace: Workspace;
  /** Read at every call: modes and rules change during a session. */
  policy: () => Policy;
  ask: () => Ask | null;
  /** Applies all of them, or throws and applies none: then the call is denied, too. */
  onUpdates: (updates: PermissionUpdate[]) => Promise<void> | void;
  /** A tool that names these files is about to be judged. */
  onFileAccess: (paths: readonly string[]) => void;
}

export function createGate(options: GateOptions): Gate {
  return {
    async check({ tool, input, toolUseId }, signal) {
      const call = callOf(tool, input, options.workspace);
      if (call.access.kind === 'read' || call.access.kind === 'edit') options.onFileAccess(call.access.paths);
      const decision = await judge(call, options.policy());
      if (decision.behavior === 'allow') return { allowed: true, input };
      const ask = options.ask();
      if (decision.behavior === 'deny' || !ask) {
        return { allowed: false, message: denialText(tool.name, decision), interrupt: false };
      }
      const answer = await ask({ toolName: tool.name, input, toolUseId, decision }, signal);
      if (answer.behavior === 'deny') {
        return { allowed: false, message: answer.message, interrupt: answer.interrupt === true };
      }
      try {
        if (answer.updatedPermissions?.length) await options.onUpdates(answer.updatedPermissions);
      } catch (error) {
        return { allowed: false, message: `The permission update was refused: ${messageOf(error)}`, interrupt: false };
      }
      return acceptInput(tool, input, answer.updatedInput, options);
    },
  };
}

/**
 * An allow without input keeps the original (ruling K12). What the host changed must still be valid for the tool, and no
 * deny rule may forbid what is to run: a host can answer a question, but not lift a rule. An answer may take hours, in
 * which rules are added and links come to lead elsewhere.
 */
async function acceptInput(
  tool: Tool,
  input: JsonObject,
  updated: JsonObject | undefined,
  options: GateOptions,
): Promise<Verdict> {
  const parsed = updated === undefined ? { ok: true as const, value: input } : tool.input.parse(updated);
  if (!parsed.ok) {
    const message = `The input given with the permission is not valid for ${tool.name}: ${parsed.problems.join('; ')}`;
    return { allowed: false, message, interrupt: false };
  }
  const decision = await judge(callOf(tool, parsed.value, options.workspace), options.policy());
  // That a mode has meanwhile stopped all asking does not take back the answer that was given.
  const isForbidden = decision.behavior === 'deny' && (updated !== undefined || decision.layer === 'deny-rule');
  if (!isForbidden) return { allowed: true, input: parsed.value };
  return { allowed: false, message: denialText(tool.name, decision), interrupt: false };
}
