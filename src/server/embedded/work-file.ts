import { isObject, isTexts, type JsonObject, stringField } from '../../util/json.ts';
import { oneAtATime } from '../../util/one-at-a-time.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { InboxRow } from '../ports/inbox.ts';
import type { InboxMessage, Posted } from '../ports/turn-engine.ts';
import type { TurnEnd, TurnRecord } from '../ports/turns.ts';
import { Journal } from './journal.ts';

/**
 * The messages and turns of one session, in one file: so the end of a turn and the answer to its messages are one write.
 * That a message was taken is not written; after a restart the transcript tells it.
 */
export class WorkFile {
  readonly #journal: Journal;
  readonly #rows = new Map<string, InboxRow>();
  readonly #turns: TurnRecord[] = [];
  readonly #inTurn = oneAtATime();
  #seq = 0;
  #no = 0;

  private constructor(journal: Journal) {
    this.#journal = journal;
  }

  static async load(path: string, options: { sync: boolean }): Promise<WorkFile> {
    const file = new WorkFile(new Journal(path, options));
    for (const row of await file.#journal.rows()) file.#apply(row);
    return file;
  }

  /** Messages without an answer, by their number. */
  open(): InboxRow[] {
    return [...this.#rows.values()].filter(({ state }) => state === 'waiting' || state === 'taken');
  }

  row(uuid: string): InboxRow | null {
    return this.#rows.get(uuid) ?? null;
  }

  unfinished(): TurnRecord | null {
    const last = this.#turns.at(-1);
    return last?.state === 'running' ? last : null;
  }

  /** Oldest first. */
  get turns(): readonly TurnRecord[] {
    return this.#turns;
  }

  /** One after the other, so that none is acknowledged by the unfinished write of its twin. */
  post(message: InboxMessage, limits: { limit: number; now: number }): Promise<Posted> {
    return this.#inTurn(() => this.#post(message, limits));
  }

  async #post({ uuid, line, by }: InboxMessage, { limit, now }: { limit: number; now: number }): Promise<Posted> {
    const known = this.#rows.get(uuid);
    if (known) {
      if (JSON.stringify(known.line) !== JSON.stringify(line)) throw conflict(uuid);
      return { seq: known.seq, isNew: false, position: this.#before(known.seq) };
    }
    if (this.open().length >= limit) throw full(limit);
    const seq = this.#seq + 1;
    await this.#write({ kind: 'message', seq, uuid, line, by, at: now });
    return { seq, isNew: true, position: this.#before(seq) };
  }

  take(uuid: string): boolean {
    const row = this.#rows.get(uuid);
    if (row?.state !== 'waiting') return false;
    row.state = 'taken';
    return true;
  }

  async settle(uuids: readonly string[], state: 'answered' | 'cancelled'): Promise<void> {
    const own = uuids.filter((uuid) => this.#isOpen(uuid));
    if (own.length === 0) return;
    await this.#write({ kind: 'settled', uuids: own, state });
  }

  async begin(messages: readonly string[], now: number): Promise<TurnRecord> {
    const running = this.unfinished();
    const named = [...new Set([...(running?.messages ?? []), ...messages])];
    const [no, attempts, startedAt] = running
      ? [running.no, running.attempts + 1, running.startedAt]
      : [this.#no + 1, 1, now];
    await this.#write({ kind: 'turn', no, attempts, startedAt, messages: named });
    return this.#turns.at(-1) as TurnRecord;
  }

  async end({ result, state, messages }: TurnEnd, now: number): Promise<TurnRecord> {
    const { no, startedAt } = this.unfinished() ?? { no: this.#no + 1, startedAt: now };
    const answered = messages.filter((uuid) => this.#isOpen(uuid));
    await this.#write({ kind: 'end', no, startedAt, endedAt: now, state, result, messages: answered });
    return this.#turns.at(-1) as TurnRecord;
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  #isOpen(uuid: string): boolean {
    const state = this.#rows.get(uuid)?.state;
    return state === 'waiting' || state === 'taken';
  }

  #before(seq: number): number {
    return this.open().filter((row) => row.seq < seq).length;
  }

  /** On disk first, then in memory. */
  async #write(row: JsonObject): Promise<void> {
    await this.#journal.append([row]);
    this.#apply(row);
  }

  #apply(row: JsonObject): void {
    if (row.kind === 'message') this.#applyMessage(row);
    else if (row.kind === 'settled') this.#applySettled(row);
    else if (row.kind === 'turn') this.#applyTurn(row);
    else if (row.kind === 'end') this.#applyEnd(row);
  }

  #applyMessage(row: JsonObject): void {
    const uuid = stringField(row, 'uuid');
    if (uuid === undefined || typeof row.seq !== 'number' || !isObject(row.line)) return;
    const { seq, line } = row;
    const at = typeof row.at === 'number' ? row.at : 0;
    this.#seq = Math.max(this.#seq, seq);
    this.#rows.set(uuid, { seq, uuid, line, state: 'waiting', by: stringField(row, 'by') ?? null, at });
  }

  #applySettled({ uuids, state }: JsonObject): void {
    for (const uuid of isTexts(uuids) ? uuids : []) {
      const row = this.#rows.get(uuid);
      if (row) row.state = state === 'cancelled' ? 'cancelled' : 'answered';
    }
  }

  #applyTurn({ no, attempts, startedAt, messages }: JsonObject): void {
    if (typeof no !== 'number') return;
    if (this.unfinished()) this.#turns.pop();
    this.#no = Math.max(this.#no, no);
    this.#turns.push({
      ...{ no, state: 'running', endedAt: null, result: null },
      ...{ attempts: Number(attempts), startedAt: Number(startedAt), messages: isTexts(messages) ? messages : [] },
    });
  }

  #applyEnd({ no, startedAt, endedAt, state, result, messages }: JsonObject): void {
    if (typeof no !== 'number') return;
    const running = this.unfinished();
    if (running) this.#turns.pop();
    this.#no = Math.max(this.#no, no);
    const answered = isTexts(messages) ? messages : [];
    this.#turns.push({
      ...{ no, state: state === 'abandoned' ? 'abandoned' : 'ended', attempts: running?.attempts ?? 1 },
      ...{ startedAt: running?.startedAt ?? Number(startedAt), endedAt: Number(endedAt) },
      messages: [...new Set([...(running?.messages ?? []), ...answered])],
      result: isObject(result) ? result : null,
    });
    this.#applySettled({ uuids: answered, state: 'answered' });
  }
}

function conflict(uuid: string): HeddleError {
  const message = `The session has a message ${uuid} with other content: send it with another uuid`;
  return new HeddleError('uuid_conflict', message, { facts: { uuid } });
}

const RETRY_MS = 2000;

function full(limit: number): HeddleError {
  const message = `${limit} messages of this session wait for their answers: send it again when some are answered`;
  return new HeddleError('queue_full', message, { facts: { limit, retryAfterMs: RETRY_MS } });
}
