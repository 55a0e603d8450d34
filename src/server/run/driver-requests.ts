import { cancellation, refusalOf } from '../../host/hosts/hub-frames.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Courier } from '../ports/courier.ts';

/** How long a driver that is gone may take to come back. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 500;

/** What a program brings that only it can answer. */
const BROUGHT = ['hooks', 'sdkMcpServers', 'hostTools', 'sdkMcpServerConfigs'];

/**
 * The requests of a session that only one program can answer: its hooks, tools and servers. That program is the driver, the
 * one whose `initialize` has brought them. When its connection breaks, its requests wait for it.
 */
export class DriverRequests {
  readonly #courier: Pick<Courier, 'reply' | 'isConnected'>;
  readonly #refuse: (line: JsonObject) => void;
  readonly #now: () => number;
  #driver: string | null = null;
  #goneAt: number | null = null;
  readonly #waiting = new Map<string, JsonObject>();
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(
    courier: Pick<Courier, 'reply' | 'isConnected'>,
    { refuse, now }: { refuse: (line: JsonObject) => void; now: () => number },
  ) {
    this.#courier = courier;
    this.#refuse = refuse;
    this.#now = now;
  }

  /** A connection has sent `initialize`. Null: it may; else the refusal. */
  take(from: string, line: JsonObject): JsonObject | null {
    const request = isObject(line.request) ? line.request : {};
    if (!bringsSomething(request)) return null;
    const driver = this.#driver;
    const isOther = driver !== null && driver !== from && this.#courier.isConnected(driver);
    if (isOther && request.replace !== true) {
      const message = 'Another program drives the session: watch it, or send initialize with "replace": true';
      return refusalOf(stringField(line, 'request_id') ?? '', new Error(message), 'driver_connected');
    }
    this.#driver = from;
    this.#goneAt = null;
    for (const each of this.#waiting.values()) this.#courier.reply(from, each);
    return null;
  }

  /** Hands a request of the session to the driver. */
  send(line: JsonObject): void {
    const id = stringField(line, 'request_id') ?? '';
    this.#waiting.set(id, line);
    if (this.#driver !== null) this.#courier.reply(this.#driver, line);
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
    if (this.#driver !== null) this.#courier.reply(this.#driver, cancellation(requestId));
    this.#settle();
  }

  close(): void {
    this.#waiting.clear();
    this.#settle();
  }

  #settle(): void {
    if (this.#waiting.size > 0 || !this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    if (this.#driver !== null && this.#courier.isConnected(this.#driver)) {
      this.#goneAt = null;
      return;
    }
    this.#goneAt ??= this.#now();
    if (this.#now() - this.#goneAt < PATIENCE_MS) return;
    const lines = [...this.#waiting.keys()];
    this.#waiting.clear();
    this.#settle();
    const message = 'The program that could answer this is not connected any more';
    for (const id of lines) this.#refuse(refusalOf(id, new Error(message)));
  }
}

export function bringsSomething(request: JsonObject): boolean {
  return BROUGHT.some((field) => {
    const value = request[field];
    return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
  });
}
