import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';

/** So many answers are remembered, for requests that come again. */
const MOST_ANSWERS = 500;

/**
 * What this end has sent and the other end has not confirmed, so that it can be sent again over another connection, each
 * once: messages by their uuid, requests by their id.
 */
export class SentLines {
  readonly #messages = new Map<string, JsonObject>();
  readonly #requests = new Map<string, JsonObject>();
  /** Answers to requests of the session. Null: the program still works on it. */
  readonly #answers = new Map<string, JsonObject | null>();
  /** Requests of this file, whose responses the program has not asked for. */
  readonly #own = new Set<string>();
  #initialize: JsonObject | null = null;
  #endInput: JsonObject | null = null;

  /** The line as it is sent. */
  add(line: JsonObject): JsonObject {
    if (line.type === 'user') return this.#message(line);
    if (line.type === 'control_request') this.#request(line);
    if (line.type === 'control_response') this.#answer(line);
    if (line.type === 'control_cancel_request') this.#requests.delete(stringField(line, 'request_id') ?? '');
    return line;
  }

  /** A request of this file. */
  own(request: JsonObject): JsonObject {
    const id = `own-${randomUUID()}`;
    this.#own.add(id);
    return { type: 'control_request', request_id: id, request };
  }

  /** Takes note of a line of the other end: whether it is for the program, and what to answer in its place. */
  arrived(line: JsonObject): { isForHost: boolean; answer: JsonObject | null } {
    if (line.type === 'stored') {
      this.#messages.delete(stringField(line, 'uuid') ?? '');
      return { isForHost: false, answer: null };
    }
    if (line.type === 'control_response') {
      const id = stringField(line.response, 'request_id') ?? '';
      this.#requests.delete(id);
      return { isForHost: !this.#own.delete(id), answer: null };
    }
    if (line.type !== 'control_request') return { isForHost: true, answer: null };
    const id = stringField(line, 'request_id') ?? '';
    const known = this.#answers.get(id);
    if (known !== undefined) return { isForHost: false, answer: known };
    this.#answers.set(id, null);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MOST_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    return { isForHost: true, answer: null };
  }

  /** What a new connection needs: the program's hooks and tools first, then all that may be lost. */
  again(): JsonObject[] {
    const open = [...this.#requests.values()];
    const isOpen = this.#initialize && open.includes(this.#initialize);
    const first = this.#initialize && !isOpen ? [this.own(requestOf(this.#initialize))] : [];
    const isEnded = this.#endInput && !open.includes(this.#endInput);
    const last = isEnded && this.#endInput ? [this.own(requestOf(this.#endInput))] : [];
    const isLast = (line: JsonObject) => line === this.#endInput;
    return [
      ...first,
      ...open.filter((line) => !isLast(line)),
      ...this.#messages.values(),
      ...open.filter(isLast),
      ...last,
    ];
  }

  #message(line: JsonObject): JsonObject {
    const uuid = stringField(line, 'uuid');
    // Without a uuid of its own, the program expects no lines about the message.
    const sent = uuid === undefined ? { ...line, uuid: randomUUID(), made_uuid: true } : line;
    this.#messages.set(String(sent.uuid), sent);
    return sent;
  }

  #request(line: JsonObject): void {
    this.#requests.set(stringField(line, 'request_id') ?? '', line);
    const subtype = stringField(line.request, 'subtype');
    if (subtype === 'initialize') this.#initialize = line;
    if (subtype === 'end_input') this.#endInput = line;
  }

  #answer(line: JsonObject): void {
    const id = stringField(line.response, 'request_id') ?? '';
    if (this.#answers.has(id)) this.#answers.set(id, line);
  }
}

function requestOf(line: JsonObject): JsonObject {
  return isObject(line.request) ? line.request : {};
}
