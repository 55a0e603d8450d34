import { compact, replaceConversation } from '../agent/compact.ts';
import { addUserContent } from '../agent/conversation.ts';
import { describeFailure } from '../agent/failures.ts';
import { budgetExhausted } from '../agent/limits.ts';
import { syntheticMessage } from '../agent/lines.ts';
import { endOfAbort, overBudget, type TurnEnd } from '../agent/loop.ts';
import { resultLine } from '../agent/result.ts';
import { emptyTally, type Turn } from '../agent/turn.ts';
import type { Failure } from '../model/model.ts';
import type { Message } from '../wire/messages/index.ts';
import { startOver } from './branches.ts';
import type { CommandLine } from './command-line.ts';
import { commandsOf } from './command-list.ts';
import { initLine } from './describe.ts';
import { timeOf } from './lifecycle.ts';
import { type CommandOutput, LOCAL_COMMANDS, type LocalCommand, runLocalCommand } from './local-commands.ts';
import type { Parts } from './parts.ts';
import { requestSettings } from './request-settings.ts';

/** A command and the uuid of the message that it came in. */
export interface GivenCommand extends CommandLine {
  uuid: string;
}

/** What a command may do to its session. */
export interface CommandSeams {
  /** Resolves with the model's full id. */
  setModel(name: string): Promise<string>;
  makeTurn(): Turn;
}

/** A turn that is answered here: its lines, the result last (wire.md 2.7). */
export async function* commandTurn(
  command: GivenCommand,
  parts: Parts,
  seams: CommandSeams,
  signal: AbortSignal,
): AsyncGenerator<Message, void> {
  const known = LOCAL_COMMANDS.get(command.name);
  if (command.name === 'compact') yield* compactTurn(command, parts, seams, signal);
  else if (known) yield* localTurn(command, parts, seams, known);
  else yield* unknownTurn(command, parts);
}

async function* localTurn(
  given: GivenCommand,
  parts: Parts,
  seams: CommandSeams,
  command: LocalCommand,
): AsyncGenerator<Message, void> {
  const said = await runLocalCommand(command, given.args, {
    ledger: parts.ledger,
    elapsedMs: parts.runtime.clock.now() - parts.openedAt,
    context: parts.context,
    ...requestSettings(parts, parts.chosen),
    messages: parts.messages,
    commands: commandsOf(parts),
    memory: () => parts.memory.list(),
    setModel: (wanted) => seams.setModel(wanted),
    // The command itself is the first of the new conversation, so that a resume does not go back to the old one.
    clear: () => startOver(parts),
    async fork(title) {
      const { forkSession } = await import('./branch-control.ts');
      const { session_id } = await forkSession(parts, { subtype: 'fork_session', ...(title && { title }) });
      return session_id;
    },
  });
  if (given.name === 'clear') await parts.hooks?.cleared(new AbortController().signal);
  const uuid = await recordCommand(parts, given, said, { dequeue: true });
  yield initLine(parts, parts.runtime.ids.uuid());
  yield await withReport(parts, given, outputLine(parts, given, said, uuid));
  yield result(parts, given, { text: said.text, userLines: 2 });
}

/** Programs need not read the table that `/context` shows. */
async function withReport(parts: Parts, { name }: GivenCommand, line: Message): Promise<Message> {
  if (name !== 'context' || line.type !== 'assistant') return line;
  const { contextReport } = await import('./usage-control.ts');
  return { ...line, context_usage: await contextReport(parts) };
}

async function* unknownTurn(given: GivenCommand, parts: Parts): AsyncGenerator<Message, void> {
  const { name, args, uuid } = given;
  const text = `Unknown skill: ${name}`;
  // What a host has said beside it is said.
  if (given.before) await recordCommand(parts, given, { stream: 'stderr', text }, { dequeue: true });
  else await parts.recorder.unknownCommand({ content: `/${name} ${args}`.trim(), uuid });
  yield initLine(parts, parts.runtime.ids.uuid());
  yield result(parts, given, { text, userLines: 0 });
}

async function* compactTurn(
  given: GivenCommand,
  parts: Parts,
  seams: CommandSeams,
  signal: AbortSignal,
): AsyncGenerator<Message, void> {
  const { clock } = parts.runtime;
  const started = clock.now();
  const turn = seams.makeTurn();
  await parts.recorder.dequeue();
  const failure = yield* compactNow(turn, given.args, parts, signal);
  const said: CommandOutput = failure
    ? { stream: 'stderr', text: `Error: ${failure.reason}` }
    : { stream: 'stdout', text: 'Compacted.' };
  const uuid = await recordCommand(parts, given, said, { dequeue: false });
  if (failure) yield initLine(parts, parts.runtime.ids.uuid());
  // What was compacted is said in the same form in both dialects.
  yield failure ? outputLine(parts, given, said, uuid) : userLine(parts, said, uuid);
  const end: TurnEnd = failure?.end ?? { kind: 'completed' };
  const text = end.kind === 'api_error' ? end.text : said.text;
  yield result(parts, given, { text, userLines: 2, durationMs: clock.now() - started, end });
}

/** Why there is no summary, and how the turn ends for it. */
interface NotCompacted {
  reason: string;
  end: TurnEnd;
}

/** Null when it went well. */
async function* compactNow(
  turn: Turn,
  instructions: string,
  parts: Parts,
  signal: AbortSignal,
): AsyncGenerator<Message, NotCompacted | null> {
  if (turn.messages.length === 0) return { reason: 'No messages to compact', end: { kind: 'completed' } };
  if (budgetExhausted(turn.limits, turn.ledger.spentUsd)) {
    return { reason: 'The budget of this run is used up', end: overBudget(turn.limits) };
  }
  const kept = { asked: [], round: [], earlier: turn.messages };
  const outcome = yield* compact(turn, { trigger: 'manual', instructions, kept }, signal);
  if (!outcome.ok && signal.aborted) {
    return { reason: 'The compaction was interrupted', end: endOfAbort(turn.limits, 'stream', signal) };
  }
  if (!outcome.ok) return { reason: outcome.reason, end: endOfFailure(turn, outcome) };
  yield initLine(parts, parts.runtime.ids.uuid());
  yield await turn.record(outcome.boundary, outcome.facts);
  const line = {
    type: 'user',
    message: { role: 'user', content: outcome.summary },
    session_id: parts.sessionId,
    parent_tool_use_id: null,
    uuid: outcome.uuids.summary,
    isReplay: false,
  } as Message;
  yield await turn.record(line, { isCompactSummary: true });
  await replaceConversation(turn, outcome, kept);
  return null;
}

/** On disk first. Resolves with the uuid of what the command said. */
async function recordCommand(
  parts: Parts,
  { name, args, before, uuid }: GivenCommand,
  said: CommandOutput,
  { dequeue }: { dequeue: boolean },
): Promise<string> {
  const { ids } = parts.runtime;
  const uuids = { caveat: ids.uuid(), command: uuid, output: ids.uuid() };
  const recorded = { name, args, ...(before && { before }), output: tagged(said), uuids, dequeue };
  addUserContent(parts.messages, await parts.recorder.localCommand(recorded));
  return uuids.output;
}

/** What a command said, in the host's dialect (ruling K46). */
function outputLine(parts: Parts, { name, args }: GivenCommand, said: CommandOutput, uuid: string): Message {
  if (parts.dialect === '2.1.44') return userLine(parts, said, uuid);
  return {
    type: 'assistant',
    message: syntheticMessage(parts.runtime.ids.uuid(), said.text, { stop_reason: 'end_turn', stop_sequence: null }),
    parent_tool_use_id: null,
    local_command_source: tagged(said),
    session_id: parts.sessionId,
    uuid,
    timestamp: timeOf(parts.runtime),
    local_command_run: { command: name, args },
    ...(said.stream === 'stderr' && { local_command_outcome: { kind: 'failed' } }),
  };
}

function userLine(parts: Parts, said: CommandOutput, uuid: string): Message {
  return {
    type: 'user',
    message: { role: 'user', content: tagged(said) },
    session_id: parts.sessionId,
    parent_tool_use_id: null,
    uuid,
    timestamp: timeOf(parts.runtime),
    isReplay: true,
  };
}

function tagged({ stream, text }: CommandOutput): string {
  return `<local-command-${stream}>${text}</local-command-${stream}>`;
}

/** Also when the model answered and wrote nothing that could be used. */
function endOfFailure({ request }: Turn, { reason, failure }: { reason: string; failure: Failure | null }): TurnEnd {
  const told = failure ?? { class: 'malformed', message: reason };
  return { kind: 'api_error', failure: told, text: describeFailure(told, request.model).text };
}

interface CommandEnd {
  text: string;
  userLines: number;
  durationMs?: number;
  end?: TurnEnd;
}

function result(parts: Parts, { name }: GivenCommand, said: CommandEnd): Message {
  const { text, userLines, durationMs = 0, end = { kind: 'completed' } } = said;
  const tally = { ...emptyTally(), lastText: text, userLines };
  const facts = {
    sessionId: parts.sessionId,
    uuid: parts.runtime.ids.uuid(),
    durationMs,
    dialect: parts.dialect,
    ledger: parts.ledger,
    tally,
    localCommand: name,
  };
  return resultLine(end, facts);
}
