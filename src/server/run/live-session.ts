import type { Engine } from '../../host/engine/engine.ts';
import { refusalOf } from '../../host/hosts/hub-frames.ts';
import { isQuestion } from '../../host/hosts/open-questions.ts';
import { type ServeEnd, serve } from '../../host/serve/serve.ts';
import type { SessionKey, SessionStore } from '../../sessions/store.ts';
import { Aborted } from '../../util/abort.ts';
import { Channel } from '../../util/channel.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { within } from '../../util/timer.ts';
import { type HeddleError, toHeddleError } from '../../wire/errors.ts';
import type { ExitInfo, Transport } from '../../wire/link/transport.ts';
import type { Launch } from '../../wire/run-config.ts';
import type { Parcel } from '../ports/courier.ts';
import type { InboxRow } from '../ports/inbox.ts';
import type { ServerStore } from '../ports/server-store.ts';
import type { SessionState } from '../ports/session-records.ts';
import type { Activation } from '../ports/turn-engine.ts';
import { DriverRequests } from './driver-requests.ts';
import type { Drivers } from './drivers.ts';
import { taken } from './fenced-store.ts';
import { type LineKind, LineSink } from './line-sink.ts';
import { SessionQuestions } from './session-questions.ts';
import { TurnNotes } from './turn-notes.ts';

export interface LiveOptions {
  engine: Engine;
  store: ServerStore;
  launch: Launch;
  transcripts: SessionStore;
  drivers: Drivers;
  key: SessionKey;
  /** Set when the last turn is continued: the messages that it answers. */
  continued: readonly string[] | null;
  /** The lines that come before all others, asked when the session is open; null: there are none. */
  unsaid: (() => Promise<JsonObject[]>) | null;
  /** The `initialize` that hosts have sent before; null: none has. */
  initialize: JsonObject | null;
}

interface EarlyLine {
  line: JsonObject;
  settle: (written: Promise<void> | undefined) => void;
}

/** How long a session that is closed may take for its own end. */
const CLOSE_MS = 5000;
const LOOK_MS = 100;

/**
 * An open session of this process. To the session it is the far end of a transport: messages come from the inbox, lines go
 * to the log, questions to the list of questions, and control lines to the connections that have sent theirs.
 */
export class LiveSession implements Transport {
  readonly #options: LiveOptions;
  readonly #incoming = new Channel<JsonObject>();
  readonly #sink: LineSink;
  readonly #notes: TurnNotes;
  readonly #questions: SessionQuestions;
  readonly #driver: DriverRequests;
  readonly #stop = new AbortController();
  /** Requests of connections that the session has not answered: how often each connection waits. */
  readonly #requests = new Map<string, string>();
  #activation: Activation;
  /** What the session says before it is open, and before what comes first is said. */
  #early: EarlyLine[] | null = [];
  #isOpen = false;
  #state: SessionState = 'idle';
  #isWorking = false;
  #isInitialized = false;
  #end: ServeEnd | null = null;
  #settled: () => void = () => {};
  readonly exit: Promise<ExitInfo> = Promise.resolve({ code: 0, signal: null, stderr: '' });
  /** Resolves when the session is over. Never rejects. */
  readonly ended: Promise<ServeEnd>;

  constructor(activation: Activation, options: LiveOptions) {
    const { engine, store, launch, continued, drivers } = options;
    this.#options = options;
    this.#activation = activation;
    this.#notes = new TurnNotes(store, { continued });
    this.#sink = new LineSink({
      events: store.events,
      kindOf: (line) => this.#kindOf(line),
      isAwaited: (line) => this.#notes.isOf(line),
      noted: (line, holding) => this.#noted(line, holding),
    });
    const reply = (line: JsonObject) => this.#incoming.push(line);
    this.#questions = new SessionQuestions(store.questions, activation, (line) => {
      reply(line);
      this.#report();
    });
    this.#driver = new DriverRequests({
      ...{ sessionId: activation.sessionId, drivers, courier: store.courier },
      ...{ refuse: reply, now: () => engine.runtime.clock.now() },
    });
    const opened = () => {
      this.#isOpen = true;
      this.#begin().catch((error) => this.#sink.fail(error));
    };
    this.ended = serve(engine, this, launch, this.#stop.signal, opened)
      .catch((error): ServeEnd => ({ exitCode: 1, error: toHeddleError(error) }))
      .then((end) => {
        this.#end = end;
        this.#settled();
        return end;
      });
  }

  get epoch(): string {
    return this.#activation.epoch;
  }

  /**
   * Works until nothing of the session is at work and nothing waits. Rejects when the session could not be opened, or its
   * lines could not be stored.
   */
  async work(activation: Activation): Promise<void> {
    this.#activation = activation;
    const { store } = this.#options;
    const { sessionId, lost, drain } = activation;
    this.#isWorking = true;
    this.#sink.hold(activation);
    this.#questions.hold(activation);
    const onLost = () => this.abandon();
    lost.addEventListener('abort', onLost, { once: true });
    const look = () => this.#settled();
    const parcels: Parcel[] = [];
    let isFed = false;
    const stops = [
      store.inbox.onPosted(sessionId, look),
      store.courier.receive(sessionId, (parcel) => (isFed ? this.#take(parcel) : parcels.push(parcel))),
      () => lost.removeEventListener('abort', onLost),
    ];
    drain.addEventListener('abort', look, { once: true });
    try {
      if (lost.aborted) onLost();
      this.#initialize(parcels);
      isFed = true;
      for (const parcel of parcels) this.#take(parcel);
      await this.#untilIdle();
      await this.#sink.flushed();
      if (!lost.aborted && !this.#end) await this.#questions.withdrawLeft();
    } finally {
      for (const stop of stops) stop();
      drain.removeEventListener('abort', look);
      if (!lost.aborted) await store.sessions.report(activation, 'idle').catch(() => {});
      this.#sink.hold(null);
      this.#isWorking = false;
      if (!this.#sink.isEmpty) this.#wake();
    }
    if (lost.aborted) return;
    if (this.#end?.error) this.#refuseAll(this.#end.error);
    if (this.#end?.error) throw this.#end.error;
    if (this.#sink.failure) throw this.#sink.failure;
  }

  /** Ends the session: it finishes what it has, and nothing more comes. Never rejects. */
  async finish(): Promise<void> {
    this.#incoming.end();
    if ((await within(CLOSE_MS, this.ended)) === null) this.abandon();
    await this.ended;
    this.#release();
  }

  /** Leaves the session as it is: nothing more of it is stored. */
  abandon(): void {
    this.#sink.fail(taken(this.#activation.sessionId));
    this.#stop.abort(new Aborted('taken'));
    this.#incoming.end();
    this.#release();
  }

  #kindOf(line: JsonObject): LineKind {
    if (line.type === 'stream_event' || isState(line)) return 'preview';
    return this.#notes.isUnexpected(line) ? 'hidden' : 'stored';
  }

  // The transport of the session.

  async connect(): Promise<void> {}

  readMessages(): AsyncIterable<JsonObject> {
    return this.#incoming;
  }

  isReady(): boolean {
    return this.#end === null;
  }

  endInput(): void {
    this.#incoming.end();
  }

  async close(): Promise<ExitInfo> {
    this.#incoming.end();
    return this.exit;
  }

  write(line: JsonObject): Promise<void> | undefined {
    switch (line.type) {
      case 'control_request':
        this.#ask(line);
        return undefined;
      case 'control_cancel_request':
        this.#withdraw(stringField(line, 'request_id') ?? '');
        return undefined;
      case 'control_response':
        this.#sink.afterwards(() => this.#respond(line));
        return undefined;
      default:
        // Lines of a session that does not open are not for anybody: the caller tells what has happened.
        if (this.#early) return this.#keep(line, this.#early);
        if (!this.#isWorking) this.#wake(); // what happens in the background is written by a run, too
        return this.#sink.write(line);
    }
  }

  #keep(line: JsonObject, early: EarlyLine[]): Promise<void> | undefined {
    if (!this.#isOpen || !this.#notes.isOf(line)) {
      early.push({ line, settle: (written) => written?.catch(() => {}) });
      return undefined;
    }
    return new Promise((resolve, reject) => {
      early.push({ line, settle: (written) => void Promise.resolve(written).then(resolve, reject) });
    });
  }

  async #begin(): Promise<void> {
    const unsaid = (await this.#options.unsaid?.()) ?? [];
    const early = this.#early ?? [];
    this.#early = null;
    for (const line of unsaid) this.#sink.write(line)?.catch(() => {});
    for (const { line, settle } of early) settle(this.#sink.write(line));
  }

  // From the session.

  #ask(line: JsonObject): void {
    if (!isQuestion(line)) {
      this.#sink.afterwards(() => this.#driver.send(line));
      return;
    }
    this.#sink.afterwards(() => {
      this.#questions
        .ask(line)
        .then(() => this.#report())
        .catch((error) => this.#sink.fail(error));
    });
  }

  #withdraw(requestId: string): void {
    this.#sink.afterwards(() => {
      this.#driver.cancel(requestId);
      this.#questions.withdraw(requestId).then(
        () => this.#report(),
        () => {},
      );
    });
  }

  #respond(line: JsonObject): void {
    const response = isObject(line.response) ? line.response : {};
    const id = stringField(response, 'request_id') ?? '';
    const from = this.#requests.get(id);
    this.#requests.delete(id);
    this.#settled();
    if (from === undefined) return;
    const own = id.slice(from.length + 1);
    this.#options.store.courier.reply(from, { ...line, response: { ...response, request_id: own } });
  }

  #noted(line: JsonObject, holding: Activation | { sessionId: string; epoch: string }): Promise<void> | undefined {
    if (isState(line)) {
      this.#state = line.state as SessionState;
      this.#report();
    }
    return this.#notes.note(line, holding)?.then(() => this.#settled());
  }

  #report(): void {
    const { sessions } = this.#options.store;
    const state = this.#questions.open > 0 ? 'requires_action' : this.#state === 'idle' ? 'idle' : 'running';
    sessions.report(this.#activation, state === 'idle' && this.#notes.isTurn ? 'running' : state).catch(() => {});
    this.#settled();
  }

  // To the session.

  /** The hooks and servers that a host has brought are those of the session, also when another run opens it. */
  #initialize(waiting: readonly Parcel[]): void {
    const { initialize, engine } = this.#options;
    if (!initialize || this.#isInitialized) return;
    this.#isInitialized = true;
    if (waiting.some(({ line }) => isInitialize(line))) return;
    this.#incoming.push({
      type: 'control_request',
      request_id: `server ${engine.runtime.ids.uuid()}`,
      request: initialize,
    });
  }

  #take({ from, line }: Parcel): void {
    if (line.type === 'control_response') {
      if (this.#driver.answered(from, line)) this.#incoming.push(line);
      return;
    }
    const id = `${from} ${stringField(line, 'request_id') ?? ''}`;
    if (isInitialize(line)) {
      this.#isInitialized = true;
      const refusal = this.#driver.take(from, line);
      if (refusal) {
        this.#options.store.courier.reply(from, refusal);
        return;
      }
    }
    if (line.type === 'control_request') this.#requests.set(id, from);
    this.#incoming.push({ ...line, request_id: id });
  }

  async #untilIdle(): Promise<void> {
    const { drain, lost } = this.#activation;
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        this.#settled = resolve;
      });
      if (this.#end || lost.aborted) return;
      const open = await this.#feed();
      const isResting = this.#state === 'idle' && !this.#notes.isTurn && this.#requests.size === 0;
      if (isResting && this.#questions.open === 0 && (open === 0 || drain.aborted)) return;
      // A message that is only added tells nothing when it is stored.
      await (this.#notes.isSilent ? within(LOOK_MS, changed) : changed);
    }
  }

  /**
   * Gives the session what waits; a message with a turn of its own (`later`) waits in the inbox until the turns before it are
   * over, because there it can be withdrawn. Resolves with how many messages have no answer. */
  async #feed(): Promise<number> {
    const { inbox } = this.#options.store;
    const { sessionId, drain } = this.#activation;
    await this.#notes.settleSilent(this.#activation, this.#options);
    const rows = await inbox.open(sessionId);
    if (this.#early && !this.#end) await within(LOOK_MS, this.ended); // it is about to open
    let isTaken = rows.some(({ state }) => state === 'taken');
    for (const row of rows) {
      if (row.state !== 'waiting' || drain.aborted || this.#stop.signal.aborted) continue;
      if (isTaken && row.line.priority === 'later') continue;
      if (this.#notes.isTurn && row.line.priority === 'later') continue;
      if (await inbox.take(this.#activation, row.uuid)) this.#give(row);
      isTaken = true;
    }
    return rows.length;
  }

  #give({ uuid, line }: InboxRow): void {
    this.#notes.given(uuid, line);
    const { made_uuid: _, ...message } = line;
    this.#incoming.push(message);
  }

  /** The session does not open: nobody waits for its answers. */
  #refuseAll(error: HeddleError): void {
    for (const [id, from] of this.#requests) {
      this.#options.store.courier.reply(from, refusalOf(id.slice(from.length + 1), error, error.code));
    }
    this.#requests.clear();
  }

  #wake(): void {
    const { engine } = this.#options.store;
    engine.wake(this.#activation.sessionId).catch(() => {});
  }

  #release(): void {
    this.#questions.close();
    this.#driver.close();
  }
}

function isState(line: JsonObject): boolean {
  return line.type === 'system' && line.subtype === 'session_state_changed' && line.sdk_host_only === true;
}

function isInitialize(line: JsonObject): boolean {
  return line.type === 'control_request' && stringField(line.request, 'subtype') === 'initialize';
}
