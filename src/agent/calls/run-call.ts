import type { Parsed } from '../../tools/input-schema.ts';
import type { Tool, ToolOutput, ToolProgress } from '../../tools/tool.ts';
import { ToolError } from '../../tools/tool.ts';
import type { Places } from '../../tools/workspace.ts';
import { abortReason } from '../../util/abort.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { ToolResultBlock, ToolUseBlock } from '../../wire/api/content.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Turn } from '../turn.ts';
import type { AutomaticDenial, TurnTools } from '../turn-tools.ts';
import { pinnedContext } from './judge.ts';
import type { SaidOfCall, ToolCall } from './tool-call.ts';
import { afterCall, beforeCall } from './tool-hooks.ts';

/** The part of a turn that a single call uses. */
export interface CallDependencies extends Pick<Turn, 'runtime' | 'hooks' | 'mentionsToday'> {
  readonly tools: Pick<TurnTools, 'registry' | 'aliases' | 'gate' | 'context' | 'hideCredentials'>;
}

export interface Outcome extends SaidOfCall {
  block: ToolResultBlock;
  data: unknown;
  followUp?: string;
  denied?: boolean;
  interrupt?: boolean;
  /** Set when the call was denied without a question. */
  automatic?: AutomaticDenial;
}

/**
 * Judges and runs one call, which need not be part of a model's answer. Never rejects. The result has the texts of all
 * its hooks.
 */
export async function runCall(dependencies: CallDependencies, call: ToolCall, signal: AbortSignal): Promise<Outcome> {
  const prepared = await prepare(dependencies, call, signal).catch((error) => failure(dependencies, call, error));
  if ('block' in prepared) return prepared;
  const outcome = await execute(dependencies, call, prepared, signal);
  return { ...outcome, contexts: [...(prepared.contexts ?? []), ...(outcome.contexts ?? [])] };
}

interface Prepared extends SaidOfCall {
  tool: Tool;
  input: JsonObject;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** The real paths of the files that the call names, as they were judged. */
  places: Places | undefined;
}

/** Finds the tool, checks the input and asks the gate. An Outcome instead of Prepared means that it must not run. */
export async function prepare(
  turn: CallDependencies,
  call: ToolCall,
  signal: AbortSignal,
): Promise<Prepared | Outcome> {
  const { block } = call;
  if (signal.aborted) return interruptedOutcome(call, signal);
  const tool = turn.tools.registry.get(calledName(turn.tools, block));
  if (!tool) {
    const text = `Error: No such tool available: ${block.name}`;
    return errorOutcome(call, wrapped(text), text);
  }
  const parsed = call.problem === undefined ? parseInput(tool, block.input) : refused(call.problem);
  if (!parsed.ok) {
    const text = `InputValidationError: ${tool.name} was called with a bad input:\n${parsed.problems.join('\n')}`;
    return errorOutcome(call, wrapped(text), text);
  }
  const input = (await tool.prepare?.(parsed.value, turn.tools.context(block.id, signal))) ?? parsed.value;
  const asked = { tool, input, toolUseId: block.id };
  const before = turn.hooks ? await beforeCall(turn.hooks, asked, signal) : asked;
  if (signal.aborted) return interruptedOutcome(call, signal);
  if ('message' in before) {
    const { message, ...consequences } = before;
    // A resumed session finds deferred calls by this mark.
    const data = before.deferred && { data: { deferred: true } };
    return { ...errorOutcome(call, message), ...data, ...consequences };
  }
  const verdict = await turn.tools.gate.check({ ...asked, ...before }, signal);
  const said = 'contexts' in before ? { contexts: before.contexts } : {};
  if (verdict.allowed) return { tool, input: verdict.input, places: verdict.places, ...said };
  const { message, allowed: _, ...consequences } = verdict;
  return { ...errorOutcome(call, message), denied: true, ...consequences, ...said };
}

/**
 * The name of the tool that a call is for. Rules, modes and hooks judge that tool, whatever name the model used, so that
 * no alias leads around a rule. One hop, never a chain.
 */
export function calledName({ aliases }: Pick<TurnTools, 'aliases'>, { name }: ToolUseBlock): string {
  return aliases?.get(name) ?? name;
}

/** The input in the form for the tool. A custom tool may throw here; that counts as invalid input. */
export function parseInput(tool: Tool, input: JsonObject): Parsed<JsonObject> {
  try {
    return tool.input.parse(input);
  } catch (error) {
    return { ok: false, problems: [messageOf(error)] };
  }
}

function refused(problem: string): Parsed<JsonObject> {
  return { ok: false, problems: [problem] };
}

export async function execute(
  turn: CallDependencies,
  call: ToolCall,
  prepared: Prepared,
  signal: AbortSignal,
): Promise<Outcome> {
  if (signal.aborted) return interruptedOutcome(call, signal);
  const { clock } = turn.runtime;
  const startedAt = clock.now();
  const outcome = await runTool(turn, call, prepared, signal);
  if (!turn.hooks) return outcome;
  const done = { ...prepared, toolUseId: call.block.id, durationMs: clock.now() - startedAt };
  const found = turn.tools.hideCredentials({ block: outcome.block, data: outcome.data });
  return { ...outcome, ...(await afterCall(turn.hooks, done, found, signal)) };
}

async function runTool(
  turn: CallDependencies,
  call: ToolCall,
  prepared: Prepared,
  signal: AbortSignal,
): Promise<Outcome> {
  const { tool, input, places, onProgress } = prepared;
  try {
    const context = await pinnedContext(turn.tools.context(call.block.id, signal), places);
    const output = await tool.run(input, { ...context, ...(onProgress && { onProgress }) });
    return successOutcome(call, turn.mentionsToday ? withTodaysData(output) : output);
  } catch (error) {
    return failure(turn, call, error, signal);
  }
}

export function failure(turn: CallDependencies, call: ToolCall, error: unknown, signal?: AbortSignal): Outcome {
  if (signal?.aborted) return interruptedOutcome(call, signal);
  if (error instanceof ToolError) {
    return errorOutcome(call, error.wrap ? wrapped(error.message) : error.message, `Error: ${error.message}`);
  }
  if (HeddleError.isInstance(error) && error.code === 'installation_changed') {
    return { ...errorOutcome(call, error.message), broken: error };
  }
  const message = messageOf(error);
  turn.runtime.log('error', `The tool ${call.block.name} failed unexpectedly: ${message}`, {
    stack: error instanceof Error ? error.stack : undefined,
  });
  return errorOutcome(call, `The tool failed unexpectedly: ${message}`);
}

function withTodaysData(output: ToolOutput): ToolOutput {
  return isObject(output.data) ? { ...output, data: { ...output.data, ...output.todaysData } } : output;
}

/** The key order tells success from failure on the wire (wire.md 2.3). */
function successOutcome(call: ToolCall, output: ToolOutput): Outcome {
  const block: ToolResultBlock = { tool_use_id: call.block.id, type: 'tool_result', content: output.content };
  if (output.isError !== undefined) block.is_error = output.isError;
  return { block, data: output.data, ...(output.followUp !== undefined && { followUp: output.followUp }) };
}

/** `data` is the text for people. */
export function errorOutcome(call: ToolCall, content: string, data = `Error: ${content}`): Outcome {
  return { block: { type: 'tool_result', content, is_error: true, tool_use_id: call.block.id }, data };
}

function interruptedOutcome(call: ToolCall, signal: AbortSignal): Outcome {
  const isLate = abortReason(signal).kind === 'timeout';
  const cause = isLate ? 'The time limit of the turn ended it' : 'The user interrupted the turn';
  return errorOutcome(call, `${cause} before this tool call could finish. Do not repeat it unasked.`);
}

function wrapped(text: string): string {
  return `<tool_use_error>${text}</tool_use_error>`;
}
