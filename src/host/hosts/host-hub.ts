import { Channel } from '../../util/channel.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { within } from '../../util/timer.ts';
import type { ExitInfo, Transport } from '../../wire/link/transport.ts';
import { AttachedHost, type HostRole, mayWatcherAsk } from './attached-host.ts';
import { answerTo, cancellation, refusalOf, withCapability } from './hub-frames.ts';
import { admitted, attachResult, type Joining, joiningOf } from './join-hub.ts';
import { type LineLimits, NumberedLines } from './numbered-lines.ts';
import { answerIn, isQuestion, type OpenQuestion, OpenQuestions } from './open-questions.ts';
import { OwnQuestions, OwnRequests } from './own-questions.ts';
import { SessionActivity } from './session-activity.ts';

export interface HubOptions {
  newId: () => string;
  now: () => number;
  limits?: Partial<LineLimits>;
  /** How much text may wait for a host that reads slowly. */
  patience?: number;
}

/** `attached`: hosts came or went. `activity`: the session began or ended a turn, or a question opened or closed. */
export interface HubEvents {
  attached: () => void;
  activity: () => void;
}

/** How a host comes in. */
export interface Arrival {
  /** Set: the host is in at once, with this role, as the session's own host; else `attach` must come first. */
  owner?: { role: HostRole; name: string };
  /** Decides about an `attach`; throws a ControlError to refuse. Default: everybody is let in as they ask. */
  admit?: (joining: Joining) => Joining;
}

const LIMITS: LineLimits = { lines: 4000, chars: 4_000_000 };
const PATIENCE = 8_000_000;
/** How long hosts have to read what is left when the session ends. */
const FLUSH_MS = 2000;

/**
 * Lets any number of hosts share one session. To the session it is the far end of a transport, as if there were one host:
 * lines go to all hosts, numbered; questions to all that drive, and the first well-formed answer counts; requests of the
 * hosts get ids that are unique, and each answer finds its host again.
 */
export class HostHub implements Transport {
  readonly #options: HubOptions;
  readonly #incoming = new Channel<JsonObject>();
  readonly #lines: NumberedLines;
  readonly #hosts = new Map<string, AttachedHost>();
  readonly #questions = new OpenQuestions();
  readonly #listeners: { event: keyof HubEvents; listener: () => void }[] = [];
  /** Requests of hosts that the session has not answered, by the id that the session knows. */
  readonly #requests = new Map<string, { host: AttachedHost; id: unknown; isInitialize: boolean }>();
  /** The host whose program has hooks, servers and tools: the first that sent `initialize`. */
  #registrant: AttachedHost | null = null;
  readonly #ownQuestions: OwnQuestions;
  readonly #ownRequests: OwnRequests;
  #isDenying: string | null = null;
  #count = 0;
  #isEnded = false;
  #settle: () => void = () => {};
  readonly #over: Promise<void>;
  /** There is nothing to wait for when the hosts stop writing. */
  readonly exit: Promise<ExitInfo> = Promise.resolve({ code: 0, signal: null, stderr: '' });
  readonly activity = new SessionActivity();

  constructor(options: HubOptions) {
    this.#options = options;
    this.#lines = new NumberedLines({ ...LIMITS, ...options.limits });
    this.#ownQuestions = new OwnQuestions(options.newId);
    this.#ownRequests = new OwnRequests(options.newId);
    this.#over = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  on<Event extends keyof HubEvents>(event: Event, listener: HubEvents[Event]): void {
    this.#listeners.push({ event, listener });
  }

  get hosts(): readonly AttachedHost[] {
    return [...this.#hosts.values()];
  }

  /** Whether a host is there that can prompt and answer. */
  get isDriven(): boolean {
    return this.hosts.some((host) => host.drives);
  }

  get openQuestions(): number {
    return this.#questions.size;
  }

  /** Nobody is expected any more: questions that are open, and those that come, are denied with this reason. Null: they wait. */
  denyQuestions(reason: string | null): void {
    this.#isDenying = reason;
    if (reason !== null) for (const question of this.#questions.all()) this.#giveUp(question, reason);
  }

  /** Asks the owner, as an elicitation. Resolves with the action of its answer; null: there was none in this time. */
  askOwner(message: string, ms: number): Promise<string | null> {
    const owner = this.hosts.find((host) => host.isAwaited && host.drives);
    return owner ? this.#ownQuestions.ask(owner, message, ms) : Promise.resolve(null);
  }

  /**
   * Serves one host until it leaves or the session ends. Never rejects. The end of the owner's input is the end of the
   * session's input; any other host that ends its input just leaves.
   */
  async join(transport: Transport, { owner, admit = admitted }: Arrival = {}): Promise<void> {
    const seat: { host: AttachedHost | null } = { host: null };
    const enter = (joining: Joining): AttachedHost => {
      seat.host = this.#enter(transport, joining, { isOwner: owner !== undefined });
      return seat.host;
    };
    if (owner) enter({ role: owner.role, name: owner.name, fromSeq: null, pass: null });
    const isGone = () => seat.host !== null && !this.#hosts.has(seat.host.details.id);
    try {
      await transport.connect();
      for await (const line of transport.readMessages()) {
        if (isGone()) break;
        if (line instanceof Error) continue;
        if (seat.host) this.#take(seat.host, line);
        else await this.#greet(line, transport, { enter, admit });
        if (isGone()) break;
      }
    } catch {
      // The connection broke: the host is gone.
    }
    if (owner && !isGone()) {
      this.#incoming.end();
      await this.#over; // the rest of the session is still for the owner
    }
    if (seat.host) this.#leave(seat.host, null);
  }

  async connect(): Promise<void> {}

  readMessages(): AsyncIterable<JsonObject> {
    return this.#incoming;
  }

  isReady(): boolean {
    return !this.#isEnded;
  }

  write(message: JsonObject): Promise<void> | undefined {
    switch (message.type) {
      case 'control_request':
        return this.#ask(message);
      case 'control_cancel_request':
        return this.#withdraw(message);
      case 'control_response':
        return this.#deliver(message);
      default:
        return this.#tellAll(message);
    }
  }

  endInput(): void {
    this.#incoming.end();
  }

  /** The session is over: nobody can come, and nothing more is sent. */
  async close(): Promise<ExitInfo> {
    this.#isEnded = true;
    this.#incoming.end();
    await within(FLUSH_MS, Promise.all(this.hosts.map((host) => host.flushed())));
    for (const host of this.#hosts.values()) host.release();
    this.#hosts.clear();
    this.#settle();
    return this.exit;
  }

  /** Sends a request of this process's own. Resolves with the `response`; null: the session is over. */
  ask(request: JsonObject): Promise<JsonObject | null> {
    const { frame, answer } = this.#ownRequests.add(request);
    this.#incoming.push(frame);
    return Promise.race([answer, this.#over.then(() => null)]);
  }

  /** Gives the session a line that no host has sent, such as the prompt of a session in the background. */
  inject(line: JsonObject): void {
    if (line.type === 'user') this.activity.prompted();
    this.#incoming.push(line);
  }

  #emit(event: keyof HubEvents): void {
    for (const each of this.#listeners) if (each.event === event) each.listener();
  }

  // Hosts that come and go.

  /** Whatever comes before `attach` is refused. */
  async #greet(
    line: JsonObject,
    transport: Transport,
    { enter, admit }: { enter: (joining: Joining) => AttachedHost; admit: NonNullable<Arrival['admit']> },
  ): Promise<void> {
    const requestId = stringField(line, 'request_id') ?? '';
    if (line.type !== 'control_request') return;
    try {
      const joining = admit(joiningOf(line.request));
      const host = enter(joining);
      const { sessionId } = this.activity;
      const lines = { newest: this.#lines.newest, oldest: this.#lines.oldest };
      const hosts = this.hosts.map((each) => each.describe());
      host.send(answerTo(requestId, attachResult(joining, { host, lines, hosts, sessionId })), 0);
      const { fromSeq } = joining;
      if (fromSeq !== null) for (const { line: kept, chars } of this.#lines.from(fromSeq)) host.send(kept, chars);
      if (host.drives) for (const question of this.#questions.all()) this.#put(question, host);
      this.#changed({ joined: host.details.id });
    } catch (error) {
      await transport.write(refusalOf(requestId, error))?.catch(() => {});
    }
  }

  #enter(transport: Transport, { role, name }: Joining, { isOwner }: { isOwner: boolean }): AttachedHost {
    const { now, patience = PATIENCE } = this.#options;
    const details = {
      ...{ id: `h${++this.#count}`, role, name, since: new Date(now()).toISOString() },
      patience: isOwner ? Number.POSITIVE_INFINITY : patience,
    };
    const host = new AttachedHost(transport, details, (reason) => {
      this.#leave(host, reason);
      if (!isOwner) void transport.close().catch(() => {});
    });
    this.#hosts.set(details.id, host);
    if (isOwner) this.#emit('attached');
    return host;
  }

  #leave(host: AttachedHost, reason: string | null): void {
    if (!this.#hosts.delete(host.details.id)) return;
    host.release();
    if (this.#registrant === host) this.#registrant = null;
    for (const question of this.#questions.all()) question.asked.delete(host);
    this.#ownQuestions.left(host);
    this.#changed({ left: host.details.id, ...(reason !== null && { reason }) });
  }

  #changed(details: { joined?: string; left?: string; reason?: string }): void {
    const hosts = this.hosts.map((host) => host.describe());
    this.#note('hosts_changed', { hosts, ...details });
    this.#emit('attached');
  }

  /** A line of the hub's own, for all. */
  #note(subtype: string, fields: JsonObject): void {
    if (!this.#isEnded) this.#tellAll(this.#own(subtype, fields))?.catch(() => {});
  }

  // What hosts say.

  #take(host: AttachedHost, line: JsonObject): void {
    if (line.type === 'control_response') this.#answered(host, line);
    else if (line.type === 'control_request') this.#request(host, line);
    else if (line.type === 'control_cancel_request') {
      this.#incoming.push({ ...line, request_id: `${host.details.id}:${line.request_id}` });
    } else if (line.type !== 'keep_alive') {
      if (host.drives) this.#say(host, line);
      else host.send(this.#own('input_error', { error: WATCHES, error_code: 'watching', input_uuid: line.uuid }), 0);
    }
  }

  #say(host: AttachedHost, line: JsonObject): void {
    if (line.type === 'user') this.activity.prompted();
    const given = isObject(line.origin) ? line.origin : { kind: 'human' };
    const { name, id } = host.details;
    const origin = { ...given, host_id: id, host_name: name };
    this.#incoming.push(line.type === 'user' ? { ...line, origin } : line);
  }

  #request(host: AttachedHost, line: JsonObject): void {
    const request = isObject(line.request) ? line.request : {};
    const subtype = stringField(request, 'subtype') ?? '';
    const requestId = stringField(line, 'request_id') ?? '';
    if (subtype === 'detach') {
      host.send(answerTo(requestId, {}), 0);
      this.#leave(host, null);
      return;
    }
    const isInitialize = subtype === 'initialize';
    const isForbidden = !host.drives && !isInitialize && !mayWatcherAsk(subtype);
    if (subtype === 'attach' || isForbidden) {
      const refusal = isForbidden ? refusalOf(requestId, WATCHES, 'watching') : refusalOf(requestId, ATTACHED);
      host.send(refusal, 0);
      return;
    }
    if (isInitialize && host.drives) this.#registrant ??= host;
    const id = `${host.details.id}:${requestId}`;
    this.#requests.set(id, { host, id: line.request_id, isInitialize });
    // A watcher brings nothing: it only wants to know the state.
    this.#incoming.push({ ...line, request_id: id, ...(!host.drives && isInitialize && { request: { subtype } }) });
  }

  #answered(host: AttachedHost, line: JsonObject): void {
    const response = isObject(line.response) ? line.response : {};
    const id = stringField(response, 'request_id') ?? '';
    if (this.#ownQuestions.answered(host, id, response)) return;
    const question = this.#questions.get(id);
    if (!question) {
      if (host === this.#registrant) this.#incoming.push(line);
      return;
    }
    if (!question.asked.delete(host)) return;
    const answer = answerIn(question, response);
    // An answer that is not well-formed counts only where nobody is left to give a better one.
    if (answer === null && question.asked.size > 0) return;
    this.#finish(question, { host, answer: answer ?? 'deny', line });
  }

  #finish(
    question: OpenQuestion,
    { host, answer, line }: { host: AttachedHost | null; answer: string; line: JsonObject },
  ): void {
    this.#questions.close(question.id);
    const call = isObject(question.line.request) ? stringField(question.line.request, 'tool_use_id') : undefined;
    this.#note('question_answered', {
      ...{ request_id: question.id, ...(call !== undefined && { tool_use_id: call }) },
      ...{ host_id: host?.details.id ?? null, ...(host && { host_name: host.details.name }), answer },
    });
    for (const other of question.asked) other.send(cancellation(question.id, host?.details.name), 0);
    this.#incoming.push(line);
    this.#emit('activity');
  }

  // What the session says.

  #ask(line: JsonObject): Promise<void> | undefined {
    if (!isQuestion(line)) {
      if (this.#registrant) return this.#registrant.send(line, 0);
      this.#incoming.push(refusalOf(String(line.request_id), 'The host that could answer this has left the session'));
      return undefined;
    }
    const question = this.#questions.add(line);
    if (this.#isDenying !== null) this.#giveUp(question, this.#isDenying);
    else for (const host of this.hosts) if (host.drives) this.#put(question, host);
    this.#emit('activity');
    return undefined;
  }

  #put(question: OpenQuestion, host: AttachedHost): void {
    question.asked.add(host);
    host.send(question.line, 0);
  }

  #giveUp(question: OpenQuestion, reason: string): void {
    const isPermission = isObject(question.line.request) && question.line.request.subtype === 'can_use_tool';
    const body = isPermission ? { behavior: 'deny', message: reason } : { action: 'cancel' };
    this.#finish(question, { host: null, answer: isPermission ? 'deny' : 'cancel', line: answerTo(question.id, body) });
  }

  #withdraw(line: JsonObject): undefined {
    const question = this.#questions.close(stringField(line, 'request_id') ?? '');
    if (!question) {
      this.#registrant?.send(line, 0);
      return;
    }
    for (const host of question.asked) host.send(line, 0);
    this.#emit('activity');
  }

  #deliver(line: JsonObject): Promise<void> | undefined {
    const response = isObject(line.response) ? line.response : {};
    const key = stringField(response, 'request_id') ?? '';
    this.#ownRequests.answered(key, response);
    const request = this.#requests.get(key);
    this.#requests.delete(key);
    if (!request) return undefined;
    const { host, id, isInitialize } = request;
    const told = isInitialize ? withCapability(response, 'response') : response;
    return host.send({ ...line, response: { ...told, request_id: id } }, 0);
  }

  #tellAll(message: JsonObject): Promise<void> | undefined {
    const isChanged = this.activity.note(message);
    const isInit = message.type === 'system' && message.subtype === 'init';
    const { line, chars } = this.#lines.add(
      isInit ? (withCapability({ message }, 'message').message as JsonObject) : message,
    );
    let awaited: Promise<void> | undefined;
    for (const host of this.#hosts.values()) {
      const room = host.send(line, chars);
      awaited = room && awaited ? Promise.all([awaited, room]).then(() => {}) : (room ?? awaited);
    }
    if (isChanged) this.#emit('activity');
    return awaited;
  }

  #own(subtype: string, fields: JsonObject): JsonObject {
    const ids = { uuid: this.#options.newId(), session_id: this.activity.sessionId };
    return { type: 'system', subtype, ...fields, ...ids };
  }
}

const ATTACHED = 'This host is attached already';
const WATCHES = 'This host watches: attach with the role drive to prompt and to answer';
