import { replayedLine } from '../../host/resume/resume-report.ts';
import { readHistory, type StoredHistory } from '../../host/resume/stored-history.ts';
import { answeredIds, isConversation, isPrompt, textOf } from '../../sessions/entry-fields.ts';
import type { SessionKey, SessionStore } from '../../sessions/store.ts';
import { isObject, type JsonObject, stringField, tryParseJson } from '../../util/json.ts';
import type { Logger } from '../../util/runtime.ts';
import type { Entry } from '../../wire/entries.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { Holding } from '../ports/holding.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { TurnRecord, Turns } from '../ports/turns.ts';
import { answerResult, failedResult } from './made-results.ts';

export interface EarlierTurnOptions {
  inbox: Inbox;
  turns: Turns;
  events: EventLog;
  /** The store of the transcripts. */
  transcripts: SessionStore;
  newId: () => string;
  log: Logger;
}

/** What the run before this one has left. */
export interface EarlierTurn {
  /** Whether the session has a transcript. */
  isStored: boolean;
  /** Whether its last turn is to be continued, without a new message. */
  continues: boolean;
  /** Messages that wait, and are in the transcript: the end of the turn answers them. */
  recorded: string[];
}

/** So many runs may die in one turn. */
export const MOST_ATTEMPTS = 3;

/**
 * Looks at what the last run of a session has left, and brings its lines, turns and messages to one state: lines that are
 * missing are written, a turn whose end was stored is ended, one in which too many runs have died is given up.
 */
export async function settleEarlierTurn(
  holding: Holding,
  key: SessionKey,
  options: EarlierTurnOptions,
): Promise<EarlierTurn> {
  const { inbox, turns, transcripts } = options;
  const { sessionId } = holding;
  const isStored = await transcripts.exists(key);
  const rows = await inbox.open(sessionId);
  const unfinished = await turns.unfinished(sessionId);
  const nothing = { isStored, continues: false, recorded: [] };
  if (!isStored || (rows.length === 0 && !unfinished)) {
    if (unfinished && unfinished.attempts >= MOST_ATTEMPTS) await giveUp(holding, unfinished, options);
    return nothing;
  }
  const history = await readHistory(transcripts, key, { at: undefined, lean: true, log: options.log });
  const recorded: string[] = [];
  for (const { uuid } of rows) if (await isIn(transcripts, key, history, uuid)) recorded.push(uuid);
  if (!unfinished && recorded.length === 0) return nothing;
  const known = { history, recorded, unfinished };
  await writeMissingLines(holding, known, options);
  if (unfinished && (await endStored(holding, known, options))) return nothing;
  if (unfinished && unfinished.attempts >= MOST_ATTEMPTS) {
    await giveUp(holding, unfinished, options);
    return nothing;
  }
  const isBegun = recorded.length > 0 || unfinished?.messages.length === 0 || isAmong(unfinished, history);
  if (!isBegun) return nothing; // nothing of the turn was stored: its messages begin it again
  if (history.unfinished) return { isStored, continues: true, recorded };
  await endAnswered(holding, known, options);
  return nothing;
}

interface Known {
  history: StoredHistory;
  recorded: readonly string[];
  unfinished: TurnRecord | null;
}

async function isIn(store: SessionStore, key: SessionKey, history: StoredHistory, uuid: string): Promise<boolean> {
  return history.uuids.includes(uuid) || ((await store.has?.(key, uuid)) ?? false);
}

function isAmong(turn: TurnRecord | null, { uuids }: StoredHistory): boolean {
  return turn?.messages.some((uuid) => uuids.includes(uuid)) ?? false;
}

/** A run may die between an entry and its line. Lines have the uuids of their entries. */
async function writeMissingLines(
  holding: Holding,
  { history, recorded, unfinished }: Known,
  { events }: EarlierTurnOptions,
): Promise<void> {
  const { path } = history;
  const asked = new Set([...recorded, ...(unfinished?.messages ?? [])]);
  const prompt = path.findIndex((entry) => asked.has(String(entry.uuid)));
  const begin = prompt === -1 ? path.findLastIndex(isPrompt) : prompt;
  const entries = path.slice(begin + 1).filter((entry) => isConversation(entry) && isShown(entry));
  const uuids = entries.map(({ uuid }) => String(uuid));
  const known = await events.known(holding.sessionId, uuids);
  const missing = entries.filter(({ uuid }) => !known.has(String(uuid)));
  if (missing.length > 0)
    await events.append(
      holding,
      missing.map((entry) => lineOf(entry, holding.sessionId)),
    );
}

/** Prompts and reminders are not sent while a turn runs; answers and results of tools are. */
function isShown(entry: Entry): boolean {
  return entry.type === 'assistant' || answeredIds(entry).length > 0;
}

function lineOf(entry: Entry, sessionId: string): JsonObject {
  const { isReplay: _, ...line } = replayedLine(entry, sessionId) as unknown as JsonObject;
  return line;
}

/** How far back the log is searched for the end of a turn. */
const LAST_LINES = 200;

/** The run died between the result line and the end of its turn. */
async function endStored(holding: Holding, known: Known, { events, turns }: EarlierTurnOptions): Promise<boolean> {
  const { sessionId } = holding;
  const { newest, oldest } = await events.bounds(sessionId);
  const after = Math.max(oldest - 1, newest - LAST_LINES);
  const lines = await events.read(sessionId, { after, limit: LAST_LINES });
  const last = lines.findLast(({ type, text }) => type === 'result' || isInit(text));
  const result = last?.type === 'result' ? tryParseJson(last.text) : undefined;
  if (!isObject(result)) return false;
  const { seq: _, ...line } = result;
  const [before] = (await turns.list(sessionId, { limit: 2 })).filter(({ state }) => state !== 'running');
  if (stringField(before?.result ?? {}, 'uuid') === stringField(line, 'uuid')) return false; // that of an earlier turn
  const messages = [...known.recorded, ...(known.unfinished?.messages ?? [])];
  await turns.end(holding, { result: line, state: 'ended', messages });
  return true;
}

function isInit(text: string): boolean {
  return text.startsWith('{"type":"system","subtype":"init"');
}

/** The answer is stored as a whole, and its result line is not: it is made from the answer. */
async function endAnswered(
  holding: Holding,
  known: Known,
  { turns, events, newId }: EarlierTurnOptions,
): Promise<void> {
  const { history, recorded, unfinished } = known;
  const messages = [...new Set([...recorded, ...(unfinished?.messages ?? [])])];
  const last = history.path.findLast(isConversation);
  const about = { sessionId: holding.sessionId, uuid: newId(), messages };
  const interrupted = { code: 'aborted', message: 'The turn was interrupted' };
  const result = last?.type === 'assistant' ? answerResult(textOf(last), about) : failedResult(interrupted, about);
  await events.append(holding, [result]);
  await turns.end(holding, { result, state: 'ended', messages });
}

/** Ends a turn in which every run has died. */
async function giveUp(
  holding: Holding,
  { messages, attempts }: TurnRecord,
  { turns, events, newId }: EarlierTurnOptions,
): Promise<void> {
  const message = `The turn was given up: ${attempts} runs have died in it. Read its lines, and send another message`;
  const error = new HeddleError('turn_abandoned', message);
  const result = failedResult(error, { sessionId: holding.sessionId, uuid: newId(), messages });
  await events.append(holding, [result]);
  await turns.end(holding, { result, state: 'abandoned', messages });
}
