import { setMaxListeners } from 'node:events';
import { interruptedResult } from '../sessions/interrupted-result.ts';
import type { Parsed } from '../tools/input-schema.ts';
import type { Tool, ToolOutput, ToolProgress } from '../tools/tool.ts';
import { ToolError } from '../tools/tool.ts';
import type { Places } from '../tools/workspace.ts';
import { Aborted, abortReason } from '../util/abort.ts';
import { Channel } from '../util/channel.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { MAX_TIMER_MS } from '../util/timer.ts';
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from '../wire/content.ts';
import type { Message } from '../wire/messages/index.ts';
import { calledName } from './called-name.ts';
import type { AutomaticDenial } from './denial-line.ts';
import { pinnedContext } from './judge.ts';
import { toolProgressLine, toolResultLine, userTextLine } from './lines.ts';
import { attachContexts, type HooksSaid, newRound, noteHooks, type Round, tellBatch } from './round.ts';
import type { Turn } from './turn.ts';

export interface ToolCall {
  block: ToolUseBlock;
  /** The recorded assistant line that holds the call. */
  assistantUuid: string;
  /** Why the call cannot be run as it came. */
  problem?: string;
}

/** Milliseconds between the signs of life of a call that takes long. */
const PROGRESS_MS = 30_000;

/**
 * Runs the calls of one answer and yields one result line per call, in the order of completion, and progress lines for
 * those that take long. Consecutive calls that are safe beside each other run together, others alone and in order
 * (ruling K36). Whatever happens (denial, unknown tool, bad input, crash, abort), every call gets exactly one result,
 * and the results are one message of the conversation in the order of the calls.
 */
export async function* runTools(
  turn: Turn,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): AsyncGenerator<Message, RoundEnd> {
  const stop = new AbortController();
  const round = newRound();
  const joined = AbortSignal.any([signal, stop.signal]);
  setMaxListeners(0, joined); // each call listens, and there may be many
  const blocks = new Map<ToolCall, ToolResultBlock>();
  const followUps: FollowUp[] = [];
  const added: ContentBlock[] = [];
  try {
    for (const batch of batches(turn, calls)) {
      const settled = settleTogether(turn, batch, { signal: joined, stop, round });
      for await (const news of turn.ordered ? inCallOrder(batch, settled) : settled) {
        const { call, outcome } = news;
        if (!outcome) {
          yield toolProgressLine(turn, call.block, { ...news, progress: turn.hide(news.progress) });
          continue;
        }
        if (outcome.denied) turn.tally.denials.push(denialOf(turn, call));
        const { block, data } = turn.hide({ block: outcome.block, data: outcome.data });
        if (outcome.automatic) yield await lineOfDenial(turn, call, outcome.automatic, block);
        const line = toolResultLine(turn, block, data);
        const recorded = await turn.record(line, { sourceToolAssistantUUID: call.assistantUuid });
        blocks.set(call, block);
        if (outcome.followUp !== undefined) followUps.push({ call, text: turn.hide(outcome.followUp) });
        turn.tally.userLines++;
        yield recorded;
      }
    }
    for (const { call, text } of followUps) {
      turn.tally.userLines++;
      const line = { ...userTextLine(turn, text), isSynthetic: true };
      yield await turn.record(line, { isMeta: true, sourceToolUseID: call.block.id });
      added.push({ type: 'text', text });
    }
    await tellBatch(turn, { calls, results: blocks }, round, joined);
    added.push(...(await attachContexts(turn, calls, round)));
    return { ...round, interrupted: joined.aborted };
  } finally {
    // After a broken store, or when the turn was given up: what still runs has nobody to report to.
    if (blocks.size < calls.length) stop.abort(new Aborted('shutdown'));
    // Also then: one call without a result, and the API would refuse every request from now on.
    const content = calls.map((call) => blocks.get(call) ?? interruptedResult(call.block.id));
    turn.messages.push({ role: 'user', content: [...content, ...added] });
  }
}

export interface RoundEnd extends Pick<Round, 'halted' | 'deferred'> {
  interrupted: boolean;
}

/** What a single call needs of a turn, or of what stands in for one. */
export type CallSeams = Pick<Turn, 'tools' | 'aliases' | 'hooks' | 'gate' | 'toolContext' | 'hide' | 'runtime'>;

/** Answers calls that must not run any more, each with the reason: no call stays without its result. */
export async function* refuseTools(
  turn: Turn,
  calls: readonly ToolCall[],
  reason: string,
): AsyncGenerator<Message, void> {
  const outcomes = calls.map((call) => ({ call, outcome: errorOutcome(call, reason) }));
  turn.messages.push({ role: 'user', content: outcomes.map(({ outcome }) => outcome.block) });
  for (const { call, outcome } of outcomes) {
    const line = toolResultLine(turn, outcome.block, outcome.data);
    turn.tally.userLines++;
    yield await turn.record(line, { sourceToolAssistantUUID: call.assistantUuid });
  }
}

/** The input as the tool takes it. A tool of someone else's may throw here; that is a problem like any other. */
export function parseInput(tool: Tool, input: JsonObject): Parsed<JsonObject> {
  try {
    return tool.input.parse(input);
  } catch (error) {
    return { ok: false, problems: [messageOf(error)] };
  }
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

function isConcurrencySafe(turn: Turn, { block }: ToolCall): boolean {
  const tool = turn.tools.get(calledName(turn, block));
  if (!tool) return false;
  try {
    const parsed = parseInput(tool, block.input);
    return parsed.ok && tool.isConcurrencySafe(parsed.value);
  } catch {
    return false; // who cannot say so is not safe
  }
}

/** What a tool wants to be said. Behind all results: each of them hangs from its call, not from what was said before. */
interface FollowUp {
  call: ToolCall;
  text: string;
}

export interface Outcome extends HooksSaid {
  block: ToolResultBlock;
  data: unknown;
  followUp?: string;
  denied?: boolean;
  interrupt?: boolean;
  /** Denied without asking anybody. */
  automatic?: AutomaticDenial;
}

/** A call has its outcome, or has been running for so long without one, and is so far. */
type CallNews =
  | { call: ToolCall; outcome: Outcome }
  | { call: ToolCall; outcome?: undefined; elapsedMs: number; progress?: ToolProgress };

/** Holds outcomes back until those of the calls before them are out: a run that is repeated then gives the same lines. */
async function* inCallOrder(
  batch: readonly ToolCall[],
  settled: AsyncIterable<CallNews>,
): AsyncGenerator<CallNews, void> {
  const early = new Map<ToolCall, Outcome>();
  let next = 0;
  for await (const news of settled) {
    if (!news.outcome) {
      yield news;
      continue;
    }
    early.set(news.call, news.outcome);
    for (let due = batch[next]; due && early.has(due); due = batch[++next]) {
      yield { call: due, outcome: early.get(due) as Outcome };
    }
  }
}

/** Permissions are asked in order; what is allowed starts at once and the outcomes come as they are ready. */
async function* settleTogether(
  turn: Turn,
  batch: readonly ToolCall[],
  { signal, stop, round }: { signal: AbortSignal; stop: AbortController; round: Round },
): AsyncGenerator<CallNews, void> {
  const outcomes = new Channel<CallNews>();
  const start = async () => {
    const running: Promise<void>[] = [];
    for (const call of batch) {
      const prepared =
        round.halted === null
          ? await prepare(turn, call, signal).catch((error) => failure(turn, call, error))
          : errorOutcome(call, 'Not run: a hook stopped the turn.');
      noteHooks(round, call, prepared);
      if ('block' in prepared) {
        if (prepared.interrupt) stop.abort(new Aborted('interrupt')); // before the next question is asked
        outcomes.push({ call, outcome: prepared });
      } else {
        const telling = tellProgress(turn, (told) => outcomes.push({ call, ...told }));
        running.push(
          execute(turn, call, { ...prepared, onProgress: telling.onProgress }, signal).then((outcome) => {
            telling.stop();
            noteHooks(round, call, outcome);
            outcomes.push({ call, outcome });
          }),
        );
      }
    }
    await Promise.all(running);
    outcomes.end();
  };
  start().catch((error) => outcomes.fail(error));
  yield* outcomes;
}

interface Telling {
  onProgress(progress: ToolProgress): void;
  stop(): void;
}

/**
 * Beats are counted, not read from the clock: a run with a seeded one must read it as often in every repetition. What a
 * tool says by itself is told as it comes, but not faster than people can read.
 */
function tellProgress(turn: Turn, tell: (told: { elapsedMs: number; progress?: ToolProgress }) => void): Telling {
  const beatMs = Math.min(turn.progressMs ?? PROGRESS_MS, MAX_TIMER_MS);
  const { clock } = turn.runtime;
  let beats = 0;
  let startedAt: number | null = null;
  let toldAt = Number.NEGATIVE_INFINITY;
  let isOver = false;
  const timer = setInterval(() => tell({ elapsedMs: ++beats * beatMs }), beatMs);
  return {
    onProgress(progress) {
      const now = clock.now();
      startedAt ??= now - beats * beatMs;
      if (isOver || now - toldAt < READABLE_MS) return;
      toldAt = now;
      tell({ elapsedMs: now - startedAt, progress });
    },
    stop() {
      isOver = true;
      clearInterval(timer);
    },
  };
}

/** Milliseconds between two lines about what a tool says of its progress. */
const READABLE_MS = 250;

interface Prepared extends HooksSaid {
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
    return { ...errorOutcome(call, message), ...consequences };
  }
  const verdict = await turn.gate.check({ ...asked, ...before }, signal);
  const said = 'contexts' in before ? { contexts: before.contexts } : {};
  if (verdict.allowed) return { tool, input: verdict.input, places: verdict.places, ...said };
  const { message, allowed: _, ...consequences } = verdict;
  return { ...errorOutcome(call, message), denied: true, ...consequences, ...said };
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
    return successOutcome(call, await tool.run(input, { ...context, ...(onProgress && { onProgress }) }));
  } catch (error) {
    return failure(turn, call, error, signal);
  }
}

export function failure(turn: CallSeams, call: ToolCall, error: unknown, signal?: AbortSignal): Outcome {
  if (signal?.aborted) return interruptedOutcome(call, signal);
  if (error instanceof ToolError) {
    return errorOutcome(call, error.wrap ? wrapped(error.message) : error.message, `Error: ${error.message}`);
  }
  const message = messageOf(error);
  turn.runtime.log('error', `The tool ${call.block.name} failed unexpectedly: ${message}`, {
    stack: error instanceof Error ? error.stack : undefined,
  });
  return errorOutcome(call, `The tool failed unexpectedly: ${message}`);
}

/** The key order tells success from failure on the wire (wire.md 2.3). */
function successOutcome(call: ToolCall, output: ToolOutput): Outcome {
  const block: ToolResultBlock = { tool_use_id: call.block.id, type: 'tool_result', content: output.content };
  if (output.isError !== undefined) block.is_error = output.isError;
  return { block, data: output.data, ...(output.followUp !== undefined && { followUp: output.followUp }) };
}

function errorOutcome(call: ToolCall, content: string, data = `Error: ${content}`): Outcome {
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

/** Most turns meet no denial. */
async function lineOfDenial(turn: Turn, call: ToolCall, denial: AutomaticDenial, told: ToolResultBlock) {
  const { denialLine } = await import('./denial-line.ts');
  return denialLine(turn, denialOf(turn, call), turn.hide(denial), String(told.content));
}

function denialOf(turn: Turn, call: ToolCall) {
  return { tool_name: calledName(turn, call.block), tool_use_id: call.block.id, tool_input: call.block.input };
}
