import { setMaxListeners } from 'node:events';
import { interruptedResult } from '../sessions/interrupted-result.ts';
import type { ToolProgress } from '../tools/tool.ts';
import { Aborted } from '../util/abort.ts';
import { Channel } from '../util/channel.ts';
import { MAX_TIMER_MS } from '../util/timer.ts';
import type { ContentBlock, ToolResultBlock } from '../wire/content.ts';
import type { Message } from '../wire/messages/index.ts';
import { calledName } from './called-name.ts';
import type { AutomaticDenial } from './denial-line.ts';
import { toolProgressLine, toolResultLine, userTextLine } from './lines.ts';
import { attachContexts, newRound, noteSaid, type Round, tellBatch } from './round.ts';
import { errorOutcome, execute, failure, type Outcome, parseInput, prepare, type ToolCall } from './run-call.ts';
import { countCall } from './tool-stats.ts';
import type { Turn } from './turn.ts';

/** Milliseconds between the signs of life of a call that takes long. */
const PROGRESS_MS = 30_000;

/**
 * Runs the calls of one answer and yields one result line per call, in the order of completion, and progress lines for
 * those that take long. Consecutive calls that are safe beside each other run together, others alone and in order
 * (ruling K36). Whatever happens (denial, unknown tool, bad input, crash, abort), every call gets exactly one result,
 * and the results are one message of the conversation in the order of the calls. Throws, after that, when a call has shown
 * that the program itself is not whole any more.
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
        countCall(turn.ledger, calledName(turn, call.block), outcome.data);
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
    if (round.broken) throw round.broken;
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
        round.halted === null && !round.broken
          ? await prepare(turn, call, signal).catch((error) => failure(turn, call, error))
          : errorOutcome(call, `Not run: ${round.broken ? 'the turn has failed' : 'a hook stopped the turn'}.`);
      noteSaid(round, call, prepared);
      if ('block' in prepared) {
        if (prepared.interrupt) stop.abort(new Aborted('interrupt')); // before the next question is asked
        outcomes.push({ call, outcome: prepared });
      } else {
        const telling = tellProgress(turn, (told) => outcomes.push({ call, ...told }));
        running.push(
          execute(turn, call, { ...prepared, onProgress: telling.onProgress }, signal).then((outcome) => {
            telling.stop();
            noteSaid(round, call, outcome);
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

/** Most turns meet no denial. */
async function lineOfDenial(turn: Turn, call: ToolCall, denial: AutomaticDenial, told: ToolResultBlock) {
  const { denialLine } = await import('./denial-line.ts');
  return denialLine(turn, denialOf(turn, call), turn.hide(denial), String(told.content));
}

function denialOf(turn: Turn, call: ToolCall) {
  return { tool_name: calledName(turn, call.block), tool_use_id: call.block.id, tool_input: call.block.input };
}
