import { raceAbort } from '../util/abort.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { Logger } from '../util/runtime.ts';
import { startTimer, within } from '../util/timer.ts';
import {
  type CallOptions,
  type ClientHandler,
  type McpClient,
  McpTimeout,
  type ServerList,
  type ToolCallRequest,
} from './client.ts';
import { RELIST_MS } from './limits.ts';
import { McpNeedsAuth } from './needs-auth.ts';
import { listPrompts, type McpPromptInfo } from './prompts.ts';
import type { McpToolInfo } from './server-answers.ts';
import type { ServerDefinition } from './server-definition.ts';

/**
 * The state of a server's connection. While a server reconnects, its earlier tools stay until the new list is known.
 */
export type ConnectionState =
  | { status: 'pending'; error?: string; tools?: readonly McpToolInfo[] }
  | { status: 'disabled' }
  | { status: 'failed' | 'needs-auth'; error: string }
  | Connected;

interface Connected {
  status: 'connected';
  client: McpClient;
  tools: readonly McpToolInfo[];
  prompts: readonly McpPromptInfo[];
}

/**
 * Milliseconds before each attempt to reconnect to a lost server; after the last attempt the server counts as failed.
 */
const RETRY_MS: readonly number[] = [500, 1000, 2000, 4000, 8000];
/** A server that has stayed connected this long gets all its attempts again when it is lost. */
const CALM_MS = 60_000;
/** How long a turn waits for a list that is being read again. */
const REREAD_MS = 2000;

/** A list that is being read again. */
interface ListReading {
  /** The list has changed once more meanwhile. */
  isStale: boolean;
  /** Settles with the current request. */
  reread: Promise<void>;
}

/** How connections behave, for all servers of a session. */
export interface ConnectingOptions {
  /** How long a server may take to connect and to list its tools, in milliseconds. */
  startupMs: number;
  log: Logger;
  /** Milliseconds before each attempt to reconnect to a lost server; for tests. */
  retryMs?: readonly number[];
}

export interface ConnectionOptions extends ConnectingOptions {
  handler?: ClientHandler | undefined;
  /** Called when the state has changed. */
  onChange(): void;
}

/**
 * The connection to one server: opens it, keeps it, reconnects when it is lost, and closes it. Its methods do not
 * reject unless they say so.
 */
export class Connection {
  readonly definition: ServerDefinition;
  readonly #options: ConnectionOptions;
  readonly #retryMs: readonly number[];
  #state: ConnectionState = { status: 'pending' };
  /** The latest attempt that a caller started. */
  #attempt: Promise<void> = Promise.resolve();
  /** The reconnection to a lost server, while it runs. */
  #recovery: Promise<void> = Promise.resolve();
  /** Aborts the running attempt. */
  #stop = new AbortController();
  /** The lists that are being read again, and whether they have changed again meanwhile. */
  readonly #reading = new Map<ServerList, ListReading>();
  #retries = 0;
  #calm: NodeJS.Timeout | undefined;

  constructor(definition: ServerDefinition, options: ConnectionOptions) {
    this.definition = definition;
    this.#options = options;
    this.#retryMs = options.retryMs ?? RETRY_MS;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /**
   * The attempt that a turn waits for. A turn does not wait for reconnections, which would delay every turn meanwhile.
   */
  get attempt(): Promise<void> {
    return this.#attempt;
  }

  /**
   * Resolves when the lists that the server has reported as changed are read, or after a short while: it may be slow.
   */
  async upToDate(): Promise<void> {
    const rereads = [...this.#reading.values()].map(({ reread }) => reread);
    if (rereads.length > 0) await within(REREAD_MS, Promise.all(rereads));
  }

  connect(): Promise<void> {
    const stop = this.#begin({ status: 'pending' });
    this.#retries = 0;
    this.#attempt = this.#try(stop).then((state) => void this.#adopt(state, stop));
    return this.#attempt;
  }

  /** Resolves when the connection is completely closed. */
  async disconnect(next: ConnectionState): Promise<void> {
    const { state } = this;
    this.#stop.abort(new Error('it was disconnected'));
    this.#stop = new AbortController(); // the outcome of a running attempt no longer counts
    this.#change(next);
    if (state.status === 'connected') await state.client.close().catch(() => {});
    await Promise.all([this.#attempt, this.#recovery]);
  }

  /** A method of the connection, not of its client: a tool keeps working after its server has reconnected. */
  async call(request: ToolCallRequest, options: CallOptions): Promise<JsonObject> {
    if (this.#state.status === 'pending') await raceAbort(Promise.all([this.#attempt, this.#recovery]), options.signal);
    const { state } = this;
    if (state.status === 'connected') return state.client.callTool(request, options);
    const why = 'error' in state ? state.error : state.status;
    throw new Error(`The MCP server ${this.definition.name} is not connected: ${why}`);
  }

  #begin(state: ConnectionState): AbortController {
    const stop = new AbortController();
    this.#stop = stop;
    this.#change(state);
    return stop;
  }

  #change(state: ConnectionState): void {
    const { log, onChange } = this.#options;
    const { name } = this.definition;
    clearTimeout(this.#calm);
    this.#state = state;
    if (state.status === 'failed') log('warn', `The MCP server ${name} failed: ${state.error}`);
    if (state.status === 'needs-auth') log('warn', `The MCP server ${name} cannot be used yet: ${state.error}`);
    if (state.status === 'connected') {
      this.#calm = startTimer(CALM_MS, () => {
        this.#retries = 0;
      }).unref();
    }
    onChange();
  }

  /** Sets the state. False when a newer attempt or a disconnect has replaced this one. */
  #adopt(state: ConnectionState, stop: AbortController): boolean {
    if (this.#stop === stop) this.#change(state);
    else if (state.status === 'connected') state.client.close().catch(() => {});
    return this.#stop === stop;
  }

  /** Resolves with the outcome, within the server's time limit. */
  async #try(stop: AbortController): Promise<ConnectionState> {
    const { startupMs } = this.#options;
    const timer = startTimer(startupMs, () => stop.abort(new McpTimeout(`it did not answer within ${startupMs} ms`)));
    try {
      return await this.#open(stop.signal);
    } catch (error) {
      return { status: error instanceof McpNeedsAuth ? 'needs-auth' : 'failed', error: messageOf(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  async #open(signal: AbortSignal): Promise<Connected> {
    const { handler, log } = this.#options;
    let lost = null as Error | null;
    let client = null as McpClient | null;
    const changed = new Set<ServerList>();
    client = await this.definition.open({
      ...handler,
      onListChanged: (list) => {
        changed.add(list);
        void this.#relist(list);
      },
      onLeftOut: (what) => log('warn', `The MCP server ${this.definition.name} ${what}`),
      onLost: (reason) => {
        lost = reason;
        if (client) this.#lose(client, reason);
      },
    });
    try {
      const state = await aborting(this.#introduce(client, changed, signal), signal);
      if (lost) throw lost;
      return state;
    } catch (error) {
      await client.close().catch(() => {}); // the reason of the failure is already reported
      throw error;
    }
  }

  /** `changed`: the lists that the server has reported as changed meanwhile. */
  async #introduce(client: McpClient, changed: Set<ServerList>, signal: AbortSignal): Promise<Connected> {
    await client.initialize(signal);
    changed.clear(); // nothing was read before
    let tools = await client.listTools(signal);
    // A server whose prompts cannot be read still has its tools.
    const prompts = await listPrompts(client, signal).catch((error) => {
      signal.throwIfAborted();
      this.#noteUnread('prompts', error);
      return [];
    });
    if (changed.has('tools')) tools = await client.listTools(signal); // the server would not report this change again
    return { status: 'connected', client, tools, prompts };
  }

  #lose(client: McpClient, reason: Error): void {
    const { state } = this;
    if (state.status !== 'connected' || state.client !== client) return; // an attempt reports its own end
    client.close().catch(() => {});
    this.#recovery = this.#recover(state, reason);
  }

  /** Tries to reconnect to a lost server, at growing intervals, and finally gives up. */
  async #recover({ tools }: Connected, reason: Error): Promise<void> {
    const { log } = this.#options;
    const { name } = this.definition;
    let next: ConnectionState = {
      status: reason instanceof McpNeedsAuth ? 'needs-auth' : 'failed',
      error: messageOf(reason),
    };
    while (next.status === 'failed') {
      const { error } = next;
      const pause = this.#retryMs[this.#retries++];
      if (pause === undefined) {
        const attempts = `${this.#retryMs.length} attempts to connect it again`;
        this.#change({ status: 'failed', error: `${error} (given up after ${attempts})` });
        return;
      }
      const stop = this.#begin({ status: 'pending', error, tools });
      log('warn', `The MCP server ${name} was lost: ${error}. It is connected again in ${pause} ms.`);
      await pauseFor(pause, stop.signal);
      if (this.#stop !== stop) return;
      next = await this.#try(stop);
      if (next.status !== 'failed' || this.#stop !== stop) {
        if (this.#adopt(next, stop)) log('info', `The MCP server ${name} is back: ${next.status}`);
        return;
      }
    }
    this.#change(next);
  }

  /**
   * Reads a changed list again. Resources are not cached: they are listed on request. Only one reading of a list runs
   * at a time, because an older answer could arrive last, and a server that reports changes constantly is asked at
   * intervals.
   */
  async #relist(list: ServerList): Promise<void> {
    if (list === 'resources') return;
    const running = this.#reading.get(list);
    if (running) {
      running.isStale = true;
      return;
    }
    const reading: ListReading = { isStale: true, reread: Promise.resolve() };
    this.#reading.set(list, reading);
    while (reading.isStale && this.#state.status === 'connected') {
      reading.isStale = false;
      const { signal } = this.#stop;
      reading.reread = this.#reread(list, this.#state.client);
      await reading.reread;
      await pauseFor(RELIST_MS, signal); // collects the changes of this time into one reading
    }
    this.#reading.delete(list);
  }

  async #reread(list: ServerList, client: McpClient): Promise<void> {
    try {
      const next = await readList(list, client, this.#stop.signal);
      // Both lists may change at once, and each is read separately.
      const { state: now } = this;
      if (now.status === 'connected' && now.client === client) this.#change({ ...now, ...next });
    } catch (error) {
      this.#noteUnread(list, error);
    }
  }

  #noteUnread(list: ServerList, error: unknown): void {
    const { name } = this.definition;
    this.#options.log('warn', `The ${list} of the MCP server ${name} could not be read: ${messageOf(error)}`);
  }
}

async function readList(list: ServerList, client: McpClient, signal: AbortSignal): Promise<Partial<Connected>> {
  return list === 'tools' ? { tools: await client.listTools(signal) } : { prompts: await listPrompts(client, signal) };
}

/** Settles as the work does, or rejects with the signal's reason as soon as it aborts. */
function aborting<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Resolves also when the signal aborts. */
function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const onEnd = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onEnd);
      resolve();
    };
    const timer = startTimer(ms, onEnd);
    if (signal.aborted) onEnd();
    else signal.addEventListener('abort', onEnd);
  });
}
