import { Channel } from '../util/channel.ts';
import { HeddleError } from '../wire/errors.ts';
import type { ExitInfo } from '../wire/link/transport.ts';
import type { SDKMessage, SDKResultMessage, SDKUserMessage } from '../wire/messages/sdk.ts';
import { Connection } from './connection.ts';
import { type ControlMethods, Controls } from './controls.ts';
import { checkOptions, checkParameters, checkPrompt } from './options/check-options.ts';
import type { GivenOptions } from './options/options.ts';
import { textsOf } from './text-stream.ts';
import { userMessage } from './user-message.ts';

/** The messages of a conversation, one after the other: texts, and messages with more than a text. */
export type PromptStream = AsyncIterable<string | SDKUserMessage>;

/** Further properties of a run, in addition to its messages. */
export interface TextRun<Output = unknown> {
  /**
   * The text of the answer as it arrives, instead of the messages: iterate over one of the two. Thoughts, tool calls
   * and messages of subagents are left out; a blank line separates two blocks.
   *
   * Taking it turns partial messages on. Text from before that, and of an agent without partial messages, comes block
   * by block, unless `includePartialMessages` is set.
   *
   * Throws FailedResultError at a result that is an error, an interrupt included, and rejects as the messages do.
   *
   * @example
   * ```ts
   * const run = query({ prompt: 'What is in this directory?' });
   * for await (const text of run.textStream) process.stdout.write(text);
   * console.log(`\n$${run.result?.total_cost_usd}`);
   * ```
   */
  readonly textStream: AsyncIterable<string>;
  /** The last result that was read from this run; null before. */
  readonly result: SDKResultMessage<Output> | null;
}

/**
 * A running query: its messages, and control over its agent. Use one reader at a time: two readers would each get a
 * part of the messages.
 */
export interface Query<Output = unknown>
  extends AsyncGenerator<SDKMessage<Output>, void>,
    ControlMethods,
    TextRun<Output> {
  /** The agent's process id, once it runs; undefined where there is no process. */
  readonly pid: number | undefined;
  /** Sends more messages; resolves when they are written. */
  streamInput(stream: PromptStream): Promise<void>;
  /** Ends the agent by force and resolves with its exit. The iterator finishes. */
  close(): Promise<ExitInfo>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Runs an agent on a prompt.
 * - It starts at once, after a check of the options (throws `invalid_option`).
 * - A string is one turn; an iterable is a conversation that lasts until the iterable ends and all its messages are
 *   answered. Every result is delivered.
 * - The iterator rejects with ProcessError when the agent dies without a result, and with AbortError when the caller's
 *   abortController fires; breaking out of the loop ends the agent.
 *
 * @example
 * ```ts
 * for await (const message of query({ prompt: 'What is in this directory?' })) {
 *   if (message.type === 'result') console.log(successOf(message).result);
 * }
 * ```
 */
export function query<Output = unknown>(parameters: {
  prompt: string | PromptStream;
  options?: GivenOptions<Output>;
}): Query<Output> {
  checkParameters(parameters);
  const { prompt, options = {} } = parameters;
  checkOptions(options);
  if (!(prompt === '' && options.continueTurn)) checkPrompt(prompt);
  const run = new Run<Output>(options);
  run.begin(prompt, { continues: options.continueTurn === true });
  return run;
}

/** A started agent; `begin` gives it its prompt, once. */
export class Run<Output = unknown> extends Controls implements Query<Output> {
  readonly #messages = new Channel<SDKMessage>();
  readonly #connection: Connection;
  readonly #iterator: AsyncGenerator<SDKMessage<Output>, void>;
  #streams = 0;
  #inputEnded = false;
  #result: SDKResultMessage<Output> | null = null;

  constructor(options: GivenOptions<Output>) {
    super();
    this.#connection = new Connection(options, this.#messages);
    this.#iterator = this.#iterate({ withPartials: false });
  }

  begin(prompt: string | PromptStream, { continues = false } = {}): void {
    const stream = typeof prompt === 'string' ? (prompt === '' ? none() : once(userMessage(prompt))) : prompt;
    const begun = continues ? this.#continue(stream) : this.streamInput(stream);
    begun.catch((error) => this.#connection.failWithAgent(error));
  }

  async #continue(rest: PromptStream): Promise<void> {
    await this.#connection.continueTurn();
    await this.streamInput(rest);
  }

  get pid(): number | undefined {
    return this.#connection.pid;
  }

  get result(): SDKResultMessage<Output> | null {
    return this.#result;
  }

  get textStream(): AsyncIterable<string> {
    this.#connection.wantPartials();
    return textsOf(this.#iterate({ withPartials: true }));
  }

  next(): Promise<IteratorResult<SDKMessage<Output>, void>> {
    return this.#iterator.next();
  }

  /** A generator that was never started would skip its `finally` and leave the agent running. */
  async return(): Promise<IteratorResult<SDKMessage<Output>, void>> {
    await this.close();
    return this.#iterator.return();
  }

  async throw(error: unknown): Promise<IteratorResult<SDKMessage<Output>, void>> {
    await this.close();
    return this.#iterator.throw(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async *#iterate({ withPartials }: { withPartials: boolean }): AsyncGenerator<SDKMessage<Output>, void> {
    try {
      for await (const message of this.#messages) {
        if (!withPartials && this.#connection.isUnaskedPartial(message)) continue;
        if (message.type === 'result') this.#result = message as SDKResultMessage<Output>;
        yield message as SDKMessage<Output>;
      }
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
      // Also when the source of the messages failed: the agent still answers the messages that were sent.
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

async function* none(): AsyncGenerator<never, void> {}

async function* once<T>(value: T): AsyncGenerator<T, void> {
  yield value;
}
