import type { Parsed } from '../tools/input-schema.ts';
import type { Tool, ToolOutput, ToolProgress } from '../tools/tool.ts';
import { ToolError } from '../tools/tool.ts';
import type { Places } from '../tools/workspace.ts';
import { abortReason } from '../util/abort.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { ToolResultBlock, ToolUseBlock } from '../wire/content.ts';
import { HeddleError } from '../wire/errors.ts';
import { calledName } from './called-name.ts';
import type { AutomaticDenial } from './denial-line.ts';
import { pinnedContext } from './judge.ts';
import type { SaidOfCall } from './round.ts';
import type { Turn } from './turn.ts';

export interface ToolCall {
  block: ToolUseBlock;
  /** The recorded assistant line that holds the call. */
  assistantUuid: string;
  /** Why the call cannot be run as it came. */
  problem?: string;
}

/** What a single call needs of a turn, or of what stands in for one. */
export type CallSeams = Pick<
  Turn,
  'tools' | 'aliases' | 'hooks' | 'gate' | 'toolContext' | 'hide' | 'runtime' | 'tellsToday'
>;

export interface Outcome extends SaidOfCall {
  block: ToolResultBlock;
  data: unknown;
  followUp?: string;
  denied?: boolean;
  interrupt?: boolean;
  /** Denied without asking anybody. */
  automatic?: AutomaticDenial;
}

/** Decides and runs one call, which may stand in no answer of a model. Never rejects. */
export async function runCall(seams: CallSeams, call: ToolCall, signal: AbortSignal): Promise<Outcome> {
  const prepared = await prepare(seams, call, signal).catch((error) => failure(seams, call, error));
  return 'block' in prepared ? prepared : execute(seams, call, prepared, signal);
}

interface Prepared extends SaidOfCall {
  tool: Tool;
  input: JsonObject;
  onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Where the files are that it names, as they were judged. */
  places: Places | undefined;
}

/** Finds the tool, checks the input and asks the gate. An Outcome instead of Prepared means that it must not run. */
export async function prepare(turn: CallSeams, call: ToolCall, signal: AbortSignal): Promise<Prepared | Outcome> {
  const { block } = call;
  if (signal.aborted) return interruptedOutcome(call, signal);
  const tool = turn.tools.get(calledName(turn, block));
  if (!tool) {
    const text = `Error: No such tool available: ${block.name}`;
    return errorOutcome(call, wrapped(text), text);
  }
  const parsed = call.problem === undefined ? parseInput(tool, block.input) : refused(call.problem);
  if (!parsed.ok) {
    const text = `InputValidationError: ${tool.name} was called with a bad input:\n${parsed.problems.join('\n')}`;
    return errorOutcome(call, wrapped(text), text);
  }
  const input = (await tool.prepare?.(parsed.value, turn.toolContext(block.id, signal))) ?? parsed.value;
  const asked = { tool, input, toolUseId: block.id };
  const before = turn.hooks ? await (await import('./tool-hooks.ts')).beforeCall(turn.hooks, asked, signal) : asked;
  if (signal.aborted) return interruptedOutcome(call, signal);
  if ('message' in before) {
    const { message, ...consequences } = before;
    // Whoever resumes the session finds such a call by it.
    const data = before.deferred && { data: { deferred: true } };
    return { ...errorOutcome(call, message), ...data, ...consequences };
  }
  const verdict = await turn.gate.check({ ...asked, ...before }, signal);
  const said = 'contexts' in before ? { contexts: before.contexts } : {};
  if (verdict.allowed) return { tool, input: verdict.input, places: verdict.places, ...said };
  const { message, allowed: _, ...consequences } = verdict;
  return { ...errorOutcome(call, message), denied: true, ...consequences, ...said };
}

/** The input as the tool takes it. A tool of someone else's may throw here; that is a problem like any other. */
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
  turn: CallSeams,
  call: ToolCall,
  prepared: Prepared,
  signal: AbortSignal,
): Promise<Outcome> {
  if (signal.aborted) return interruptedOutcome(call, signal);
  const { clock } = turn.runtime;
  const startedAt = clock.now();
  const outcome = await runTool(turn, call, prepared, signal);
  if (!turn.hooks) return outcome;
  const { afterCall } = await import('./tool-hooks.ts');
  const done = { ...prepared, toolUseId: call.block.id, durationMs: clock.now() - startedAt };
  const found = turn.hide({ block: outcome.block, data: outcome.data });
  return { ...outcome, ...(await afterCall(turn.hooks, done, found, signal)) };
}

async function runTool(turn: CallSeams, call: ToolCall, prepared: Prepared, signal: AbortSignal): Promise<Outcome> {
  const { tool, input, places, onProgress } = prepared;
  try {
    const context = await pinnedContext(turn.toolContext(call.block.id, signal), places);
    const output = await tool.run(input, { ...context, ...(onProgress && { onProgress }) });
    return successOutcome(call, turn.tellsToday ? withTodaysData(output) : output);
  } catch (error) {
    return failure(turn, call, error, signal);
  }
}

export function failure(turn: CallSeams, call: ToolCall, error: unknown, signal?: AbortSignal): Outcome {
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

/** `data` is what people are told. */
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
