import type { JsonObject } from '../../util/json.ts';
import type { PeerOptions } from '../../wire/link/peer.ts';
import type { FirstLine } from '../control/initialize-first.ts';

type Handlers = Required<Pick<PeerOptions, 'onRequest' | 'onMessage' | 'onBadLine'>>;

/**
 * Holds the lines that come over a connection before there is a session, in order. Needed where opening the session needs
 * the connection: the host has its store, or the first request brings plugins and managed settings.
 */
export class EarlyLines {
  #handlers: Handlers | null = null;
  #announceFirst: (line: FirstLine) => void = () => {};
  /** Resolves with the first line. */
  readonly first = new Promise<FirstLine>((resolve) => {
    this.#announceFirst = resolve;
  });
  readonly #waiting: ((handlers: Handlers) => Promise<void> | undefined)[] = [];

  get handlers(): Handlers {
    return { onRequest: this.#onRequest, onMessage: this.#onMessage, onBadLine: this.#onBadLine };
  }

  readonly #onRequest: Handlers['onRequest'] = (request, context) => {
    this.#announceFirst({ request });
    if (this.#handlers) return this.#handlers.onRequest(request, context);
    return new Promise((resolve, reject) => {
      this.#waiting.push((handlers) => {
        // Not awaited, as with a session: requests take effect in order, and their answers may come later.
        Promise.resolve()
          .then(() => handlers.onRequest(request, context))
          .then(resolve, reject);
        return undefined;
      });
    });
  };

  readonly #onMessage: Handlers['onMessage'] = (line: JsonObject) => {
    this.#announceFirst({ request: null });
    if (this.#handlers) return this.#handlers.onMessage(line);
    this.#waiting.push((handlers) => handlers.onMessage(line));
    return undefined;
  };

  readonly #onBadLine: Handlers['onBadLine'] = (error) => {
    this.#announceFirst({ request: null });
    if (this.#handlers) this.#handlers.onBadLine(error);
    else this.#waiting.push((handlers) => void handlers.onBadLine(error));
  };

  /** Hands over the lines that have waited. Lines that come meanwhile wait behind them. */
  async open(handlers: Handlers): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await next(handlers);
    this.#handlers = handlers;
  }
}
