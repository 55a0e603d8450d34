import { raceAbort } from '../util/abort.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { startTimer, within } from '../util/timer.ts';
import {
  type CallOptions,
  type ClientFace,
  type McpClient,
  McpTimeout,
  type ServerList,
  type ToolCallRequest,
} from './client.ts';
import type { ConnectionsOptions, ServerDefinition } from './connections.ts';
import { RELIST_MS } from './limits.ts';
import { McpNeedsAuth } from './oauth-fetch.ts';
import { listPrompts, type McpPromptInfo } from './prompts.ts';
import type { McpToolInfo } from './server-answers.ts';

/** How it stands with a server. One that is connected anew keeps what it had until it is clear what it has now. */
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

/** Milliseconds before each attempt to get a server back that was lost; after the last it counts as failed. */
const RETRY_MS: readonly number[] = [500, 1000, 2000, 4000, 8000];
/** A server that has stayed this long gets all its attempts anew when it is lost again. */
const CALM_MS = 60_000;
/** How long a turn waits for a list that is being read again. */
const REREAD_MS = 2000;

/** A list that is being read again. */
interface Reading {
  /** It has changed once more meanwhile. */
  isStale: boolean;
  /** Settles with the request that runs now. */
  reread: Promise<void>;
}

export interface ConnectionOptions extends Omit<ConnectionsOptions, 'faceOf'> {
  face?: ClientFace | undefined;
  /** Its state is not what it was. */
  onChange(): void;
}

/** The connection to one server: made, kept, made again when it is lost, and ended. None of it ever rejects. */
export class Connection {
  readonly definition: ServerDefinition;
  readonly #options: ConnectionOptions;
  readonly #retryMs: readonly number[];
  #state: ConnectionState = { status: 'pending' };
  /** The attempt that somebody has asked for, the last one. */
  #attempt: Promise<void> = Promise.resolve();
  /** What gets a lost server back, while it is at it. */
  #recovery: Promise<void> = Promise.resolve();
  /** Ends the attempt that is running. */
  #stop = new AbortController();
  /** The lists that are being read anew, and whether they have changed again meanwhile. */
  readonly #reading = new Map<ServerList, Reading>();
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

  /** What a turn waits for: not for servers that are being got back, which would hold up every turn meanwhile. */
  get attempt(): Promise<void> {
    return this.#attempt;
  }

  /** Resolves when the lists that the server said have changed are read, or after a short while: it may be slow. */
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

  /** Resolves when nothing of it is left. */
  async disconnect(next: ConnectionState): Promise<void> {
    const { state } = this;
    this.#stop.abort(new Error('it was disconnected'));
    this.#stop = new AbortController(); // the outcome of a running attempt is nobody's any more
    this.#change(next);
    if (state.status === 'connected') await state.client.close().catch(() => {});
    await Promise.all([this.#attempt, this.#recovery]);
  }

  /** Of the connection, not of its client: a tool of a server that was connected anew goes on to work. */
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

  /** False when something else has happened meanwhile, which counts. */
  #adopt(state: ConnectionState, stop: AbortController): boolean {
    if (this.#stop === stop) this.#change(state);
    else if (state.status === 'connected') state.client.close().catch(() => {});
    return this.#stop === stop;
  }

  /** Resolves with how it went, within the time that a server has. */
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
    const { face, log } = this.#options;
    let lost = null as Error | null;
    let client = null as McpClient | null;
    const changed = new Set<ServerList>();
    client = await this.definition.open({
      ...face,
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
      await client.close().catch(() => {}); // why it failed is told already
      throw error;
    }
  }

  /** `changed`: the lists of which the server has told meanwhile that they have. */
  async #introduce(client: McpClient, changed: Set<ServerList>, signal: AbortSignal): Promise<Connected> {
    await client.initialize(signal);
    changed.clear(); // nothing was read before
    let tools = await client.listTools(signal);
    // A server whose prompts cannot be read has its tools all the same.
    const prompts = await listPrompts(client, signal).catch((error) => {
      signal.throwIfAborted();
      this.#noteUnread('prompts', error);
      return [];
    });
    if (changed.has('tools')) tools = await client.listTools(signal); // nobody would tell it again
    return { status: 'connected', client, tools, prompts };
  }

  #lose(client: McpClient, reason: Error): void {
    const { state } = this;
    if (state.status !== 'connected' || state.client !== client) return; // an attempt tells itself how it ended
    client.close().catch(() => {});
    this.#recovery = this.#recover(state, reason);
  }

  /** Tries to get a lost server back, more and more rarely, and in the end no more. */
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
   * Of resources nothing is kept: they are listed when somebody wants to know. A list is read once at a time: of two
   * answers the older could come last. A server that tells of changes all the time is asked now and then.
   */
  async #relist(list: ServerList): Promise<void> {
    if (list === 'resources') return;
    const running = this.#reading.get(list);
    if (running) {
      running.isStale = true;
      return;
    }
    const reading: Reading = { isStale: true, reread: Promise.resolve() };
    this.#reading.set(list, reading);
    while (reading.isStale && this.#state.status === 'connected') {
      reading.isStale = false;
      const { signal } = this.#stop;
      reading.reread = this.#reread(list, this.#state.client);
      await reading.reread;
      await pauseFor(RELIST_MS, signal); // what changes meanwhile is read all at once
    }
    this.#reading.delete(list);
  }

  async #reread(list: ServerList, client: McpClient): Promise<void> {
    try {
      const next = await readList(list, client, this.#stop.signal);
      // Both lists may change at once, and each is read by itself.
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

/** Settles as the work does, or rejects with the signal's own reason, whatever the work waits for. */
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
