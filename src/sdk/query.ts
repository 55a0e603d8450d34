import { Channel } from '../util/channel.ts';
import { HeddleError } from '../wire/errors.ts';
import type { SDKMessage, SDKUserMessage } from '../wire/messages/sdk.ts';
import type { ExitInfo } from '../wire/transport.ts';
import { checkOptions, checkPrompt } from './check-options.ts';
import { Connection } from './connection.ts';
import { type ControlMethods, Controls } from './controls.ts';
import type { Options } from './options.ts';
import { userMessage } from './user-message.ts';

export type PromptStream = AsyncIterable<SDKUserMessage>;

/** A running query: its messages, and control over the agent behind it. */
export interface Query extends AsyncGenerator<SDKMessage, void>, ControlMethods {
  /** The agent's process, once it runs; undefined where there is none. */
  readonly pid: number | undefined;
  /** Feeds more messages; resolves when they are written. */
  streamInput(stream: PromptStream): Promise<void>;
  /** Ends the agent by force and tells how it ended. The iterator finishes. */
  close(): Promise<ExitInfo>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Runs an agent on a prompt. It starts at once; options are checked before (throws `invalid_option`). A string is one
 * turn; an iterable is a conversation that lasts until it ends and everything it asked for is answered. Every result is
 * delivered. The iterator rejects with ProcessError when the agent dies without one, and with AbortError when the
 * caller's abortController fires; breaking out of the loop ends the agent.
 *
 * @example
 * ```ts
 * for await (const message of query({ prompt: 'What is in this directory?' })) {
 *   if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
 * }
 * ```
 */
export function query({ prompt, options = {} }: { prompt: string | PromptStream; options?: Options }): Query {
  checkPrompt(prompt);
  checkOptions(options);
  const run = new Run(options);
  run.begin(prompt);
  return run;
}

/** An agent that is started; `begin` gives it what to answer, once. */
export class Run extends Controls implements Query {
  readonly #messages = new Channel<SDKMessage>();
  readonly #connection: Connection;
  readonly #iterator: AsyncGenerator<SDKMessage, void>;
  #streams = 0;
  #inputEnded = false;

  constructor(options: Options) {
    super();
    this.#connection = new Connection(options, this.#messages);
    this.#iterator = this.#iterate();
  }

  begin(prompt: string | PromptStream): void {
    this.streamInput(typeof prompt === 'string' ? once(userMessage(prompt)) : prompt).catch((error) =>
      this.#connection.failWithAgent(error),
    );
  }

  get pid(): number | undefined {
    return this.#connection.pid;
  }

  next(): Promise<IteratorResult<SDKMessage, void>> {
    return this.#iterator.next();
  }

  /** A generator that was never started would skip its `finally` and leave the agent running. */
  async return(): Promise<IteratorResult<SDKMessage, void>> {
    await this.close();
    return this.#iterator.return();
  }

  async throw(error: unknown): Promise<IteratorResult<SDKMessage, void>> {
    await this.close();
    return this.#iterator.throw(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async *#iterate(): AsyncGenerator<SDKMessage, void> {
    try {
      yield* this.#messages;
    } finally {
      await this.close();
    }
  }

  async streamInput(stream: PromptStream): Promise<void> {
    if (this.#inputEnded) throw new HeddleError('closed', 'The input of this query has ended; start another query');
    this.#streams++;
    try {
      await this.#connection.sendAll(stream);
    } finally {
      // Also when the source of the messages failed: what was sent is still answered.
      this.#streams--;
      if (this.#streams === 0) await this.#endInput();
    }
  }

  async #endInput(): Promise<void> {
    this.#inputEnded = true;
    await this.#connection.endInput();
  }

  close(): Promise<ExitInfo> {
    return this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  protected connection(): Connection {
    return this.#connection;
  }
}

async function* once<T>(value: T): AsyncGenerator<T, void> {
  yield value;
}
