import type { Hooks } from '../hooks/dispatch.ts';
import type { Call, Decision, Policy } from '../permissions/decide.ts';
import { denialText } from '../permissions/denial-text.ts';
import type { Tool } from '../tools/tool.ts';
import type { Places, Workspace } from '../tools/workspace.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { PermissionUpdate } from '../wire/permissions.ts';
import type { AutomaticDenial } from './denial-line.ts';
import { atOneMoment, callOf, judge, placesOf } from './judge.ts';

/** The one chokepoint: every tool call of every agent passes here before it runs. */
export interface Gate {
  check(call: GateCall, signal: AbortSignal): Promise<Verdict>;
}

export interface GateCall {
  tool: Tool;
  /** Valid for the tool. */
  input: JsonObject;
  toolUseId: string;
  /** What PreToolUse hooks want. */
  vote?: HookVote | null;
}

export interface HookVote {
  behavior: 'allow' | 'ask';
  reason: string;
}

export type Verdict =
  | { allowed: true; input: JsonObject; places?: Places | undefined /** Where the files are that it names. */ }
  | Refusal;

interface Refusal {
  allowed: false;
  message: string;
  /** Stop the whole turn, too. */
  interrupt: boolean;
  /** A hook wants the turn to end: why. */
  halt?: string;
  /** Set when nobody was asked. */
  automatic?: AutomaticDenial;
}

/** Asks whoever can be asked. Absent: nobody can (headless), and an ask is an immediate denial (ruling G7). */
export type Ask = (request: AskRequest, signal: AbortSignal) => Promise<AskAnswer>;

export interface AskRequest {
  toolName: string;
  input: JsonObject;
  toolUseId: string;
  decision: Extract<Decision, { behavior: 'ask' }>;
  /** The MCP server whose tool it is. */
  server?: Tool['server'];
  /** The agent that wants it; absent on the main thread. */
  agentId?: string;
}

export type AskAnswer =
  | { behavior: 'allow'; updatedInput?: JsonObject; updatedPermissions?: PermissionUpdate[] }
  | { behavior: 'deny'; message: string; interrupt?: boolean /** Of hooks: end the turn, and why. */; halt?: string };

export interface GateOptions {
  workspace: Workspace;
  /** Read at every call: modes and rules change during a session. */
  policy: () => Policy;
  ask: () => Ask | null;
  /** Applies all of them, or throws and applies none: then the call is denied, too. */
  onUpdates: (updates: PermissionUpdate[]) => Promise<void> | void;
  /** A tool that names these files is about to be judged. */
  onFileAccess: (paths: readonly string[]) => void;
  /** Null when there are none. */
  hooks?: () => Hooks | null;
}

export function createGate(options: GateOptions): Gate {
  return {
    async check({ tool, input, toolUseId, vote }, signal) {
      const call = callOf(tool, input, options.workspace);
      if (call.access.kind === 'read' || call.access.kind === 'edit') options.onFileAccess(call.access.paths);
      const policy = atOneMoment(options.policy());
      const decision = await voted(await judge(call, policy), vote ?? null, call, policy);
      const places = placesOf(call, policy);
      if (decision.behavior === 'allow') return { allowed: true, input, places };
      const request = { toolName: tool.name, input, toolUseId, ...(tool.server && { server: tool.server }) };
      if (decision.behavior === 'deny') return denied(request, decision, options, signal);
      const answer = await askAround({ ...request, decision }, options, signal);
      if (!answer) return denied(request, decision, options, signal);
      if (answer.behavior === 'deny') {
        const { message, interrupt = false, halt } = answer;
        return { allowed: false, message, interrupt, ...(halt !== undefined && { halt }) };
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

/** The questions that a hook may answer by itself: no rule, no mode and no protected path stands behind them. */
const OPEN_TO_HOOKS: ReadonlySet<Decision['layer']> = new Set(['default', 'outside-roots']);

/** The decision with what PreToolUse hooks want: they may close what is open and answer a plain question, nothing else. */
async function voted(decision: Decision, vote: HookVote | null, call: Call, policy: Policy): Promise<Decision> {
  if (vote === null) return decision;
  if (vote.behavior === 'ask') {
    if (decision.behavior === 'deny') return decision;
    const reason = vote.reason || 'A hook asks first.';
    if (mayNotAsk(policy)) return { behavior: 'deny', layer: 'hook', reason };
    return { behavior: 'ask', layer: 'hook', reason, suggestions: [] };
  }
  // What a hook has answered need not be asked for, also where nobody may be asked.
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

/** Hooks first, then whoever else can be asked. Null: nobody. */
async function askAround(request: AskRequest, options: GateOptions, signal: AbortSignal): Promise<AskAnswer | null> {
  const hooks = options.hooks?.();
  if (hooks) {
    const { askHooks, tellAsking } = await import('./permission-hooks.ts');
    const answer = await askHooks(hooks, request, signal);
    if (answer) return answer;
    if (options.ask()) tellAsking(hooks, request, signal);
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
  const { tellDenied } = await import('./permission-hooks.ts');
  const { retry, stop } = await tellDenied(hooks, { ...request, reason }, signal);
  return {
    ...refusal,
    message: retry ? `${message} A hook says that you may try again.` : message,
    ...(stop && { halt: stop.reason }),
  };
}

/**
 * An allow without input keeps the original (ruling K12). What the host changed must still be valid for the tool, and no
 * deny rule may forbid what is to run: a host can answer a question, but not lift a rule. An answer may take hours, in
 * which rules are added and links come to lead elsewhere.
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
  // That a mode has meanwhile stopped all asking does not take back the answer that was given.
  const isForbidden = decision.behavior === 'deny' && (updated !== undefined || decision.layer === 'deny-rule');
  if (isForbidden) return { allowed: false, message: denialText(tool.name, decision), interrupt: false };
  const places = placesOf(call, policy);
  const moved = [...(places ?? [])].find(([path, real]) => asked?.has(path) && asked.get(path) !== real);
  if (!moved) return { allowed: true, input: parsed.value, places };
  const message = `${moved[0]} changed while the call was being judged: it leads elsewhere now. Nothing was done.`;
  return { allowed: false, message, interrupt: false };
}
