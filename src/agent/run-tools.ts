import type { Tool, ToolOutput } from '../tools/tool.ts';
import { ToolError } from '../tools/tool.ts';
import { Channel } from '../util/channel.ts';
import type { JsonObject } from '../util/json.ts';
import type { ToolResultBlock, ToolUseBlock } from '../wire/content.ts';
import type { Message } from '../wire/messages/index.ts';
import { toolResultLine } from './lines.ts';
import type { Turn } from './turn.ts';

export interface ToolCall {
  block: ToolUseBlock;
  /** The recorded assistant line that holds the call. */
  assistantUuid: string;
  /** The input was no JSON object; this is what came instead. */
  invalidInput?: string;
}

/**
 * Runs the calls of one answer and yields one result line per call, in the order of completion. Consecutive calls that
 * are safe beside each other run together, others alone and in order (ruling K36). Whatever happens (denial, unknown
 * tool, bad input, crash, abort), every call gets exactly one result, and the results are one message of the
 * conversation in the order of the calls.
 */
export async function* runTools(
  turn: Turn,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): AsyncGenerator<Message, { interrupted: boolean }> {
  const stop = new AbortController();
  const joined = AbortSignal.any([signal, stop.signal]);
  const blocks = new Map<ToolCall, ToolResultBlock>();
  for (const batch of batches(turn, calls)) {
    for await (const { call, outcome } of settleTogether(turn, batch, joined)) {
      if (outcome.denied) turn.tally.denials.push(denialOf(call));
      if (outcome.interrupt) stop.abort();
      blocks.set(call, outcome.block);
      const line = toolResultLine(turn, outcome.block, outcome.data);
      turn.tally.userLines++;
      yield await turn.record(line, { sourceToolAssistantUUID: call.assistantUuid });
    }
  }
  turn.messages.push({ role: 'user', content: calls.flatMap((call) => blocks.get(call) ?? []) });
  return { interrupted: joined.aborted };
}

/** Neighbours that may run side by side. */
function batches(turn: Turn, calls: readonly ToolCall[]): ToolCall[][] {
  const result: ToolCall[][] = [];
  let open: ToolCall[] | null = null;
  for (const call of calls) {
    if (!isConcurrencySafe(turn, call)) {
      result.push([call]);
      open = null;
    } else if (open) {
      open.push(call);
    } else {
      open = [call];
      result.push(open);
    }
  }
  return result;
}

function isConcurrencySafe(turn: Turn, call: ToolCall): boolean {
  const tool = turn.tools.get(call.block.name);
  const parsed = tool?.input.parse(call.block.input);
  return tool !== undefined && parsed?.ok === true && tool.isConcurrencySafe(parsed.value);
}

interface Outcome {
  block: ToolResultBlock;
  data: unknown;
  denied?: boolean;
  interrupt?: boolean;
}

/** Permissions are asked in order; what is allowed starts at once and the outcomes come as they are ready. */
async function* settleTogether(
  turn: Turn,
  batch: readonly ToolCall[],
  signal: AbortSignal,
): AsyncGenerator<{ call: ToolCall; outcome: Outcome }, void> {
  const outcomes = new Channel<{ call: ToolCall; outcome: Outcome }>();
  const start = async () => {
    const running: Promise<void>[] = [];
    for (const call of batch) {
      const prepared = await prepare(turn, call, signal).catch((error) => failure(turn, call, error));
      if ('block' in prepared) outcomes.push({ call, outcome: prepared });
      else running.push(execute(turn, call, prepared, signal).then((outcome) => outcomes.push({ call, outcome })));
    }
    await Promise.all(running);
    outcomes.end();
  };
  start().catch((error) => outcomes.fail(error));
  yield* outcomes;
}

interface Prepared {
  tool: Tool;
  input: JsonObject;
}

/** Finds the tool, checks the input and asks the gate. An Outcome instead of Prepared means that it must not run. */
async function prepare(turn: Turn, call: ToolCall, signal: AbortSignal): Promise<Prepared | Outcome> {
  const { block } = call;
  if (signal.aborted) return interruptedOutcome(call);
  const tool = turn.tools.get(block.name);
  if (!tool)
    return errorOutcome(
      call,
      wrapped(`Error: No such tool available: ${block.name}`),
      `Error: No such tool available: ${block.name}`,
    );
  const parsed = call.invalidInput === undefined ? tool.input.parse(block.input) : invalidJson(call.invalidInput);
  if (!parsed.ok) {
    const text = `InputValidationError: ${tool.name} was called with a bad input:\n${parsed.problems.join('\n')}`;
    return errorOutcome(call, wrapped(text), text);
  }
  const verdict = await turn.gate.check({ tool, input: parsed.value, toolUseId: block.id }, signal);
  if (verdict.allowed) return { tool, input: verdict.input };
  return { ...errorOutcome(call, verdict.message), denied: true, interrupt: verdict.interrupt };
}

function invalidJson(text: string): { ok: false; problems: string[] } {
  return { ok: false, problems: [`the input is not a JSON object: ${text.slice(0, 200)}`] };
}

async function execute(turn: Turn, call: ToolCall, { tool, input }: Prepared, signal: AbortSignal): Promise<Outcome> {
  try {
    if (signal.aborted) return interruptedOutcome(call);
    const output = await tool.run(input, turn.toolContext(call.block.id, signal));
    return successOutcome(call, output);
  } catch (error) {
    return failure(turn, call, error, signal);
  }
}

function failure(turn: Turn, call: ToolCall, error: unknown, signal?: AbortSignal): Outcome {
  if (signal?.aborted) return interruptedOutcome(call);
  if (error instanceof ToolError) {
    return errorOutcome(call, error.wrap ? wrapped(error.message) : error.message, `Error: ${error.message}`);
  }
  const message = error instanceof Error ? error.message : String(error);
  turn.runtime.log('error', `The tool ${call.block.name} failed unexpectedly: ${message}`, {
    stack: error instanceof Error ? error.stack : undefined,
  });
  return errorOutcome(call, `The tool failed unexpectedly: ${message}`);
}

/** The key order tells success from failure on the wire (wire.md 2.3). */
function successOutcome(call: ToolCall, output: ToolOutput): Outcome {
  const block: ToolResultBlock = { tool_use_id: call.block.id, type: 'tool_result', content: output.content };
  if (output.isError !== undefined) block.is_error = output.isError;
  return { block, data: output.data };
}

function errorOutcome(call: ToolCall, content: string, data = `Error: ${content}`): Outcome {
  return { block: { type: 'tool_result', content, is_error: true, tool_use_id: call.block.id }, data };
}

function interruptedOutcome(call: ToolCall): Outcome {
  return errorOutcome(
    call,
    'The user interrupted the turn before this tool call could finish. Do not repeat it unasked.',
  );
}

function wrapped(text: string): string {
  return `<tool_use_error>${text}</tool_use_error>`;
}

function denialOf(call: ToolCall) {
  return { tool_name: call.block.name, tool_use_id: call.block.id, tool_input: call.block.input };
}
