import { cancellation, refusalOf } from '../../host/hosts/hub-frames.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Courier } from '../ports/courier.ts';
import { bringsSomething, type Drivers } from './drivers.ts';

/** How long a driver that is gone may take to come back. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 500;

export interface DriverOptions {
  sessionId: string;
  drivers: Pick<Drivers, 'of' | 'claim'>;
  courier: Pick<Courier, 'reply' | 'isConnected'>;
  /** Answers a request of the session that nobody else answers. */
  refuse: (line: JsonObject) => void;
  now: () => number;
}

/**
 * The requests of a session that only one program can answer: its hooks, tools and servers. That program is the driver, the
 * one whose `initialize` has brought them. When its connection breaks, its requests wait for it.
 */
export class DriverRequests {
  readonly #options: DriverOptions;
  #goneAt: number | null = null;
  readonly #waiting = new Map<string, JsonObject>();
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(options: DriverOptions) {
    this.#options = options;
  }

  get #driver(): string | null {
    return this.#options.drivers.of(this.#options.sessionId);
  }

  /** A connection has sent `initialize`. Null: it may; else the refusal. */
  take(from: string, line: JsonObject): JsonObject | null {
    const { drivers, sessionId, courier } = this.#options;
    const request = isObject(line.request) ? line.request : {};
    const error = drivers.claim(sessionId, from, request);
    if (error) return refusalOf(stringField(line, 'request_id') ?? '', error, error.code);
    if (!bringsSomething(request)) return null;
    this.#goneAt = null;
    for (const each of this.#waiting.values()) courier.reply(from, each);
    return null;
  }

  /** Hands a request of the session to the driver. */
  send(line: JsonObject): void {
    const id = stringField(line, 'request_id') ?? '';
    this.#waiting.set(id, line);
    this.#reply(line);
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Whether the response is one that the session waits for, from the one who may give it. */
  answered(from: string, line: JsonObject): boolean {
    const id = stringField(line.response, 'request_id') ?? '';
    if (from !== this.#driver || !this.#waiting.delete(id)) return false;
    this.#settle();
    return true;
  }

  /** The session does not need the answer any more. */
  cancel(requestId: string): void {
    if (!this.#waiting.delete(requestId)) return;
    this.#reply(cancellation(requestId));
    this.#settle();
  }

  close(): void {
    this.#waiting.clear();
    this.#settle();
  }

  #reply(line: JsonObject): void {
    const driver = this.#driver;
    if (driver !== null) this.#options.courier.reply(driver, line);
  }

  #settle(): void {
    if (this.#waiting.size > 0 || !this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    const driver = this.#driver;
    if (driver !== null && this.#options.courier.isConnected(driver)) {
      this.#goneAt = null;
      return;
    }
    this.#goneAt ??= this.#options.now();
    if (this.#options.now() - this.#goneAt < PATIENCE_MS) return;
    const lines = [...this.#waiting.keys()];
    this.#waiting.clear();
    this.#settle();
    const message = 'The program that could answer this is not connected any more';
    for (const id of lines) this.#options.refuse(refusalOf(id, new Error(message)));
  }
}
