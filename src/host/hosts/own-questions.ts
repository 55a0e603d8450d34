import { type JsonObject, stringField } from '../../util/json.ts';
import { startTimer } from '../../util/timer.ts';
import type { AttachedHost } from './attached-host.ts';
import { cancellation } from './hub-frames.ts';

/** Questions about the session itself, such as who may join, for the host that owns it. */
export class OwnQuestions {
  readonly #newId: () => string;
  readonly #open = new Map<string, { host: AttachedHost; settle: (answer: string | null) => void }>();

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** Resolves with the action of the answer; null: there was none in this time. */
  ask(host: AttachedHost, message: string, ms: number): Promise<string | null> {
    const id = `hosts:${this.#newId()}`;
    const about = { mcp_server_name: 'heddle', message, mode: 'form', requested_schema: NO_FIELDS };
    return new Promise((resolve) => {
      const settle = (answer: string | null) => {
        clearTimeout(timer);
        this.#open.delete(id);
        resolve(answer);
      };
      const timer = startTimer(ms, () => {
        host.send(cancellation(id), 0);
        settle(null);
      });
      this.#open.set(id, { host, settle });
      host.send({ type: 'control_request', request_id: id, request: { subtype: 'elicitation', ...about } }, 0);
    });
  }

  /** Whether the response answers one of them. */
  answered(host: AttachedHost, id: string, response: JsonObject): boolean {
    const question = this.#open.get(id);
    if (question?.host !== host) return false;
    question.settle(stringField(response.response, 'action') ?? 'cancel');
    return true;
  }

  /** The host is gone: nobody is there to refuse. */
  left(host: AttachedHost): void {
    for (const question of [...this.#open.values()]) if (question.host === host) question.settle('accept');
  }
}

const NO_FIELDS = { type: 'object', properties: {} };

/** Requests of the process that has the session, for the session. */
export class OwnRequests {
  readonly #newId: () => string;
  readonly #open = new Map<string, (response: JsonObject) => void>();

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  add(request: JsonObject): { frame: JsonObject; answer: Promise<JsonObject> } {
    const id = `hosts:${this.#newId()}`;
    const answer = new Promise<JsonObject>((resolve) => this.#open.set(id, resolve));
    return { frame: { type: 'control_request', request_id: id, request }, answer };
  }

  answered(id: string, response: JsonObject): void {
    this.#open.get(id)?.(response);
    this.#open.delete(id);
  }
}
