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
  /** Whether the last run has left something, so that opening the session may store what nobody has said. */
  isLeft: boolean;
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
  const isLeft = isStored && (rows.length > 0 || unfinished !== null);
  const nothing = { isStored, isLeft, continues: false, recorded: [] };
  if (!isStored || (rows.length === 0 && !unfinished)) {
    if (unfinished && unfinished.attempts >= MOST_ATTEMPTS) await giveUp(holding, unfinished, options);
    return nothing;
  }
  const history = await readHistory(transcripts, key, { at: undefined, lean: true, log: options.log });
  const recorded: string[] = [];
  for (const { uuid } of rows) if (await isIn(transcripts, key, history, uuid)) recorded.push(uuid);
  if (!unfinished && recorded.length === 0) return nothing;
  const known = { history, recorded, unfinished };
  const missing = await missingLines(history, holding, options.events);
  if (missing.length > 0) await options.events.append(holding, missing);
  if (unfinished && (await endStored(holding, known, options))) return nothing;
  if (unfinished && unfinished.attempts >= MOST_ATTEMPTS) {
    await giveUp(holding, unfinished, options);
    return nothing;
  }
  const isBegun = recorded.length > 0 || unfinished?.messages.length === 0 || isAmong(unfinished, history);
  if (!isBegun) return nothing; // nothing of the turn was stored: its messages begin it again
  if (history.unfinished) return { isStored, isLeft, continues: true, recorded };
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

/** How many entries may be without their lines. */
const MOST_MISSING = 200;

/**
 * The lines of entries that were stored and never said: a run may die between an entry and its line, and results for calls
 * that were cut off are stored when the session is opened. Lines have the uuids of their entries.
 */
export async function missingLines(
  { path }: Pick<StoredHistory, 'path'>,
  { sessionId }: Holding,
  events: Pick<EventLog, 'known' | 'bounds'>,
): Promise<JsonObject[]> {
  const { newest } = await events.bounds(sessionId);
  if (newest === 0) return []; // a session from elsewhere: its lines begin now
  const last = path.slice(-MOST_MISSING).filter(isConversation);
  const known = await events.known(
    sessionId,
    last.map(({ uuid }) => String(uuid)),
  );
  const said = last.findLastIndex(({ uuid }) => known.has(String(uuid)));
  const begin = said === -1 ? last.findLastIndex(isPrompt) : said;
  return last
    .slice(begin + 1)
    .filter(isShown)
    .map((entry) => lineOf(entry, sessionId));
}

/** The lines of a session that was just opened. */
export async function linesOfOpening(
  holding: Holding,
  key: SessionKey,
  { transcripts, events, log }: Pick<EarlierTurnOptions, 'transcripts' | 'events' | 'log'>,
): Promise<JsonObject[]> {
  const history = await readHistory(transcripts, key, { at: undefined, lean: true, log });
  return missingLines(history, holding, events);
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
