import { count } from '../util/checks.ts';
import { isObject } from '../util/json.ts';
import { badOption } from '../wire/check-named.ts';
import type { InitializeResponse } from '../wire/control/index.ts';
import { HeddleError, NotConnectedError } from '../wire/errors.ts';
import type { McpServerStatus } from '../wire/mcp.ts';
import type { SDKMessage } from '../wire/messages/sdk.ts';
import type { Connect } from '../wire/run-config.ts';
import type { ExitInfo, Transport } from '../wire/transport.ts';
import { checkOptions, checkPrompt } from './check-options.ts';
import { Connection } from './connection.ts';
import { Controls } from './controls.ts';
import { MessageLog, type SequencedMessage } from './message-log.ts';
import { readMessages } from './message-reader.ts';
import type { GivenOptions } from './options.ts';
import type { PromptStream } from './query.ts';
import { userMessage } from './user-message.ts';

const HISTORY_SIZE = 10_000;

/** Options of the client: those of `query`, and how much it remembers. */
export interface ClientOptions<Output = unknown> extends GivenOptions<Output> {
  /** How many messages are kept for subscribers that come late or read slowly. Default: 10,000. */
  historySize?: number;
}

interface Live {
  connection: Connection;
  log: MessageLog;
  serverInfo: InitializeResponse | null;
  /** Where `receiveMessages` and `receiveResponse` begin: behind what the last of them has read. */
  read: number;
}

/**
 * A connection to an agent that stays open: send prompts at any time, and read what it says in as many places as you
 * like. Every reader gets every message in order; a slow one holds up nobody. Options are checked here (throws
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

  /** `transport` takes the place of a subprocess: one that is not connected yet, or what makes one for each `connect`. */
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

  /** The agent's process, while there is one. */
  get pid(): number | undefined {
    return this.#live?.connection.pid;
  }

  /**
   * Starts the agent and waits until it is ready. A stream is sent in the background. A text is not sent: `query` does
   * that, when somebody is there to read the answer.
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

  /** Sends a prompt, or all of a stream; resolves when it is on its way. The answer comes to the readers. */
  async query(prompt: string | PromptStream, sessionId = 'default'): Promise<void> {
    const { connection } = this.#connected();
    checkPrompt(prompt);
    if (typeof prompt === 'string') await connection.send(userMessage(prompt, sessionId));
    else await connection.sendAll(prompt);
  }

  /** Every message from now until the agent ends: from where the last `receive…` has stopped. */
  receiveMessages(): AsyncGenerator<SDKMessage<Output>, void> {
    return this.#receive(() => false);
  }

  /** Every message up to the next result, which is the last one: from where the last `receive…` has stopped. */
  receiveResponse(): AsyncGenerator<SDKMessage<Output>, void> {
    return this.#receive(({ message }) => message.type === 'result');
  }

  /**
   * Every message with its number, from number `from` on; without one, from the oldest that is kept. Whoever comes back
   * goes on with the number after its last. Rejects with `fell_behind` when a message is not kept any more.
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

  /** What the agent has said of itself, kept from the start; null while not connected. */
  async getServerInfo(): Promise<InitializeResponse | null> {
    return this.#live?.serverInfo ?? null;
  }

  /** The MCP servers, and how they are. */
  getMcpStatus(): Promise<McpServerStatus[]> {
    return this.mcpServerStatus();
  }

  /** Rejects while not connected, and never throws. */
  override async initializationResult(): Promise<InitializeResponse> {
    return super.initializationResult();
  }

  /** Ends the input, then the agent; readers finish. Does nothing while not connected. */
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
