import { setMaxListeners } from 'node:events';
import { interruptedResult } from '../../sessions/interrupted-result.ts';
import type { ToolProgress } from '../../tools/tool.ts';
import { Aborted } from '../../util/abort.ts';
import { Channel } from '../../util/channel.ts';
import { MAX_TIMER_MS } from '../../util/timer.ts';
import type { ContentBlock, ToolResultBlock } from '../../wire/api/content.ts';
import type { Message } from '../../wire/messages/index.ts';
import { toolProgressLine, toolResultLine, userTextLine } from '../messages/lines.ts';
import type { Turn } from '../turn.ts';
import type { AutomaticDenial } from '../turn-tools.ts';
import { denialLine } from './denial-line.ts';
import { announceBatch, attachContexts, newRound, noteSaid, type Round } from './round.ts';
import { calledName, errorOutcome, execute, failure, type Outcome, parseInput, prepare } from './run-call.ts';
import type { ToolCall } from './tool-call.ts';
import { countCall } from './tool-stats.ts';

/** Milliseconds between two progress lines of a call that takes long. */
const PROGRESS_MS = 30_000;

/**
 * Runs the calls of one answer and yields one result line per call, in the order of completion, and progress lines for
 * calls that take long. Consecutive calls that are safe to run concurrently run together, others alone and in order.
 * Every call gets exactly one result (also on denial, unknown tool, bad input, crash or abort), and the results form
 * one message in the order of the calls. Throws, after all results, when a call has shown that the program itself is
 * broken.
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
    await turn.conversation.mark?.(idsOf(calls), 'asked');
    for (const batch of batches(turn, calls)) {
      const settled = settleTogether(turn, batch, { signal: joined, stop, round });
      for await (const update of turn.tools.ordered ? inCallOrder(batch, settled) : settled) {
        const { call, outcome } = update;
        if (!outcome) {
          yield toolProgressLine(turn, call.block, {
            ...update,
            progress: turn.tools.hideCredentials(update.progress),
          });
          continue;
        }
        if (outcome.denied) turn.tally.denials.push(denialOf(turn, call));
        const { block, data } = turn.tools.hideCredentials({ block: outcome.block, data: outcome.data });
        if (outcome.automatic) yield lineOfDenial(turn, call, outcome.automatic, block);
        const line = toolResultLine(turn, block, data);
        const recorded = await turn.conversation.record(line, { sourceToolAssistantUUID: call.assistantUuid });
        blocks.set(call, block);
        countCall(turn.ledger, calledName(turn.tools, call.block), outcome.data);
        if (outcome.followUp !== undefined)
          followUps.push({ call, text: turn.tools.hideCredentials(outcome.followUp) });
        turn.tally.userLines++;
        yield recorded;
      }
    }
    for (const { call, text } of followUps) {
      turn.tally.userLines++;
      const line = { ...userTextLine(turn, text), isSynthetic: true };
      yield await turn.conversation.record(line, { isMeta: true, sourceToolUseID: call.block.id });
      added.push({ type: 'text', text });
    }
    await announceBatch(turn, { calls, results: blocks }, round, joined);
    added.push(...(await attachContexts(turn, calls, round)));
    if (round.broken) throw round.broken;
    return { ...round, interrupted: joined.aborted };
  } finally {
    // Stops calls that still run after the store broke or the turn was abandoned: no one reads their results.
    if (blocks.size < calls.length) stop.abort(new Aborted('shutdown'));
    // Every call gets a result, also on failure: otherwise the API would refuse every later request.
    const content = calls.map((call) => blocks.get(call) ?? interruptedResult(call.block.id));
    turn.conversation.messages.push({ role: 'user', content: [...content, ...added] });
  }
}

export interface RoundEnd extends Pick<Round, 'stoppedByHook' | 'deferred'> {
  interrupted: boolean;
}

/** Answers calls that must not run any more, each with the reason, so that no call stays without its result. */
export async function* refuseTools(
  turn: Turn,
  calls: readonly ToolCall[],
  reason: string,
): AsyncGenerator<Message, void> {
  const outcomes = calls.map((call) => ({ call, outcome: errorOutcome(call, reason) }));
  turn.conversation.messages.push({ role: 'user', content: outcomes.map(({ outcome }) => outcome.block) });
  for (const { call, outcome } of outcomes) {
    const line = toolResultLine(turn, outcome.block, outcome.data);
    turn.tally.userLines++;
    yield await turn.conversation.record(line, { sourceToolAssistantUUID: call.assistantUuid });
  }
}

function idsOf(calls: readonly ToolCall[]): string[] {
  return calls.map(({ block }) => block.id);
}

/** Groups consecutive calls that may run concurrently. */
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
  const tool = turn.tools.registry.get(calledName(turn.tools, block));
  if (!tool) return false;
  try {
    const parsed = parseInput(tool, block.input);
    return parsed.ok && tool.isConcurrencySafe(parsed.value);
  } catch {
    return false; // a tool whose check throws counts as unsafe
  }
}

/** A message that a tool adds for the model. It comes after all results, because each result is linked to its call. */
interface FollowUp {
  call: ToolCall;
  text: string;
}

/** A call has its outcome, or still runs and reports its progress. */
type CallUpdate =
  | { call: ToolCall; outcome: Outcome }
  | { call: ToolCall; outcome?: undefined; elapsedMs: number; progress?: ToolProgress };

/** Holds an outcome back until those of the earlier calls are yielded, so that a repeated run gives the same lines. */
async function* inCallOrder(
  batch: readonly ToolCall[],
  settled: AsyncIterable<CallUpdate>,
): AsyncGenerator<CallUpdate, void> {
  const early = new Map<ToolCall, Outcome>();
  let next = 0;
  for await (const update of settled) {
    if (!update.outcome) {
      yield update;
      continue;
    }
    early.set(update.call, update.outcome);
    for (let due = batch[next]; due && early.has(due); due = batch[++next]) {
      yield { call: due, outcome: early.get(due) as Outcome };
    }
  }
}

/** Asks for permissions in order. An allowed call starts at once, and outcomes are yielded as they are ready. */
async function* settleTogether(
  turn: Turn,
  batch: readonly ToolCall[],
  { signal, stop, round }: { signal: AbortSignal; stop: AbortController; round: Round },
): AsyncGenerator<CallUpdate, void> {
  const outcomes = new Channel<CallUpdate>();
  const start = async () => {
    const running: Promise<void>[] = [];
    for (const call of batch) {
      const prepared =
        round.stoppedByHook === null && !round.broken
          ? await prepare(turn, call, signal).catch((error) => failure(turn, call, error))
          : errorOutcome(call, `Not run: ${round.broken ? 'the turn has failed' : 'a hook stopped the turn'}.`);
      noteSaid(round, call, prepared);
      if ('block' in prepared) {
        if (prepared.interrupt) stop.abort(new Aborted('interrupt')); // before the next question is asked
        outcomes.push({ call, outcome: prepared });
      } else {
        const report = announceProgress(turn, (told) => outcomes.push({ call, ...told }));
        // A call whose start cannot be noted does not run: a process that continues the session would not know of its effects.
        await turn.conversation.mark?.([call.block.id], 'started').catch((error) => {
          report.stop();
          throw error;
        });
        running.push(
          execute(turn, call, { ...prepared, onProgress: report.onProgress }, signal).then((outcome) => {
            report.stop();
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

interface ProgressReport {
  onProgress(progress: ToolProgress): void;
  stop(): void;
}

/**
 * Counts beats instead of reading the clock, so that a run with a seeded clock reads it equally often each time.
 * Progress that a tool reports is shown as it comes, but not faster than people can read.
 */
function announceProgress(
  turn: Turn,
  tell: (told: { elapsedMs: number; progress?: ToolProgress }) => void,
): ProgressReport {
  const beatMs = Math.min(turn.tools.progressMs ?? PROGRESS_MS, MAX_TIMER_MS);
  const { clock } = turn.runtime;
  let beats = 0;
  let startedAt: number | null = null;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let isOver = false;
  const timer = setInterval(() => tell({ elapsedMs: ++beats * beatMs }), beatMs);
  return {
    onProgress(progress) {
      const now = clock.now();
      startedAt ??= now - beats * beatMs;
      if (isOver || now - reportedAt < READABLE_MS) return;
      reportedAt = now;
      tell({ elapsedMs: now - startedAt, progress });
    },
    stop() {
      isOver = true;
      clearInterval(timer);
    },
  };
}

/** Milliseconds between two lines about the progress that a tool reports. */
const READABLE_MS = 250;

function lineOfDenial(turn: Turn, call: ToolCall, denial: AutomaticDenial, told: ToolResultBlock) {
  return denialLine(turn, denialOf(turn, call), turn.tools.hideCredentials(denial), String(told.content));
}

function denialOf(turn: Turn, call: ToolCall) {
  return { tool_name: calledName(turn.tools, call.block), tool_use_id: call.block.id, tool_input: call.block.input };
}
