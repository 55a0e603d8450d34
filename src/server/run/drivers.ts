import { isObject, type JsonObject } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Courier } from '../ports/courier.ts';

/** What a program brings that only it can answer. */
const BROUGHT = ['hooks', 'sdkMcpServers', 'hostTools', 'sdkMcpServerConfigs'];
const MOST = 1000;

/**
 * The program that drives each session: the connection whose `initialize` has brought something. It outlives the run of the
 * session, so that a session that is opened again asks the program that is still connected.
 */
export class Drivers {
  readonly #courier: Pick<Courier, 'isConnected'>;
  readonly #bySession = new Map<string, string>();

  constructor(courier: Pick<Courier, 'isConnected'>) {
    this.#courier = courier;
  }

  of(sessionId: string): string | null {
    return this.#bySession.get(sessionId) ?? null;
  }

  /** Before anything of the request counts. Null: it may, and it drives from now on if it brings something. */
  claim(sessionId: string, from: string, request: JsonObject): HeddleError | null {
    if (!bringsSomething(request)) return null;
    const driver = this.of(sessionId);
    const isOther = driver !== null && driver !== from && this.#courier.isConnected(driver);
    if (isOther && request.replace !== true) {
      const message = 'Another program drives the session: watch it, or send initialize with "replace": true';
      return new HeddleError('driver_connected', message);
    }
    if (this.#bySession.size >= MOST) this.#forgetGone();
    this.#bySession.set(sessionId, from);
    return null;
  }

  #forgetGone(): void {
    for (const [sessionId, driver] of this.#bySession) {
      if (!this.#courier.isConnected(driver)) this.#bySession.delete(sessionId);
    }
  }
}

export function bringsSomething(request: JsonObject): boolean {
  return BROUGHT.some((field) => {
    const value = request[field];
    return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
  });
}
