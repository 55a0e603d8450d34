import type { JsonObject } from '../util/json.ts';
import type { ControlBody, PeerOptions } from '../wire/peer.ts';

type Handlers = Required<Pick<PeerOptions, 'onRequest' | 'onMessage' | 'onBadLine'>>;

/** What has come first: a request, or anything else. */
export type FirstLine = { request: ControlBody } | { request: null };

/**
 * Takes what comes over a connection before there is a session to answer it: it waits, in order, until one is there.
 * Needed where the session cannot be opened without the connection: its store lies behind it, or its plugins and managed
 * settings come with the first request.
 */
export class Reception {
  #handlers: Handlers | null = null;
  #tellFirst: (line: FirstLine) => void = () => {};
  /** Resolves with the first line that comes. */
  readonly first = new Promise<FirstLine>((resolve) => {
    this.#tellFirst = resolve;
  });
  readonly #waiting: ((handlers: Handlers) => Promise<void> | undefined)[] = [];

  get handlers(): Handlers {
    return { onRequest: this.#onRequest, onMessage: this.#onMessage, onBadLine: this.#onBadLine };
  }

  readonly #onRequest: Handlers['onRequest'] = (request, context) => {
    this.#tellFirst({ request });
    if (this.#handlers) return this.#handlers.onRequest(request, context);
    return new Promise((resolve, reject) => {
      this.#waiting.push((handlers) => {
        // At once and not awaited, as it would have been: its effect is in order, its answer may come later.
        Promise.resolve()
          .then(() => handlers.onRequest(request, context))
          .then(resolve, reject);
        return undefined;
      });
    });
  };

  readonly #onMessage: Handlers['onMessage'] = (line: JsonObject) => {
    this.#tellFirst({ request: null });
    if (this.#handlers) return this.#handlers.onMessage(line);
    this.#waiting.push((handlers) => handlers.onMessage(line));
    return undefined;
  };

  readonly #onBadLine: Handlers['onBadLine'] = (error) => {
    this.#tellFirst({ request: null });
    if (this.#handlers) this.#handlers.onBadLine(error);
    else this.#waiting.push((handlers) => void handlers.onBadLine(error));
  };

  /** Hands over what has waited. What comes meanwhile waits behind it. */
  async open(handlers: Handlers): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await next(handlers);
    this.#handlers = handlers;
  }
}
