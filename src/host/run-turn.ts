import { budgetExhausted } from '../agent/limits.ts';
import { overBudget, runTurn } from '../agent/loop.ts';
import { type ResultFacts, resultLine } from '../agent/result.ts';
import type { Tally, Turn } from '../agent/turn.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { CommandSeams } from './command-turn.ts';
import { initLine } from './describe.ts';
import { drive } from './drive.ts';
import { type CalledPrompt, expandCalled } from './extensions.ts';
import { makeTurn } from './make-turn.ts';
import type { Parts } from './parts.ts';
import { recordEnd, recordPrompt } from './record-input.ts';
import { type News, pendingTasks } from './session-tasks.ts';
import type { Voice } from './voice.ts';

/** What a turn of the main thread needs of its session. */
export interface SessionSeams {
  voice: Voice;
  /** What was said meanwhile joins the turn. */
  takeQueued(tally: Tally, asked: ContentBlock[]): Promise<Message[]>;
  setModel: CommandSeams['setModel'];
}

/** What a turn begins with beside its message. */
export interface Begun {
  /** What of a file the message calls. */
  called: CalledPrompt | null;
  /** Set when nobody has said the message: it tells of the session's own work. */
  news: News | null;
  tally: Tally;
}

/** Answers one message. Resolves with the result line, which is still to be said. */
export function answerMessage(
  parts: Parts,
  input: UserInput,
  begun: Begun,
  seams: SessionSeams,
  signal: AbortSignal,
): Promise<Message> {
  const work = () => answer(parts, input, begun, seams, signal);
  return parts.telemetry?.turn(parts, input, work) ?? work();
}

async function answer(
  parts: Parts,
  input: UserInput,
  { called, news, tally }: Begun,
  seams: SessionSeams,
  signal: AbortSignal,
): Promise<Message> {
  const { voice } = seams;
  const { clock, ids } = parts.runtime;
  const started = clock.now();
  tally.times.begin = started;
  const blocked = news ? null : await parts.hooks?.submit(input, signal, called);
  if (blocked) {
    await voice.open(initLine(parts, ids.uuid()));
    await voice.say(blocked.line);
    return blocked.result;
  }
  const say = (line: Message) => {
    parts.hooks?.hear(line);
    return voice.say(line);
  };
  const deferred = news ? [] : parts.transcript.deferred.splice(0);
  if (deferred.length > 0) {
    await voice.open(initLine(parts, ids.uuid()));
    const { rerunDeferred } = await import('../agent/deferred-calls.ts');
    const end = await drive(rerunDeferred(sessionTurn(parts, tally, [], seams), deferred, signal), say);
    if (end) return resultLine(end, { ...resultFacts(parts, tally, clock.now() - started), origin: input.origin });
  }
  if (!news && !called) input = parts.hooks?.withOpening(input) ?? input;
  const expanded = called && (await expandCalled(called, () => sessionTurn(parts, tally, [], seams), parts, signal));
  const { uuid, asked, lines } = await recordPrompt(parts, input, { expanded, news, signal });
  tally.userMessageUuids.push(uuid);
  if (deferred.length === 0) await voice.open(initLine(parts, ids.uuid()));
  for (const line of lines) await voice.say(line);
  if (!news) voice.echo(input, uuid);
  const turn = sessionTurn(parts, tally, asked, seams);
  const ended = await drive(runTurn(turn, signal), say);
  // What still works in the background cannot call its model again, and no turn can follow that hears of its end.
  const isSpent = ended.kind === 'completed' && budgetExhausted(turn.limits, turn.ledger.spentUsd);
  const end = isSpent && pendingTasks(parts).length > 0 ? overBudget(turn.limits) : ended;
  parts.runtime.log('debug', `A turn ended: ${end.kind}`, { toolRounds: tally.rounds });
  await recordEnd(parts, input);
  await parts.hooks?.ended(end, signal);
  const facts = resultFacts(parts, tally, clock.now() - started);
  return resultLine(end, { ...facts, origin: input.origin, structuredOutput: turn.structured?.output ?? null });
}

export function resultFacts(parts: Parts, tally: Tally, durationMs: number): ResultFacts {
  const { sessionId, runtime, ledger, agentDenials, dialect } = parts;
  tally.denials.push(...agentDenials.splice(0));
  const ids = { sessionId, uuid: runtime.ids.uuid() };
  return { ...ids, durationMs, dialect, ledger, tally, pendingTasks: pendingTasks(parts) };
}

/** A turn of the main thread. */
export function sessionTurn(parts: Parts, tally: Tally, asked: ContentBlock[], seams: SessionSeams): Turn {
  return makeTurn(parts, tally, asked, {
    say: (message) => seams.voice.say(message),
    takeQueued: () => seams.takeQueued(tally, asked),
  });
}
