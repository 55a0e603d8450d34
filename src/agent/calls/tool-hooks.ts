import type { Hooks } from '../../hooks/dispatch.ts';
import type { HookOutcome } from '../../hooks/join-answers.ts';
import type { Tool } from '../../tools/tool.ts';
import type { JsonObject } from '../../util/json.ts';
import type { ToolResultBlock } from '../../wire/api/content.ts';
import type { HookVote } from '../turn-tools.ts';

/** A call that is about to run, or has run. */
export interface HookedCall {
  tool: Tool;
  input: JsonObject;
  toolUseId: string;
}

/** The outcome of PreToolUse hooks: the input to judge, or the reason why the call does not run. */
export type BeforeCall = { contexts: readonly string[] } & (
  | { input: JsonObject; vote: HookVote | null }
  | { message: string; denied: boolean; stopReason?: string; deferred?: true }
);

/** Fires the PreToolUse hooks. A call that they allow is still judged: a hook cannot lift a rule. */
export async function beforeCall(hooks: Hooks, call: HookedCall, signal: AbortSignal): Promise<BeforeCall> {
  const { tool, input, toolUseId } = call;
  const payload = { tool_name: tool.name, tool_input: input, tool_use_id: toolUseId, ...serverOf(tool) };
  const { stop, decision, updatedInput, contexts } = await hooks.fire('PreToolUse', payload, signal);
  // Checked before the denials: a hook that stops the turn also stops this call.
  if (stop)
    return { message: stop.reason || 'A hook stopped the turn.', denied: false, stopReason: stop.reason, contexts };
  if (decision?.behavior === 'deny') {
    return { message: decision.reason || 'A hook denied this call.', denied: true, contexts };
  }
  if (decision?.behavior === 'defer') {
    const message = `Not run here: a hook left this call to someone else. ${decision.reason}`.trim();
    return { message, denied: false, deferred: true, contexts };
  }
  const parsed = updatedInput === null ? { ok: true as const, value: input } : tool.input.parse(updatedInput);
  if (!parsed.ok) {
    const problems = parsed.problems.join('; ');
    return { message: `The input that a hook gave is not valid for ${tool.name}: ${problems}`, denied: true, contexts };
  }
  return { input: parsed.value, vote: decision as HookVote | null, contexts };
}

/**
 * The MCP server of the tool, if any, with the source that defined it: any server can have this name, but its source is
 * certain.
 */
export function serverOf({ server }: Pick<Tool, 'server'>): { mcp_server?: { name: string; source: string } } {
  return server ? { mcp_server: { ...server } } : {};
}

/** The part of a call's result that hooks may change. */
export interface CallResult {
  block: ToolResultBlock;
  data: unknown;
}

export interface AfterCall extends CallResult {
  contexts: readonly string[];
  stopReason?: string;
}

/** The time limit for hooks of an interrupted call: the user waits for the turn to end. */
const INTERRUPTED_MS = 2000;

/** Fires the PostToolUse or PostToolUseFailure hooks with the result of a call. */
export async function afterCall(
  hooks: Hooks,
  call: HookedCall & { durationMs: number },
  result: CallResult,
  signal: AbortSignal,
): Promise<AfterCall> {
  const { tool, input, toolUseId } = call;
  const own = {
    tool_name: tool.name,
    tool_input: input,
    duration_ms: Math.round(call.durationMs),
    ...serverOf(tool),
  };
  const isFailure = result.block.is_error === true;
  const said = isFailure
    ? await hooks.fire(
        'PostToolUseFailure',
        { ...own, tool_use_id: toolUseId, error: errorText(result.block), is_interrupt: signal.aborted },
        signal.aborted ? AbortSignal.timeout(INTERRUPTED_MS) : signal,
      )
    : await hooks.fire('PostToolUse', { ...own, tool_response: result.data, tool_use_id: toolUseId }, signal);
  const { contexts, stop } = said;
  return { ...withOutput(result, tool, said.updatedOutput), contexts, ...(stop && { stopReason: stop.reason }) };
}

/** Fires the hook once for all calls of an answer. */
export function afterBatch(
  hooks: Hooks,
  calls: readonly { name: string; input: JsonObject; block: ToolResultBlock }[],
  signal: AbortSignal,
): Promise<HookOutcome> {
  const tool_calls = calls.map(({ name, input, block }) => ({
    tool_name: name,
    tool_input: input,
    tool_use_id: block.tool_use_id,
    tool_response: block.content,
  }));
  return hooks.fire('PostToolBatch', { tool_calls }, signal);
}

function withOutput(result: CallResult, { name }: Tool, updated: HookOutcome['updatedOutput']): CallResult {
  if (!updated || (updated.onlyMcp && !name.startsWith('mcp__'))) return result;
  const { value } = updated;
  return { ...result, block: { ...result.block, content: typeof value === 'string' ? value : JSON.stringify(value) } };
}

/** The text of an error without the tag for the model. */
function errorText({ content }: ToolResultBlock): string {
  const texts = typeof content === 'string' ? [content] : (content ?? []).map((b) => (b.type === 'text' ? b.text : ''));
  return texts.join('\n').replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, '$1');
}
