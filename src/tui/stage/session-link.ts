import type { Aborted } from '../../util/abort.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { ControlRequestFrame } from '../../wire/link/frames.ts';
import { type ControlBody, Peer, type RequestContext } from '../../wire/link/peer.ts';
import type { ExitInfo, Transport } from '../../wire/link/transport.ts';

export interface LinkOptions {
  newId: () => string;
  /** A line that is not control. */
  onLine: (line: JsonObject) => void;
  /** A question for the person; `answer` settles it. */
  onQuestion: (request: ControlRequestFrame) => void;
  /** A question that needs no answer any more; `answeredBy`: the host that was quicker, where the session tells it. */
  onWithdrawn: (requestId: string, answeredBy: string | null) => void;
  onClosed: (exit: ExitInfo) => void;
}

/** The questions that a terminal can put to a person. */
const QUESTIONS: ReadonlySet<string> = new Set(['can_use_tool', 'elicitation']);

/** How long a session that was asked to end may take. */
const END_MS = 4000;

/** The terminal's end of the protocol: the same lines and requests as any host has. */
export class SessionLink {
  readonly #transport: Transport;
  readonly #peer: Peer;
  readonly #open = new Map<string, (answer: JsonObject) => void>();

  constructor(transport: Transport, options: LinkOptions) {
    this.#transport = transport;
    this.#peer = new Peer(transport, {
      newId: options.newId,
      onMessage(line) {
        options.onLine(line);
        return undefined;
      },
      onRequest: (request, context) => this.#ask(request, context, options),
    });
    this.#peer.done.then(() => transport.exit).then(options.onClosed);
  }

  /** Rejects where the session could not be opened. */
  async initialize(): Promise<JsonObject> {
    const answer = await this.#peer.call({ subtype: 'initialize', permissionPreviews: true });
    return isObject(answer) ? answer : {};
  }

  async send(message: JsonObject): Promise<void> {
    await this.#peer.send(message);
  }

  /** `signal` withdraws the request. */
  async call(request: ControlBody, options: { signal?: AbortSignal } = {}): Promise<JsonObject> {
    const answer = await this.#peer.call(request, options);
    return isObject(answer) ? answer : {};
  }

  /** The person's answer. False: nobody waits for it any more. */
  answer(requestId: string, body: JsonObject): boolean {
    const settle = this.#open.get(requestId);
    this.#open.delete(requestId);
    settle?.(body);
    return settle !== undefined;
  }

  /** No more prompts follow. Resolves when the session has ended, by itself or by force. */
  async end(): Promise<ExitInfo> {
    this.#transport.endInput();
    const timer = setTimeout(() => void this.#transport.close(), END_MS);
    try {
      return await this.#transport.exit;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<ExitInfo> {
    return this.#transport.close();
  }

  #ask(request: ControlBody, { requestId, signal }: RequestContext, options: LinkOptions): Promise<JsonObject> {
    if (!QUESTIONS.has(request.subtype)) {
      throw new HeddleError('not_supported', `The terminal cannot answer ${request.subtype}`);
    }
    return new Promise((resolve) => {
      this.#open.set(requestId, resolve);
      signal.addEventListener('abort', () => {
        // The class may be another bundle's copy: its kind tells what it is.
        const { kind, message = '' } = (signal.reason ?? {}) as Partial<Aborted>;
        const by = kind === 'superseded' ? message : null;
        if (this.#open.delete(requestId)) options.onWithdrawn(requestId, by);
      });
      options.onQuestion({ type: 'control_request', request_id: requestId, request });
    });
  }
}
