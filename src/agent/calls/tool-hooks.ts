import type { Hooks } from '../hooks/dispatch.ts';
import type { HookOutcome } from '../hooks/fold.ts';
import type { Tool } from '../tools/tool.ts';
import type { JsonObject } from '../util/json.ts';
import type { ToolResultBlock } from '../wire/content.ts';
import type { HookVote } from './gate.ts';

/** A call that is about to run, or has run. */
export interface HookedCall {
  tool: Tool;
  input: JsonObject;
  toolUseId: string;
}

/** What hooks leave of a call before it is judged: its input, or why it does not run. */
export type BeforeCall = { contexts: readonly string[] } & (
  | { input: JsonObject; vote: HookVote | null }
  | { message: string; denied: boolean; halt?: string; deferred?: true }
);

/** Asks the PreToolUse hooks. What they allow is judged all the same: a hook opens no rule. */
export async function beforeCall(hooks: Hooks, call: HookedCall, signal: AbortSignal): Promise<BeforeCall> {
  const { tool, input, toolUseId } = call;
  const payload = { tool_name: tool.name, tool_input: input, tool_use_id: toolUseId, ...serverOf(tool) };
  const { stop, decision, updatedInput, contexts } = await hooks.fire('PreToolUse', payload, signal);
  // Before the denials: who stops everything stops this, too (ruling K18).
  if (stop) return { message: stop.reason || 'A hook stopped the turn.', denied: false, halt: stop.reason, contexts };
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

/** Whose tool it is, where that is an MCP server's: its name may be anybody's, who has defined it may not. */
export function serverOf({ server }: Pick<Tool, 'server'>): { mcp_server?: { name: string; source: string } } {
  return server ? { mcp_server: { ...server } } : {};
}

/** What came of a call, as far as hooks may change it. */
export interface Found {
  block: ToolResultBlock;
  data: unknown;
}

export interface AfterCall extends Found {
  contexts: readonly string[];
  halt?: string;
}

/** How long the hooks of a call may take that was interrupted: the user waits for the end. */
const INTERRUPTED_MS = 2000;

/** Tells the PostToolUse or PostToolUseFailure hooks what came of a call. */
export async function afterCall(
  hooks: Hooks,
  call: HookedCall & { durationMs: number },
  found: Found,
  signal: AbortSignal,
): Promise<AfterCall> {
  const { tool, input, toolUseId } = call;
  const own = {
    tool_name: tool.name,
    tool_input: input,
    duration_ms: Math.round(call.durationMs),
    ...serverOf(tool),
  };
  const isFailure = found.block.is_error === true;
  const said = isFailure
    ? await hooks.fire(
        'PostToolUseFailure',
        { ...own, tool_use_id: toolUseId, error: errorText(found.block), is_interrupt: signal.aborted },
        signal.aborted ? AbortSignal.timeout(INTERRUPTED_MS) : signal,
      )
    : await hooks.fire('PostToolUse', { ...own, tool_response: found.data, tool_use_id: toolUseId }, signal);
  const { contexts, stop } = said;
  return { ...withOutput(found, tool, said.updatedOutput), contexts, ...(stop && { halt: stop.reason }) };
}

/** Once for all calls of an answer. */
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

function withOutput(found: Found, { name }: Tool, updated: HookOutcome['updatedOutput']): Found {
  if (!updated || (updated.onlyMcp && !name.startsWith('mcp__'))) return found;
  const { value } = updated;
  return { ...found, block: { ...found.block, content: typeof value === 'string' ? value : JSON.stringify(value) } };
}

/** Without the tag that is for the model. */
function errorText({ content }: ToolResultBlock): string {
  const texts = typeof content === 'string' ? [content] : (content ?? []).map((b) => (b.type === 'text' ? b.text : ''));
  return texts.join('\n').replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, '$1');
}
