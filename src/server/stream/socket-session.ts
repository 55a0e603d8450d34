import type { RawData, WebSocket } from 'ws';
import { answerTo, cancellation, refusalOf } from '../../host/hosts/hub-frames.ts';
import { isObject, type JsonObject, stringField, tryParseJson } from '../../util/json.ts';
import { oneAtATime } from '../../util/one-at-a-time.ts';
import { type HeddleError, toHeddleError } from '../../wire/errors.ts';
import { UserInput } from '../../wire/messages/user.ts';
import { firstIssue } from '../../wire/schema.ts';
import { checkScope } from '../http/gatekeeper.ts';
import { checkHookAnswer, scopeOfControl } from '../policy/control-filter.ts';
import type { LaunchPolicy } from '../policy/launch-policy.ts';
import type { Question, Questions } from '../ports/asked-questions.ts';
import type { Courier } from '../ports/courier.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { Unsubscribe } from '../ports/holding.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { SessionRecord, SessionRecords } from '../ports/session-records.ts';
import type { Scope, TokenInfo } from '../ports/tokens.ts';
import type { TurnEngine } from '../ports/turn-engine.ts';
import { postLine } from '../routes/post-message.ts';
import { answerQuestion } from '../routes/question-routes.ts';
import { bringsSomething, type Drivers } from '../run/drivers.ts';
import { LineFeed } from './line-feed.ts';
import type { OpenStreams, StreamSlot } from './open-streams.ts';
import { SocketWriter } from './socket-writer.ts';

export interface SocketOptions {
  record: SessionRecord;
  token: TokenInfo;
  /** Lines behind this number are sent. */
  after: number;
  /** `deltas`: pieces of answers, too; `acks`: a line for each message that is stored. */
  asked: { deltas: boolean; acks: boolean };
  /** Whether the token still is one. */
  isValid: () => Promise<boolean>;
  slot: StreamSlot;
  streams: OpenStreams;
  sessions: SessionRecords;
  inbox: Inbox;
  events: EventLog;
  questions: Questions;
  courier: Courier;
  engine: TurnEngine;
  drivers: Drivers;
  policy: LaunchPolicy;
  newId: () => string;
}

/** It becomes the name of an entry, and of a row of the inbox. */
const NAME = /^[\w:.-]{1,128}$/;
const MOST_ARRIVED = 4;
const LOOK_MS = 200;
const TAKEN_MS = 30_000;

/**
 * One WebSocket of a session: the lines of the protocol in both directions. Its end ends nothing. After `end_input` it is
 * closed when the session rests, as a process would end.
 */
export class SocketSession {
  readonly #options: SocketOptions;
  readonly #id: string;
  readonly #socket: WebSocket;
  readonly #writer: SocketWriter;
  readonly #feed: LineFeed;
  readonly #inTurn = oneAtATime();
  readonly #stops: Unsubscribe[] = [];
  /** The questions that were sent, by their ids. */
  readonly #asked = new Map<string, Question>();
  /** Frames that arrived and wait for their turn. */
  #arrivedFrames = 0;
  #leaving: ReturnType<typeof setInterval> | null = null;
  #isError = false;

  constructor(socket: WebSocket, options: SocketOptions) {
    const { events, record, after, asked, newId } = options;
    this.#options = options;
    this.#id = `socket-${newId()}`;
    this.#socket = socket;
    this.#writer = new SocketWriter(socket, options.isValid);
    this.#feed = new LineFeed(
      { events, sessionId: record.id, after },
      {
        line: ({ type, text }) => {
          if (type === 'result') this.#isError = isErrorResult(text);
          return this.#writer.write(text);
        },
        preview: (line) =>
          asked.deltas || line.type !== 'stream_event' ? this.#writer.write(JSON.stringify(line)) : true,
        room: () => this.#writer.room(),
        broken: (error) => this.#writer.close(4410, errorText(toHeddleError(error))),
      },
    );
    socket.on('message', (data, isBinary) => this.#arrived(data, isBinary));
    socket.once('close', () => this.#gone());
  }

  start(): void {
    const { courier, questions, record, slot } = this.#options;
    slot.onEnd(() => this.#writer.close(1001, JSON.stringify({ after: this.#feed.cursor })));
    this.#stops.push(courier.connect(this.#id, (line) => this.#send(line)));
    if (this.#may('questions:answer')) {
      this.#stops.push(questions.onChange(record.id, (question) => this.#question(question)));
      questions
        .list({ sessionId: record.id, state: 'open' })
        .then((open) => {
          for (const question of open) this.#question(question);
        })
        .catch(() => {});
    }
    this.#feed.start();
  }

  #gone(): void {
    const { slot } = this.#options;
    this.#feed.stop();
    slot.leave();
    for (const stop of this.#stops.splice(0)) stop();
    if (this.#leaving) clearInterval(this.#leaving);
  }

  #send(line: JsonObject): void {
    this.#writer.write(JSON.stringify(line));
  }

  #may(scope: Scope): boolean {
    const { scopes } = this.#options.token;
    return scopes.includes('admin') || scopes.includes(scope);
  }

  #question(question: Question): void {
    const { id, state, request } = question;
    if (state === 'open' && !this.#asked.has(id)) {
      this.#asked.set(id, question);
      this.#send({ type: 'control_request', request_id: id, request });
    } else if (state !== 'open' && this.#asked.delete(id)) this.#send(cancellation(id));
  }

  #arrived(data: RawData, isBinary: boolean): void {
    // A client that sends faster than its lines are stored waits, and not its lines in memory.
    if (++this.#arrivedFrames >= MOST_ARRIVED) this.#socket.pause();
    this.#inTurn(async () => {
      if (--this.#arrivedFrames < MOST_ARRIVED) this.#socket.resume();
      const line = isBinary ? null : tryParseJson(String(data));
      if (isObject(line)) await this.#take(line);
      else this.#badInput('A frame is one JSON object as text', {});
    }).catch((error) => this.#writer.close(1011, errorText(toHeddleError(error))));
  }

  async #take(line: JsonObject): Promise<void> {
    switch (line.type) {
      case 'user':
        return this.#say(line);
      case 'control_request':
        return this.#request(line);
      case 'control_response':
        return this.#answer(line);
      case 'control_cancel_request':
        await this.#pass(line, 0);
        return;
      case 'keep_alive':
        return;
      default:
        this.#badInput(
          `Lines of type '${String(line.type)}' are not understood here; expected 'user' or control lines`,
          {},
        );
    }
  }

  async #say(line: JsonObject): Promise<void> {
    const { record, token, newId, asked } = this.#options;
    const given = stringField(line, 'uuid');
    try {
      checkScope(token, 'sessions:write', record.id);
      const parsed = UserInput.safeParse(line);
      if (!parsed.success) {
        this.#badInput(`A user line is malformed: ${firstIssue(parsed.error)}`, {});
        return;
      }
      if (given !== undefined && !NAME.test(given)) {
        this.#badInput('The uuid of a message has 1 to 128 letters, digits, or any of - _ . :', {});
        return;
      }
      const uuid = given ?? newId();
      // The SDK names a message, so that it can send it again; its program has not, and expects no lines about it.
      const isMade = given === undefined || line.made_uuid === true;
      const stored = { ...withoutMark(line), uuid, ...(isMade && { made_uuid: true }) };
      const { seq } = await postLine(record, { uuid, line: stored, by: token.id }, this.#options);
      if (asked.acks) this.#send({ type: 'stored', uuid, inbox_seq: seq });
    } catch (thrown) {
      const error = toHeddleError(thrown);
      this.#badInput(error.message, { error_code: error.code, ...(given !== undefined && { input_uuid: given }) });
    }
  }

  async #request(line: JsonObject): Promise<void> {
    const { record, token, policy } = this.#options;
    const id = stringField(line, 'request_id') ?? '';
    const request = isObject(line.request) ? line.request : {};
    try {
      if (request.subtype === 'end_input') {
        this.#send(answerTo(id, {}));
        this.#leave();
        return;
      }
      if (request.subtype === 'detach') {
        this.#send(answerTo(id, {}));
        return;
      }
      checkScope(token, scopeOfControl(request, policy), record.id);
      if (request.subtype === 'initialize') await this.#keepInitialize(request);
      if (!(await this.#pass(line, TAKEN_MS))) {
        this.#send(refusalOf(id, new Error('The session has not opened in time'), 'not_answered'));
      }
    } catch (thrown) {
      const error = toHeddleError(thrown);
      this.#send(refusalOf(id, error, error.code));
    }
  }

  /** The next run of the session begins with it. Who only joins takes no hooks from a program that has brought some. */
  async #keepInitialize(request: JsonObject): Promise<void> {
    const { record, sessions, drivers } = this.#options;
    const refusal = drivers.claim(record.id, this.#id, request);
    if (refusal) throw refusal;
    const { initialize } = (await sessions.find(record.id)) ?? record;
    if (initialize && bringsSomething(initialize) && !bringsSomething(request)) return;
    await sessions.change(record.id, { initialize: request });
  }

  async #answer(line: JsonObject): Promise<void> {
    const { questions, token } = this.#options;
    const response = isObject(line.response) ? line.response : {};
    const id = stringField(response, 'request_id') ?? '';
    const asked = this.#asked.get(id);
    if (!asked) return this.#answerAsDriver(line, id, response);
    const question = await questions.get(id);
    const body = isObject(response.response) ? response.response : {};
    if (question?.state !== 'open' || response.subtype !== 'success') return; // it stays open for others
    try {
      this.#asked.delete(id); // no cancellation for the one who answers
      await answerQuestion(question, body, token.name, this.#options);
    } catch (thrown) {
      this.#asked.set(id, asked);
      const error = toHeddleError(thrown);
      this.#badInput(error.message, { error_code: error.code });
    }
  }

  /** An answer of the program that drives. What it may not decide becomes a refusal, so that the session does not wait. */
  async #answerAsDriver(line: JsonObject, id: string, response: JsonObject): Promise<void> {
    try {
      checkHookAnswer(isObject(response.response) ? response.response : {}, this.#options.policy);
      await this.#pass(line, 0);
    } catch (thrown) {
      const error = toHeddleError(thrown);
      await this.#pass(refusalOf(id, error, error.code), 0);
      this.#badInput(error.message, { error_code: error.code });
    }
  }

  /** Whether the run of the session has taken it; one begins where there is none. */
  async #pass(line: JsonObject, waitMs: number): Promise<boolean> {
    const { courier, engine, record } = this.#options;
    const sent = courier.send(record.id, { from: this.#id, line }, waitMs);
    if (waitMs > 0) await engine.wake(record.id);
    return sent;
  }

  #badInput(error: string, fields: JsonObject): void {
    const { newId, record } = this.#options;
    const ids = { session_id: record.id, uuid: newId() };
    this.#send({ type: 'system', subtype: 'input_error', error, ...fields, ...ids });
  }

  /** Closes the socket as soon as the session rests and everything was said. */
  #leave(): void {
    const look = async () => {
      const { sessions, inbox, events, record } = this.#options;
      const isResting = (await inbox.open(record.id)).length === 0 && (await sessions.state(record.id)) === 'idle';
      if (!isResting || (await events.bounds(record.id)).newest > this.#feed.cursor) return;
      this.#writer.close(1000, JSON.stringify({ exit_code: this.#isError ? 1 : 0 }));
    };
    this.#leaving ??= setInterval(() => this.#inTurn(look).catch(() => {}), LOOK_MS);
    this.#inTurn(look).catch(() => {});
  }
}

/** A mark of the store, of which no other value means anything. */
function withoutMark({ made_uuid: _, ...line }: JsonObject): JsonObject {
  return line;
}

function isErrorResult(text: string): boolean {
  const line = tryParseJson(text);
  return isObject(line) && line.is_error === true;
}

/** A reason of a close frame has at most 123 bytes. */
function errorText({ code, facts }: HeddleError): string {
  const text = JSON.stringify({ code, ...facts });
  return Buffer.byteLength(text) <= 123 ? text : JSON.stringify({ code });
}
