import { count } from '../util/checks.ts';
import { isObject } from '../util/json.ts';
import { badOption } from '../wire/check-named.ts';
import type { InitializeResponse } from '../wire/control/index.ts';
import { HeddleError, NotConnectedError } from '../wire/errors.ts';
import type { ExitInfo, Transport } from '../wire/link/transport.ts';
import type { McpServerStatus } from '../wire/mcp.ts';
import type { SDKMessage } from '../wire/messages/sdk.ts';
import type { Connect } from '../wire/run-config.ts';
import { Connection } from './connection.ts';
import { Controls } from './controls.ts';
import { MessageLog, type SequencedMessage } from './message-log.ts';
import { readMessages } from './message-reader.ts';
import { checkOptions, checkPrompt } from './options/check-options.ts';
import type { GivenOptions } from './options/options.ts';
import type { PromptStream } from './query.ts';
import { userMessage } from './user-message.ts';

const HISTORY_SIZE = 10_000;

/** Options of the client: those of `query`, and the size of its history. */
export interface ClientOptions<Output = unknown> extends GivenOptions<Output> {
  /** How many messages the client stores for subscribers that come late or read slowly. Default: 10,000. */
  historySize?: number;
}

interface Live {
  connection: Connection;
  log: MessageLog;
  serverInfo: InitializeResponse | null;
  /** Where `receiveMessages` and `receiveResponse` begin: after the last message that one of them read. */
  read: number;
}

/**
 * A connection to an agent that stays open: send prompts at any time, and read the messages in any number of places.
 * Every reader gets every message in order; a slow reader delays no other. The constructor checks the options (throws
 * `invalid_option`); everything but `connect` and `getServerInfo` rejects with NotConnectedError while not connected.
 *
 * @example
 * ```ts
 * const client = new HeddleClient({ model: 'sonnet' });
 * await client.connect();
 * await client.query('What is in this directory?');
 * for await (const message of client.receiveResponse()) console.log(message.type);
 * await client.disconnect();
 * ```
 */
export class HeddleClient<Output = unknown> extends Controls {
  readonly #options: GivenOptions;
  readonly #historySize: number;
  #live: Live | null = null;

  /**
   * `transport` replaces the subprocess: a transport that is not connected yet, or a function that makes one for each
   * `connect`.
   */
  constructor(given: ClientOptions<Output> = {}, transport?: Transport | Connect) {
    super();
    if (!isObject(given)) checkOptions(given);
    const { historySize = HISTORY_SIZE, ...options } = given;
    checkOptions(options);
    if (!(Number.isInteger(historySize) && historySize > 0)) {
      throw badOption('historySize', `options.historySize ${count(historySize)?.says}`);
    }
    this.#historySize = historySize;
    this.#options = transport ? { ...options, transport: toConnect(transport) } : options;
  }

  /** The agent's process id, while the agent runs. */
  get pid(): number | undefined {
    return this.#live?.connection.pid;
  }

  /**
   * Starts the agent and waits until it is ready. A stream is sent in the background. A text is not sent: call `query`
   * with it when a reader for the answer exists.
   */
  async connect(prompt?: string | PromptStream): Promise<void> {
    if (prompt !== undefined) checkPrompt(prompt);
    if (this.#live) throw new HeddleError('other', 'This client is connected already: call disconnect() first');
    const log = new MessageLog(this.#historySize);
    const connection = new Connection(this.#options, log);
    const live: Live = { connection, log, serverInfo: null, read: 1 };
    this.#live = live;
    try {
      live.serverInfo = await connection.initialized;
    } catch (error) {
      await this.disconnect();
      throw error;
    }
    if (typeof prompt === 'object') connection.sendAll(prompt).catch((error) => connection.failWithAgent(error));
  }

  /** Sends a prompt, or all of a stream; resolves when it is sent. The readers get the answer. */
  async query(prompt: string | PromptStream, sessionId = 'default'): Promise<void> {
    const { connection } = this.#connected();
    checkPrompt(prompt);
    if (typeof prompt === 'string') await connection.send(userMessage(prompt, sessionId));
    else await connection.sendAll(prompt);
  }

  /** Every message until the agent ends, beginning where the last `receive…` stopped. */
  receiveMessages(): AsyncGenerator<SDKMessage<Output>, void> {
    return this.#receive(() => false);
  }

  /** Every message up to the next result, which is the last one, beginning where the last `receive…` stopped. */
  receiveResponse(): AsyncGenerator<SDKMessage<Output>, void> {
    return this.#receive(({ message }) => message.type === 'result');
  }

  /**
   * Every message with its number, beginning at number `from`; without `from`, at the oldest stored message. A reader
   * that returns passes the number after its last message. Rejects with `fell_behind` when a message is no longer
   * stored.
   */
  subscribe({ from }: { from?: number } = {}): AsyncGenerator<SequencedMessage, void> {
    return readMessages({
      open: () => {
        const { log } = this.#connected();
        return { log, from: from ?? log.oldest };
      },
      show: (item) => item,
    });
  }

  #receive(isLast: (item: SequencedMessage) => boolean): AsyncGenerator<SDKMessage<Output>, void> {
    let live: Live | null = null;
    return readMessages({
      open: () => {
        live = this.#connected();
        return { log: live.log, from: live.read };
      },
      show: ({ message }) => message as SDKMessage<Output>,
      isLast,
      onLeave: (next) => {
        if (live) live.read = Math.max(live.read, next);
      },
    });
  }

  /** The agent's answer to `initialize`; null while not connected. */
  async getServerInfo(): Promise<InitializeResponse | null> {
    return this.#live?.serverInfo ?? null;
  }

  /** The MCP servers, each with its status. */
  getMcpStatus(): Promise<McpServerStatus[]> {
    return this.mcpServerStatus();
  }

  /** Rejects while not connected; it never throws synchronously. */
  override async initializationResult(): Promise<InitializeResponse> {
    return super.initializationResult();
  }

  /** Ends the input, then the agent; the readers finish. Does nothing while not connected. */
  async disconnect(): Promise<ExitInfo | null> {
    const live = this.#live;
    this.#live = null;
    return live ? live.connection.shutDown() : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnect();
  }

  protected connection(): Connection {
    return this.#connected().connection;
  }

  #connected(): Live {
    if (!this.#live) throw new NotConnectedError();
    return this.#live;
  }
}

function toConnect(transport: Transport | Connect): Connect {
  return typeof transport === 'function' ? transport : () => transport;
}
