import { join } from 'node:path';
import { answeredIds, instantOf, isPrompt } from '../../sessions/entry-fields.ts';
import { ByteLines } from '../../sessions/files/byte-lines.ts';
import { subagentsFolder } from '../../sessions/files/session-paths.ts';
import { openTranscriptForReading } from '../../sessions/files/transcript-reader.ts';
import { listSubagents } from '../../sessions/stored/messages.ts';
import { isObject, stringField } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { type Answer, Answers, keyOf } from './answers.ts';
import { BookedSums, type Spent } from './booked-sums.ts';

/** What one session has spent, and for what. */
export interface Spending {
  /** The directory of the session; null where its file names none. */
  cwd: string | null;
  /** When each prompt was sent. */
  turns: number[];
  amounts: (Spent & { at: number })[];
  /** Each call of a tool, with its share of the answer that makes it. */
  calls: (Spent & { at: number; tool: string })[];
}

/** What the sessions that were read before have in common with the next one. */
export interface ReadBefore {
  /** Prompts and answers: files can hold copies of those of other files. */
  readonly seen: Set<string>;
  /** The sessions of the home. What was copied from one of them counts there. */
  readonly sessionIds: ReadonlySet<string>;
}

/**
 * Reads a session and its subagents line by line. The costs that the session has recorded count; the answers of turns
 * without one are priced from their tokens. Rejects with `session_unreadable`.
 */
export async function readSpending(
  { sessionId, path }: { sessionId: string; path: string },
  before: ReadBefore,
): Promise<Spending> {
  const reader = new SpendingReader(sessionId, before);
  for await (const line of linesOf(path)) reader.read(line);
  reader.endTurn();
  for (const agentId of listSubagents(path)) {
    for await (const line of linesOf(join(subagentsFolder(path), `agent-${agentId}.jsonl`))) reader.readAgent(line);
    reader.endAgent();
  }
  return reader.spending;
}

class SpendingReader {
  readonly spending: Spending = { cwd: null, turns: [], amounts: [], calls: [] };
  readonly #sessionId: string;
  readonly #before: ReadBefore;
  readonly #sums = new BookedSums();
  readonly #answers = new Answers();
  /** The times whose answers are in recorded costs, those of agents, too. */
  readonly #booked: { after: number; until: number }[] = [];
  #openSince = 0;
  #lastAt = 0;
  /** Results of tools in the running turn: a prompt after one of them was added to that turn. */
  #results = new Set<string>();
  #copies = 0;

  constructor(sessionId: string, before: ReadBefore) {
    this.#sessionId = sessionId;
    this.#before = before;
  }

  read(line: Buffer): void {
    if (isResultLine(line)) {
      for (const uuid of valuesIn(line, UUID)) this.#results.add(uuid);
      // Agents have worked until then, also in a turn that was stopped after it.
      this.#lastAt = Math.max(this.#lastAt, ...valuesIn(line, TIMESTAMP).map((time) => Date.parse(time) || 0));
    }
    const entry = relevantEntry(line);
    if (!entry || this.#isFromOther(entry)) return;
    this.spending.cwd ??= stringField(entry, 'cwd') ?? null;
    this.#lastAt = instantOf(entry) || this.#lastAt;
    if (entry.type === 'cost-state') this.#book(entry);
    else if (entry.type === 'assistant') this.#addAnswer(entry);
    else if (entry.type === 'user' && isAsked(entry)) this.#addPrompt(entry);
  }

  /** The answers so far have no recorded cost. */
  endTurn(): void {
    for (const answer of this.#answers.take()) {
      this.spending.amounts.push(spentFor(answer));
      this.#addCalls(answer);
    }
    this.#results = new Set();
    this.#copies = 0;
  }

  readAgent(line: Buffer): void {
    const entry = isResultLine(line) ? null : relevantEntry(line);
    if (entry?.type === 'assistant' && !this.#isFromOther(entry)) this.#addAnswer(entry);
  }

  endAgent(): void {
    for (const answer of this.#answers.take()) {
      const isBooked = this.#booked.some(({ after, until }) => after < answer.at && answer.at <= until);
      if (!isBooked) this.spending.amounts.push(spentFor(answer));
      this.#addCalls(answer);
    }
  }

  #addPrompt(entry: Entry): void {
    if (!this.#isFirst(promptKey(entry))) return;
    const isAdded = this.#results.has(stringField(entry, 'parentUuid') ?? '');
    if (!isAdded && this.#answers.size > 0) {
      this.endTurn();
      this.#openSince = this.#lastAt - 1;
    }
    this.spending.turns.push(this.#lastAt);
  }

  #addAnswer(entry: Entry): void {
    // Some providers repeat the ids of answers, but not at the same time.
    const isFirst = this.#isFirst(`${keyOf(entry)} ${entry.timestamp}`);
    if (isFirst || this.#answers.has(entry)) this.#answers.add(entry);
    else this.#copies++;
  }

  #book(entry: Entry): void {
    const answers = this.#answers.take();
    const spent = this.#sums.add(entry, answers.at(-1)?.model);
    // A copy of a whole turn has been counted with the file that has it, too.
    const isCopy = answers.length === 0 && this.#copies > 0;
    if (!isCopy) for (const each of spent) this.spending.amounts.push({ ...each, at: this.#lastAt });
    for (const answer of answers) this.#addCalls(answer);
    this.#booked.push({ after: this.#openSince, until: this.#lastAt });
    this.#openSince = this.#lastAt;
    this.#results = new Set();
    this.#copies = 0;
  }

  #addCalls(answer: Answer): void {
    const share = 1 / Math.max(1, answer.calls.length);
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = answer.tokens;
    const tokens = {
      inputTokens: inputTokens * share,
      outputTokens: outputTokens * share,
      cacheReadTokens: cacheReadTokens * share,
      cacheWriteTokens: cacheWriteTokens * share,
    };
    for (const tool of answer.calls) {
      this.spending.calls.push({ ...spentFor(answer), tokens, costUsd: answer.costUsd * share, tool });
    }
  }

  #isFirst(key: string | null): boolean {
    if (key === null) return true;
    const { seen } = this.#before;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  }

  #isFromOther({ forkedFrom }: Entry): boolean {
    const from = stringField(forkedFrom, 'sessionId');
    return from !== undefined && from !== this.#sessionId && this.#before.sessionIds.has(from);
  }
}

function spentFor({ at, model, tokens, costUsd }: Answer): Spent & { at: number } {
  return { at, model, tokens, costUsd };
}

/** Inside a text such marks have backslashes before their quotes. */
const ASSISTANT = Buffer.from('"type":"assistant"');
const USER = Buffer.from('"type":"user"');
const COST = Buffer.from('"type":"cost-state"');
const RESULT = Buffer.from('"type":"tool_result"');
const UUID = Buffer.from('"uuid":"');
const TIMESTAMP = Buffer.from('"timestamp":"');
const QUOTE = 0x22;
const MOST_VALUES = 100;

/** Results can be large, so their lines are searched instead of parsed. */
function isResultLine(line: Buffer): boolean {
  return line.includes(RESULT) && !line.includes(ASSISTANT) && !line.includes(COST);
}

/** The texts after a mark. They are more than are needed where an output has the same fields. */
function valuesIn(line: Buffer, mark: Buffer): string[] {
  const found: string[] = [];
  for (let at = line.lastIndexOf(mark); at >= 0 && found.length < MOST_VALUES; at = line.lastIndexOf(mark, at - 1)) {
    const from = at + mark.length;
    found.push(line.toString('latin1', from, line.indexOf(QUOTE, from)));
    if (at === 0) break;
  }
  return found;
}

/** A prompt, an answer or a recorded cost; null for other lines, and for damaged ones. */
function relevantEntry(line: Buffer): Entry | null {
  if (!line.includes(ASSISTANT) && !line.includes(COST) && (!line.includes(USER) || line.includes(RESULT))) return null;
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isObject(value) ? (value as Entry) : null;
  } catch {
    return null;
  }
}

function isAsked(entry: Entry): boolean {
  if (entry.isSidechain === true || !isPrompt(entry) || answeredIds(entry).length > 0) return false;
  return !JSON.stringify(entry.message).includes('"[Request interrupted by user');
}

function promptKey(entry: Entry): string | null {
  return stringField(entry.forkedFrom, 'messageUuid') ?? stringField(entry, 'uuid') ?? null;
}

const BLOCK = 256 * 1024;

/** The lines of a file, each valid until the next; a missing file has none. */
async function* linesOf(path: string): AsyncGenerator<Buffer, void> {
  const file = await openTranscriptForReading(path);
  if (file === null) return;
  try {
    const block = Buffer.allocUnsafe(Math.min(BLOCK, file.size + 1));
    const lines = new ByteLines();
    for (let at = 0; ; ) {
      const bytes = await file.read(block, at);
      at += bytes.length;
      const isEnd = bytes.length === 0;
      for (const { bytes: line } of isEnd ? lines.end() : lines.push(bytes)) if (line) yield line;
      if (isEnd) return;
    }
  } finally {
    await file.close();
  }
}
