import { rerunDeferred } from '../../agent/calls/rerun-deferred.ts';
import { budgetExhausted } from '../../agent/limits.ts';
import { overBudget, runTurn, type TurnEnd } from '../../agent/loop.ts';
import { type ResultDetails, resultLine } from '../../agent/result.ts';
import type { Tally, Turn } from '../../agent/turn.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import { pendingTasks } from '../background/task-triggers.ts';
import type { TurnTrigger } from '../background/turn-triggers.ts';
import { continueConversation } from '../conversation/continue-turn.ts';
import { mentioned } from '../conversation/mentions.ts';
import { expandCalled } from '../extensions/expand-command.ts';
import type { CalledPrompt } from '../extensions/extensions.ts';
import type { Outbox } from '../link/outbox.ts';
import { expansionIn } from './expansion-dependencies.ts';
import { initLine } from './init-line.ts';
import { makeTurn } from './make-turn.ts';
import type { Thread } from './thread.ts';

/** The services of the session that a turn of the main thread needs. */
export interface MainTurnDependencies {
  outbox: Outbox;
  /** Adds the messages that were queued meanwhile to the turn. */
  takeQueued(tally: Tally, asked: ContentBlock[]): Promise<Message[]>;
  /** Resolves with the model's full id. */
  setModel(name: string): Promise<string>;
}

/** The start of a turn, in addition to its message. */
export interface TurnStart {
  /** The command, skill or prompt that the message calls. */
  called: CalledPrompt | null;
  /** Set when no user wrote the message: it reports the session's own work. */
  trigger: TurnTrigger | null;
  tally: Tally;
  /** Set when the turn continues an unfinished one: the message is empty and is not recorded. */
  continues?: boolean;
}

/** Answers one message. Resolves with the result line, which the caller sends. */
export function answerMessage(
  thread: Thread,
  input: UserInput,
  start: TurnStart,
  dependencies: MainTurnDependencies,
  signal: AbortSignal,
): Promise<Message> {
  const work = () => answer(thread, input, start, dependencies, signal);
  return thread.services.telemetry?.turn(thread, input, work) ?? work();
}

async function answer(
  thread: Thread,
  input: UserInput,
  { called, trigger, tally, continues }: TurnStart,
  dependencies: MainTurnDependencies,
  signal: AbortSignal,
): Promise<Message> {
  const { outbox } = dependencies;
  const { services, conversation, hooks } = thread;
  const { clock, ids, log } = services.runtime;
  const started = clock.now();
  tally.times.begin = started;
  const blocked = trigger || continues ? null : await hooks.current?.submit(input, signal, called);
  if (blocked) {
    await outbox.open(initLine(thread, ids.uuid()));
    await outbox.send(blocked.line);
    return blocked.result;
  }
  const say = (line: Message) => {
    hooks.current?.modelSwitches.observe(line);
    return outbox.send(line);
  };
  const deferred = trigger ? [] : conversation.transcript.deferred.splice(0);
  if (deferred.length > 0) {
    await outbox.open(initLine(thread, ids.uuid()));
    const end = await drainTurn(rerunDeferred(sessionTurn(thread, tally, [], dependencies), deferred, signal), say);
    if (end) return resultLine(end, { ...resultDetails(thread, tally, clock.now() - started), origin: input.origin });
  }
  if (!trigger && !called) input = hooks.current?.withOpening(input) ?? input;
  const { uuids, asked, lines } = continues
    ? { uuids: await continueConversation(conversation), asked: [], lines: [] }
    : await recordPrompt(thread, input, { called, trigger, tally }, { dependencies, signal });
  tally.userMessageUuids.push(...uuids);
  if (deferred.length === 0) await outbox.open(initLine(thread, ids.uuid()));
  for (const line of lines) await outbox.send(line);
  if (!trigger && !continues) for (const uuid of uuids) outbox.replay(input, uuid);
  const turn = sessionTurn(thread, tally, asked, dependencies);
  const ended = await drainTurn(runTurn(turn, signal), say);
  // Background work cannot call its model again, and no further turn can report its end to the model.
  const isSpent = ended.kind === 'completed' && budgetExhausted(turn.limits, turn.ledger.spentUsd);
  const end =
    isSpent && pendingTasks(services.background.tasks, services.agents.team).length > 0
      ? overBudget(turn.limits)
      : ended;
  log('debug', `A turn ended: ${end.kind}`, { toolRounds: tally.rounds });
  await conversation.endTurn(input, thread.budget.ledger);
  await hooks.current?.ended(end, signal);
  const details = resultDetails(thread, tally, clock.now() - started);
  return resultLine(end, { ...details, origin: input.origin, structuredOutput: turn.structured?.output ?? null });
}

/** Records the prompt of a turn, with what the command in it stands for. */
async function recordPrompt(
  thread: Thread,
  input: UserInput,
  { called, trigger, tally }: TurnStart,
  { dependencies, signal }: { dependencies: MainTurnDependencies; signal: AbortSignal },
): Promise<{ uuids: string[]; asked: ContentBlock[]; lines: Message[] }> {
  const expanded =
    called &&
    (await expandCalled(called, () => sessionTurn(thread, tally, [], dependencies), expansionIn(thread), signal));
  const { uuid, asked, lines } = await thread.conversation.recordPrompt(input, {
    ...{ expanded, trigger, signal },
    readMentions: (prompt, by) => mentioned(thread, prompt, by),
  });
  return { uuids: [uuid], asked, lines };
}

export function resultDetails({ services, budget }: Thread, tally: Tally, durationMs: number): ResultDetails {
  const { id: sessionId, runtime, agents, background, preferences } = services;
  tally.denials.push(...agents.denials.splice(0));
  const ids = { sessionId, uuid: runtime.ids.uuid() };
  const { dialect } = preferences;
  const pending = pendingTasks(background.tasks, agents.team);
  return { ...ids, durationMs, dialect, ledger: budget.ledger, tally, pendingTasks: pending };
}

/** A turn of the main thread. */
export function sessionTurn(
  thread: Thread,
  tally: Tally,
  asked: ContentBlock[],
  dependencies: MainTurnDependencies,
): Turn {
  return makeTurn(thread, tally, asked, {
    send: (message) => dependencies.outbox.send(message),
    takeQueued: () => dependencies.takeQueued(tally, asked),
  });
}

/** Runs a turn to its end and sends what it yields, one line after the other. */
export async function drainTurn<End extends TurnEnd | null>(
  turn: AsyncGenerator<Message, End>,
  send: (line: Message) => Promise<void> | undefined,
): Promise<End> {
  try {
    for (;;) {
      const step = await turn.next();
      if (step.done) return step.value;
      const sending = send(step.value);
      if (sending) await sending;
    }
  } finally {
    // When a line could not be sent, the turn ends here: what it holds open (a request, a tool) must not outlive it.
    await turn.return({ kind: 'interrupted', during: 'stream' } as TurnEnd as End);
  }
}
