import { runCall } from '../agent/run-call.ts';
import { createRegistry } from '../tools/registry.ts';
import type { Tool, ToolOutput } from '../tools/tool.ts';
import { Aborted } from '../util/abort.ts';
import type { JsonObject } from '../util/json.ts';
import { startTimer } from '../util/timer.ts';
import type { ToolResultBlock } from '../wire/content.ts';
import { ControlError } from '../wire/errors.ts';
import { gateOf } from './make-turn.ts';
import type { Parts } from './parts.ts';

/** A call that the host asks for, beside the conversation. */
export interface HostCall {
  tool: Tool;
  input: JsonObject;
  /** What has to be asked is asked. Otherwise the host that wants the call has answered by that. */
  mayAsk?: boolean;
  /** For all of it, hooks and questions included. */
  timeoutMs?: number;
}

export interface HostCallResult {
  content: NonNullable<ToolResultBlock['content']>;
  isError: boolean;
  /** A PostToolUse hook has put something else in its place. */
  isRewritten: boolean;
}

/**
 * Decides and runs a call as one of the model's: hooks, then the gate, with every rule that denies, in every mode. The
 * conversation hears nothing of it. Throws a ControlError for a call that did not run, and for one that took too long.
 */
export async function runForHost(parts: Parts, call: HostCall, signal: AbortSignal): Promise<HostCallResult> {
  const { runtime, hideCredentials } = parts;
  const late = new AbortController();
  const { timeoutMs } = call;
  const timer = timeoutMs === undefined ? undefined : startTimer(timeoutMs, () => late.abort(new Aborted('timeout')));
  let isBegun = false;
  let found: ToolOutput | null = null;
  const tool: Tool = {
    ...call.tool,
    async run(input, context) {
      isBegun = true;
      found = await call.tool.run(input, context);
      return found;
    },
  };
  const seams = {
    runtime,
    hooks: parts.hooks,
    hide: hideCredentials,
    toolContext: parts.toolContext,
    tools: { ...createRegistry([]), get: () => tool },
    gate: call.mayAsk ? gateOf(parts) : gateOf(parts, () => async () => ({ behavior: 'allow' })),
  };
  const id = `host_${runtime.ids.uuid()}`;
  const block = { type: 'tool_use' as const, id, name: tool.name, input: call.input };
  try {
    const outcome = await runCall(seams, { block, assistantUuid: '' }, AbortSignal.any([signal, late.signal]));
    if (late.signal.aborted) throw new ControlError(`${tool.name}: no answer within ${timeoutMs} ms`, 'timeout');
    const { content = '', is_error: isError = false } = hideCredentials(outcome.block);
    if (!isBegun) throw notRun(content, outcome.denied === true);
    return { content, isError, isRewritten: isOther(content, hideCredentials(found as ToolOutput | null)) };
  } finally {
    clearTimeout(timer);
  }
}

function notRun(content: HostCallResult['content'], isDenied: boolean): ControlError {
  const why = typeof content === 'string' ? content.replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, '$1') : '';
  return new ControlError(`The tool did not run: ${why}`, isDenied ? 'permission_denied' : 'invalid_request');
}

function isOther(content: HostCallResult['content'], found: ToolOutput | null): boolean {
  return found !== null && JSON.stringify(found.content) !== JSON.stringify(content);
}
