import type { Hooks } from '../../hooks/dispatch.ts';
import type { Call, Decision, Policy } from '../../permissions/decide.ts';
import { denialText } from '../../permissions/decide.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Places, Workspace } from '../../tools/workspace.ts';
import type { JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { PermissionUpdate } from '../../wire/permissions.ts';
import type { Gate, HookVote, Verdict } from '../turn-tools.ts';
import type { Ask, AskAnswer, AskRequest } from './ask.ts';
import { atOneMoment, callOf, judge, realPathsOf } from './judge.ts';
import { announceDenial, announceQuestion, askHooks } from './permission-hooks.ts';

export type { Ask, AskAnswer, AskRequest } from './ask.ts';

export interface GateOptions {
  workspace: Workspace;
  /** Read at every call: modes and rules change during a session. */
  policy: () => Policy;
  ask: () => Ask | null;
  /** Applies all updates, or throws and applies none; the call is denied when it throws. */
  onUpdates: (updates: PermissionUpdate[]) => Promise<void> | void;
  /** Called before a call that names these files is judged. */
  onFileAccess: (paths: readonly string[]) => void;
  /** Null without hooks. */
  hooks?: () => Hooks | null;
}

export function createGate(options: GateOptions): Gate {
  return {
    async check({ tool, input, toolUseId, vote }, signal) {
      const call = callOf(tool, input, options.workspace);
      if (call.access.kind === 'read' || call.access.kind === 'edit') options.onFileAccess(call.access.paths);
      const policy = atOneMoment(options.policy());
      const decision = await voted(await judge(call, policy), vote ?? null, call, policy);
      const places = realPathsOf(call, policy);
      if (decision.behavior === 'allow') return { allowed: true, input, places };
      const request = { toolName: tool.name, input, toolUseId, ...(tool.server && { server: tool.server }) };
      if (decision.behavior === 'deny') return denied(request, decision, options, signal);
      const answer = await askAround({ ...request, decision }, options, signal);
      if (!answer) return denied(request, decision, options, signal);
      if (answer.behavior === 'deny') {
        const { message, interrupt = false, stopReason } = answer;
        return { allowed: false, message, interrupt, ...(stopReason !== undefined && { stopReason }) };
      }
      try {
        if (answer.updatedPermissions?.length) await options.onUpdates(answer.updatedPermissions);
      } catch (error) {
        return { allowed: false, message: `The permission update was refused: ${messageOf(error)}`, interrupt: false };
      }
      return acceptInput({ tool, input, places }, answer.updatedInput, options);
    },
  };
}

/** The questions that a hook may answer alone: they come from no rule, no mode and no protected path. */
const OPEN_TO_HOOKS: ReadonlySet<Decision['layer']> = new Set(['default', 'outside-roots']);

/**
 * Combines the decision with that of the PreToolUse hooks: they may deny an allowed call and answer a plain question,
 * nothing else.
 */
async function voted(decision: Decision, vote: HookVote | null, call: Call, policy: Policy): Promise<Decision> {
  if (vote === null) return decision;
  if (vote.behavior === 'ask') {
    if (decision.behavior === 'deny') return decision;
    const reason = vote.reason || 'A hook asks first.';
    if (mayNotAsk(policy)) return { behavior: 'deny', layer: 'hook', reason };
    return { behavior: 'ask', layer: 'hook', reason, suggestions: [] };
  }
  // A hook's answer replaces the question, even in a mode that asks no questions.
  const asked = mayNotAsk(policy) ? await judge(call, asIfAsking(policy)) : decision;
  const isOpen = asked.behavior === 'ask' && OPEN_TO_HOOKS.has(asked.layer);
  return isOpen ? { behavior: 'allow', layer: 'hook' } : decision;
}

function mayNotAsk({ mode, outerModes = [] }: Policy): boolean {
  return [mode, ...outerModes].includes('dontAsk');
}

function asIfAsking({ outerModes, ...policy }: Policy): Policy {
  const asking = (mode: Policy['mode']) => (mode === 'dontAsk' ? 'default' : mode);
  return { ...policy, mode: asking(policy.mode), ...(outerModes && { outerModes: outerModes.map(asking) }) };
}

/** Asks the hooks first, then the host. Null when neither can be asked. */
async function askAround(request: AskRequest, options: GateOptions, signal: AbortSignal): Promise<AskAnswer | null> {
  const hooks = options.hooks?.();
  if (hooks) {
    const answer = await askHooks(hooks, request, signal);
    if (answer) return answer;
    if (options.ask()) announceQuestion(hooks, request, signal);
  }
  return (await options.ask()?.(request, signal)) ?? null;
}

async function denied(
  request: { toolName: string; input: JsonObject; toolUseId: string },
  decision: Exclude<Decision, { behavior: 'allow' }>,
  options: GateOptions,
  signal: AbortSignal,
): Promise<Verdict> {
  const message = denialText(request.toolName, decision);
  const { layer, reason } = decision;
  const refusal = { allowed: false as const, message, interrupt: false, automatic: { layer, reason } };
  const hooks = options.hooks?.();
  if (!hooks) return refusal;
  const { retry, stop } = await announceDenial(hooks, { ...request, reason }, signal);
  return {
    ...refusal,
    message: retry ? `${message} A hook says that you may try again.` : message,
    ...(stop && { stopReason: stop.reason }),
  };
}

/**
 * The input that runs after an answer; an allow without input keeps the original. Changed input must be valid for the
 * tool, and no deny rule may match it: a host answers a question but cannot lift a rule. The call is judged again
 * because rules and symlinks may change while the question is open.
 */
async function acceptInput(
  { tool, input, places: asked }: { tool: Tool; input: JsonObject; places: Places | undefined },
  updated: JsonObject | undefined,
  options: GateOptions,
): Promise<Verdict> {
  const parsed = updated === undefined ? { ok: true as const, value: input } : tool.input.parse(updated);
  if (!parsed.ok) {
    const message = `The input given with the permission is not valid for ${tool.name}: ${parsed.problems.join('; ')}`;
    return { allowed: false, message, interrupt: false };
  }
  const call = callOf(tool, parsed.value, options.workspace);
  const policy = atOneMoment(options.policy());
  const decision = await judge(call, policy);
  // A mode that asks no questions does not revoke an answer that was given before it was set.
  const isForbidden = decision.behavior === 'deny' && (updated !== undefined || decision.layer === 'deny-rule');
  if (isForbidden) return { allowed: false, message: denialText(tool.name, decision), interrupt: false };
  const places = realPathsOf(call, policy);
  const moved = [...(places ?? [])].find(([path, real]) => asked?.has(path) && asked.get(path) !== real);
  if (!moved) return { allowed: true, input: parsed.value, places };
  const message = `${moved[0]} changed while the call was being judged: it leads elsewhere now. Nothing was done.`;
  return { allowed: false, message, interrupt: false };
}
