import { compact, replaceConversation } from '../../agent/compaction/compact.ts';
import { describeFailure } from '../../agent/failures.ts';
import { budgetExhausted } from '../../agent/limits.ts';
import { endOfAbort, overBudget, type TurnEnd } from '../../agent/loop.ts';
import { syntheticMessage } from '../../agent/messages/lines.ts';
import { resultLine } from '../../agent/result.ts';
import { emptyTally, type Turn } from '../../agent/turn.ts';
import type { Failure } from '../../model/model.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import { forkConversation } from '../conversation/fork-conversation.ts';
import type { CommandLine } from '../extensions/parse-command.ts';
import { timeOf } from '../link/message-lifecycle.ts';
import { requestSettings } from '../models/request-settings.ts';
import { initLine } from '../thread/init-line.ts';
import { requestingIn } from '../thread/make-turn.ts';
import { type MainTurnDependencies, sessionTurn } from '../thread/run-turn.ts';
import type { SessionServices } from '../thread/services.ts';
import type { Thread } from '../thread/thread.ts';
import { commandsOf } from './command-list.ts';
import { contextReport } from './context-usage.ts';
import { type CommandOutput, LOCAL_COMMANDS, type LocalCommand, runLocalCommand } from './local-commands.ts';

/** Carries out a command and sends its lines, except the result line: it resolves with that one. */
export async function answerCommand(
  thread: Thread,
  { command, input }: { command: CommandLine; input: UserInput },
  dependencies: MainTurnDependencies,
  signal: AbortSignal,
): Promise<Message | null> {
  const { outbox, setModel } = dependencies;
  const uuid = input.uuid ?? thread.services.runtime.ids.uuid();
  outbox.replay(input, uuid);
  const makeTurn = () => sessionTurn(thread, emptyTally(), [], dependencies);
  let result: Message | null = null;
  for await (const line of commandTurn({ ...command, uuid }, thread, { setModel, makeTurn }, signal)) {
    if (line.type === 'result') {
      await thread.conversation.endTurn(input, thread.budget.ledger);
      const { origin } = input;
      result = { ...line, ...(origin && { origin }), ...(input.uuid !== undefined && { user_message_uuids: [uuid] }) };
    } else {
      await (line.type === 'system' && line.subtype === 'init' ? outbox.open(line) : outbox.send(line));
    }
  }
  return result;
}

/** A command and the uuid of the message that it came in. */
interface ReceivedCommand extends CommandLine {
  uuid: string;
}

/** What a command may do to its session. */
interface CommandDependencies {
  /** Resolves with the model's full id. */
  setModel(name: string): Promise<string>;
  makeTurn(): Turn;
}

/** The lines of a command's turn. The result comes last. */
async function* commandTurn(
  command: ReceivedCommand,
  thread: Thread,
  dependencies: CommandDependencies,
  signal: AbortSignal,
): AsyncGenerator<Message, void> {
  const known = LOCAL_COMMANDS.get(command.name);
  if (command.name === 'compact') yield* compactTurn(command, thread, dependencies, signal);
  else if (known) yield* localTurn(command, thread, dependencies, known);
  else yield* unknownTurn(command, thread);
}

async function* localTurn(
  received: ReceivedCommand,
  thread: Thread,
  dependencies: CommandDependencies,
  command: LocalCommand,
): AsyncGenerator<Message, void> {
  const { services, conversation, budget } = thread;
  const { clock, ids } = services.runtime;
  const output = await runLocalCommand(command, received.args, {
    ledger: budget.ledger,
    elapsedMs: clock.now() - services.openedAt,
    context: conversation.window,
    ...requestSettings(requestingIn(thread), thread.model.selected),
    messages: conversation.messages,
    commands: commandsOf(services),
    memory: () => conversation.memory.list(),
    setModel: (wanted) => dependencies.setModel(wanted),
    // The command itself is the first message of the new conversation, so that a resume does not return to the old one.
    clear: () => conversation.moveTo(null),
    fork: (title) => forkConversation(conversation, { newId: () => ids.uuid(), title: title || undefined }),
  });
  if (received.name === 'clear') await thread.hooks.current?.cleared(new AbortController().signal);
  const uuid = await recordCommand(thread, received, output, { dequeue: true });
  yield initLine(thread, ids.uuid());
  yield await withReport(thread, received, outputLine(services, received, output, uuid));
  yield result(thread, received, { text: output.text, userLines: 2 });
}

/** Adds the numbers of `/context`, so that programs need not read its table. */
async function withReport(thread: Thread, { name }: ReceivedCommand, line: Message): Promise<Message> {
  if (name !== 'context' || line.type !== 'assistant') return line;
  return { ...line, context_usage: await contextReport(thread) };
}

async function* unknownTurn(received: ReceivedCommand, thread: Thread): AsyncGenerator<Message, void> {
  const { name, args, uuid } = received;
  const { services, conversation } = thread;
  const text = `Unknown skill: ${name}`;
  // Blocks that a host has sent with the command are part of the conversation.
  if (received.before) await recordCommand(thread, received, { stream: 'stderr', text }, { dequeue: true });
  else await conversation.events.unknownCommand({ content: `/${name} ${args}`.trim(), uuid });
  yield initLine(thread, services.runtime.ids.uuid());
  yield result(thread, received, { text, userLines: 0 });
}

async function* compactTurn(
  received: ReceivedCommand,
  thread: Thread,
  dependencies: CommandDependencies,
  signal: AbortSignal,
): AsyncGenerator<Message, void> {
  const { services, conversation } = thread;
  const { clock, ids } = services.runtime;
  const started = clock.now();
  const turn = dependencies.makeTurn();
  await conversation.events.dequeue();
  const failure = yield* compactNow(turn, received.args, thread, signal);
  const output: CommandOutput = failure
    ? { stream: 'stderr', text: `Error: ${failure.reason}` }
    : { stream: 'stdout', text: 'Compacted.' };
  const uuid = await recordCommand(thread, received, output, { dequeue: false });
  if (failure) yield initLine(thread, ids.uuid());
  // A compaction is reported in the same form in both dialects.
  yield failure ? outputLine(services, received, output, uuid) : userLine(services, output, uuid);
  const end: TurnEnd = failure?.end ?? { kind: 'completed' };
  const text = end.kind === 'api_error' ? end.text : output.text;
  yield result(thread, received, { text, userLines: 2, durationMs: clock.now() - started, end });
}

/** Why there is no summary, and how the turn ends. */
interface NotCompacted {
  reason: string;
  end: TurnEnd;
}

/** Null: the conversation was compacted. */
async function* compactNow(
  turn: Turn,
  instructions: string,
  thread: Thread,
  signal: AbortSignal,
): AsyncGenerator<Message, NotCompacted | null> {
  if (turn.conversation.messages.length === 0) return { reason: 'No messages to compact', end: { kind: 'completed' } };
  if (budgetExhausted(turn.limits, turn.ledger.spentUsd)) {
    return { reason: 'The budget of this run is used up', end: overBudget(turn.limits) };
  }
  const retained = { asked: [], round: [], earlier: turn.conversation.messages };
  const outcome = yield* compact(turn, { trigger: 'manual', instructions, retained }, signal);
  if (!outcome.ok && signal.aborted) {
    return { reason: 'The compaction was interrupted', end: endOfAbort(turn.limits, 'stream', signal) };
  }
  if (!outcome.ok) return { reason: outcome.reason, end: endOfFailure(turn, outcome) };
  yield initLine(thread, thread.services.runtime.ids.uuid());
  yield await turn.conversation.record(outcome.boundary, outcome.details);
  const line = {
    type: 'user',
    message: { role: 'user', content: outcome.summary },
    session_id: thread.services.id,
    parent_tool_use_id: null,
    uuid: outcome.uuids.summary,
    isReplay: false,
  } as Message;
  yield await turn.conversation.record(line, { isCompactSummary: true });
  await replaceConversation(turn, outcome, retained);
  return null;
}

/** Records a command before its lines are sent. Resolves with the uuid of its output. */
async function recordCommand(
  { services, conversation }: Pick<Thread, 'services' | 'conversation'>,
  { name, args, before, uuid }: ReceivedCommand,
  output: CommandOutput,
  { dequeue }: { dequeue: boolean },
): Promise<string> {
  const { ids } = services.runtime;
  const uuids = { caveat: ids.uuid(), command: uuid, output: ids.uuid() };
  const recorded = { name, args, ...(before && { before }), output: tagged(output), uuids, dequeue };
  await conversation.recordCommand(recorded);
  return uuids.output;
}

type LineSource = Pick<SessionServices, 'id' | 'runtime' | 'preferences'>;

/** The output of a command, in the host's dialect. */
function outputLine(
  services: LineSource,
  { name, args }: ReceivedCommand,
  output: CommandOutput,
  uuid: string,
): Message {
  const { id, runtime, preferences } = services;
  if (preferences.dialect === '2.1.44') return userLine(services, output, uuid);
  return {
    type: 'assistant',
    message: syntheticMessage(runtime.ids.uuid(), output.text, { stop_reason: 'end_turn', stop_sequence: null }),
    parent_tool_use_id: null,
    local_command_source: tagged(output),
    session_id: id,
    uuid,
    timestamp: timeOf(runtime),
    local_command_run: { command: name, args },
    ...(output.stream === 'stderr' && { local_command_outcome: { kind: 'failed' } }),
  };
}

function userLine({ id, runtime }: LineSource, output: CommandOutput, uuid: string): Message {
  return {
    type: 'user',
    message: { role: 'user', content: tagged(output) },
    session_id: id,
    parent_tool_use_id: null,
    uuid,
    timestamp: timeOf(runtime),
    isReplay: true,
  };
}

function tagged({ stream, text }: CommandOutput): string {
  return `<local-command-${stream}>${text}</local-command-${stream}>`;
}

/** Also for an answer of the model that holds no summary. */
function endOfFailure({ request }: Turn, { reason, failure }: { reason: string; failure: Failure | null }): TurnEnd {
  const cause = failure ?? { class: 'malformed', message: reason };
  return { kind: 'api_error', failure: cause, text: describeFailure(cause, request.model).text };
}

interface CommandEnd {
  text: string;
  userLines: number;
  durationMs?: number;
  end?: TurnEnd;
}

function result(
  { services, budget }: Pick<Thread, 'services' | 'budget'>,
  { name }: ReceivedCommand,
  outcome: CommandEnd,
): Message {
  const { text, userLines, durationMs = 0, end = { kind: 'completed' } } = outcome;
  const tally = { ...emptyTally(), lastText: text, userLines };
  const details = {
    sessionId: services.id,
    uuid: services.runtime.ids.uuid(),
    durationMs,
    dialect: services.preferences.dialect,
    ledger: budget.ledger,
    tally,
    localCommand: name,
  };
  return resultLine(end, details);
}
