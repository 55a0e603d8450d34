import { runCall } from '../../agent/calls/run-call.ts';
import { createRegistry } from '../../tools/registry.ts';
import type { Tool, ToolOutput } from '../../tools/tool.ts';
import { Aborted } from '../../util/abort.ts';
import type { JsonObject } from '../../util/json.ts';
import { startTimer } from '../../util/timer.ts';
import type { ToolResultBlock } from '../../wire/api/content.ts';
import { ControlError } from '../../wire/errors.ts';
import { gateOf } from './make-turn.ts';
import type { Thread } from './thread.ts';

/** A tool call that the host asks for, outside of the conversation. */
export interface HostCall {
  tool: Tool;
  input: JsonObject;
  /** Whether permission questions are asked. Otherwise the host's request for the call counts as its approval. */
  mayAsk?: boolean;
  /** The limit for the whole call, including hooks and questions. */
  timeoutMs?: number;
}

export interface HostCallResult {
  content: NonNullable<ToolResultBlock['content']>;
  isError: boolean;
  /** Whether a PostToolUse hook has replaced the result. */
  isRewritten: boolean;
}

/**
 * Decides and runs a call like one of the model: hooks, then the permission check with every deny rule, in every mode.
 * The conversation does not contain the call. Throws a ControlError for a call that did not run, and for one that took
 * too long.
 */
export async function runForHost(thread: Thread, call: HostCall, signal: AbortSignal): Promise<HostCallResult> {
  const { runtime, hideCredentials } = thread.services;
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
  const dependencies = {
    runtime,
    hooks: thread.hooks.current,
    tools: {
      registry: { ...createRegistry([]), get: () => tool },
      gate: call.mayAsk ? gateOf(thread) : gateOf(thread, () => async () => ({ behavior: 'allow' })),
      context: (toolUseId: string, by: AbortSignal) => thread.toolContext(toolUseId, by),
      hideCredentials,
    },
  };
  const id = `host_${runtime.ids.uuid()}`;
  const block = { type: 'tool_use' as const, id, name: tool.name, input: call.input };
  try {
    const outcome = await runCall(dependencies, { block, assistantUuid: '' }, AbortSignal.any([signal, late.signal]));
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
