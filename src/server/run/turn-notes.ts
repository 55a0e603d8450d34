import type { SessionKey, SessionStore } from '../../sessions/store.ts';
import { isTexts, type JsonObject, stringField } from '../../util/json.ts';
import type { Holding } from '../ports/holding.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Turns } from '../ports/turns.ts';

/** Follows the turns of an open session by its lines, and tells turns and inbox of them. */
export class TurnNotes {
  readonly #store: { turns: Turns; inbox: Inbox };
  /** What the turn answers, as far as it is known. */
  #asked: string[] = [];
  #isTurn = false;
  #isContinued: boolean;
  /** Messages that are added without an answer. */
  readonly #silent = new Set<string>();
  /** Messages whose uuids the server has made: their sender expects no lines about them. */
  readonly #unnamed = new Set<string>();

  constructor(store: { turns: Turns; inbox: Inbox }, { continued }: { continued: readonly string[] | null }) {
    this.#store = store;
    this.#isContinued = continued !== null;
    this.#isTurn = continued !== null;
    this.#asked = [...(continued ?? [])];
  }

  get isTurn(): boolean {
    return this.#isTurn;
  }

  get isSilent(): boolean {
    return this.#silent.size > 0;
  }

  /** The session has got this message. */
  given(uuid: string, line: JsonObject): void {
    if (line.shouldQuery === false) this.#silent.add(uuid);
    if (line.made_uuid === true) this.#unnamed.add(uuid);
  }

  /** Whether the line tells something about a turn, so that the session must wait for `note`. */
  isOf(line: JsonObject): boolean {
    const { type, subtype } = line;
    if (type === 'result' || type === 'command_lifecycle') return true;
    return type === 'system' && (subtype === 'init' || (subtype === 'input_error' && line.input_uuid !== undefined));
  }

  /** Whether nobody expects the line. */
  isUnexpected(line: JsonObject): boolean {
    return line.type === 'command_lifecycle' && this.#unnamed.has(stringField(line, 'command_uuid') ?? '');
  }

  note(line: JsonObject, holding: Holding): Promise<void> | undefined {
    if (!this.isOf(line)) return undefined;
    if (line.type === 'result') return this.#ended(line, holding);
    if (line.type === 'command_lifecycle') return this.#moved(line, holding);
    if (line.subtype === 'init') return this.#begun([], holding);
    return this.#store.inbox.settle(holding, [String(line.input_uuid)], 'answered');
  }

  /** A message that was only added is answered when it is stored. */
  async settleSilent(
    holding: Holding,
    { transcripts, key }: { transcripts: SessionStore; key: SessionKey },
  ): Promise<void> {
    for (const uuid of [...this.#silent]) {
      if (!(await transcripts.has?.(key, uuid))) continue;
      this.#silent.delete(uuid);
      await this.#store.inbox.settle(holding, [uuid], 'answered');
    }
  }

  async #moved(line: JsonObject, holding: Holding): Promise<void> {
    const uuid = stringField(line, 'command_uuid') ?? '';
    if (line.state === 'started') await this.#begun([uuid], holding);
    if (line.state === 'cancelled') await this.#store.inbox.settle(holding, [uuid], 'cancelled');
    if (line.state === 'completed') await this.#store.inbox.settle(holding, [uuid], 'answered');
  }

  async #begun(messages: readonly string[], holding: Holding): Promise<void> {
    if (this.#isContinued) {
      this.#isContinued = false; // its turn was begun when the session was opened
      return;
    }
    this.#asked.push(...messages);
    if (this.#isTurn && messages.length === 0) return;
    this.#isTurn = true;
    await this.#store.turns.begin(holding, messages);
  }

  async #ended(result: JsonObject, holding: Holding): Promise<void> {
    const named = isTexts(result.user_message_uuids) ? result.user_message_uuids : [];
    const messages = [...new Set([...this.#asked, ...named])];
    this.#asked = [];
    this.#isContinued = false;
    await this.#store.turns.end(holding, { result, state: 'ended', messages });
    this.#isTurn = false;
  }
}
