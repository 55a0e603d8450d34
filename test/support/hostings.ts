import type { Options, Query, SDKUserMessage } from '../../src/sdk/index.ts';
import { toLaunch } from '../../src/sdk/options/to-launch.ts';
import { Channel } from '../../src/util/channel.ts';
import { messageOf } from '../../src/util/message-of.ts';
import { toArgv } from '../../src/wire/flags.ts';
import type { ControlBody } from '../../src/wire/link/peer.ts';
import type { RunConfig } from '../../src/wire/run-config.ts';
import { engine as engineModule, sdk } from './built.ts';
import { type RunningCli, startCli } from './cli.ts';
import { isResult, type Line } from './lines.ts';
import type { Place } from './place.ts';
import { eventually } from './processes.ts';
import { type ServedCli, startServer } from './serve-cli.ts';

/** A conversation with an agent, the same for every way of hosting it. */
export interface Client {
  /** Every message so far, without control lines. */
  readonly seen: Line[];
  say(text: string, fields?: object): void;
  send(line: object): void;
  interrupt(): Promise<void>;
  setModel(model: string): Promise<void>;
  setPermissionMode(mode: 'acceptEdits' | 'default'): Promise<void>;
  end(): void;
  /** How it ended, once it did. */
  readonly ended: Promise<Ending>;
}

export interface Ending {
  /** 1 when the last result was an error or the run could not start. Null where the host is not told (ruling K40). */
  failure: { exitCode: number | null; stderr: string } | null;
}

/** `launch` is what only a command line can say, for hosts that have none. */
export interface Opening {
  options?: Options;
  launch?: RunConfig;
  /** A single turn; without it the client speaks. */
  prompt?: string;
}

export interface Hosting {
  /** Called before the first `open`. */
  prepare?(place: Place): Promise<void>;
  open(place: Place, opening: Opening): Client;
  close(): Promise<void>;
}

/** `query()` with this package's command line as a subprocess. */
export function subprocessHosting(): Hosting {
  return {
    open(place, { options = {}, launch = {}, prompt }) {
      const extraArgs: Record<string, null> = launch.replayUserMessages ? { 'replay-user-messages': null } : {};
      return new SdkClient({ ...base(place), extraArgs, ...options }, prompt);
    },
    async close() {},
  };
}

/** `query()` with an engine in this process. */
export function inProcessHosting(): Hosting {
  const engine = engineModule.createEngine({ cwd: '/nonexistent' });
  const connect = engineModule.inProcess(engine);
  return {
    open(place, { options = {}, launch = {}, prompt }) {
      const transport: Options['transport'] = (given) => connect({ ...given, config: { ...given.config, ...launch } });
      return new SdkClient({ ...base(place), transport, ...options }, prompt);
    },
    close: () => engine.close(),
  };
}

/** `query()` with a server that the built command line runs, over a WebSocket. */
export function remoteHosting(): Hosting {
  const servers = new Map<Place, ServedCli>();
  return {
    async prepare(place) {
      servers.set(place, await startServer(place, ['--rate', '1000', '--setting-sources', '']));
    },
    open(place, { options = {}, launch = {}, prompt }) {
      const { url, token } = servers.get(place) ?? { url: '', token: '' };
      const connect = sdk.remote(url, { token });
      const transport: Options['transport'] = (given) => connect({ ...given, config: { ...given.config, ...launch } });
      return new SdkClient({ cwd: place.cwd, transport, ...options }, prompt);
    },
    async close() {},
  };
}

/** No SDK: a host that writes the lines itself. */
export function rawHosting(): Hosting {
  return {
    open: (place, { options = {}, launch = {}, prompt }) => {
      const config = { ...toLaunch(options).config, ...launch };
      return new RawClient(startCli(toArgv(config), { place }), options, prompt);
    },
    async close() {},
  };
}

function base(place: Place): Options {
  return { cwd: place.cwd, env: place.env };
}

class SdkClient implements Client {
  readonly seen: Line[] = [];
  readonly ended: Promise<Ending>;
  readonly #input = new Channel<SDKUserMessage>();
  readonly #query: Query;

  constructor(options: Options, prompt: string | undefined) {
    this.#query = sdk.query({ prompt: prompt ?? this.#input, options });
    this.ended = this.#read();
  }

  async #read(): Promise<Ending> {
    try {
      for await (const message of this.#query) this.seen.push(message as unknown as Line);
      return { failure: null };
    } catch (error) {
      // In this process: no exit code, but the reason that a process would have told on stderr.
      if (error instanceof sdk.RunError) return { failure: { exitCode: 1, stderr: messageOf(error.cause) } };
      if (!(error instanceof sdk.ProcessError)) throw error;
      return { failure: { exitCode: error.exitCode, stderr: error.stderr.trim() } };
    }
  }

  say(text: string, fields: object = {}): void {
    this.send({ type: 'user', message: { role: 'user', content: text }, ...fields });
  }

  send(line: object): void {
    this.#input.push(line as SDKUserMessage);
  }

  interrupt = async () => void (await this.#query.interrupt());
  setModel = (model: string) => this.#query.setModel(model);
  setPermissionMode = (mode: 'acceptEdits' | 'default') => this.#query.setPermissionMode(mode);
  end = () => this.#input.end();
}

class RawClient implements Client {
  readonly ended: Promise<Ending>;
  readonly #cli: RunningCli;
  readonly #options: Options;
  readonly #asked = new Set<Line>();

  constructor(cli: RunningCli, options: Options, prompt: string | undefined) {
    this.#cli = cli;
    this.#options = options;
    const systemPrompt = typeof options.systemPrompt === 'string' ? options.systemPrompt : '';
    // The dialect that our SDK asks for, so that the transcripts can be compared.
    this.#control({ subtype: 'initialize', systemPrompt, clientDialect: '2.1.325' });
    if (prompt !== undefined) {
      this.send({
        type: 'user',
        session_id: '',
        message: { role: 'user', content: [{ type: 'text', text: prompt }] },
        parent_tool_use_id: null,
      });
      this.end();
    }
    cli.child.stdout?.on('data', () => this.#answerQuestions());
    this.ended = this.#end();
  }

  get seen(): Line[] {
    return this.#cli.lines.filter(({ type }) => !type.startsWith('control_'));
  }

  say(text: string, fields: object = {}): void {
    this.#cli.say(text, fields);
  }

  send(line: object): void {
    this.#cli.send(line);
  }

  interrupt = () => this.#control({ subtype: 'interrupt' });
  setModel = (model: string) => this.#control({ subtype: 'set_model', model });
  setPermissionMode = (mode: string) => this.#control({ subtype: 'set_permission_mode', mode });

  end(): void {
    this.#control({ subtype: 'end_input' });
  }

  async #control(request: ControlBody): Promise<void> {
    await this.#cli.control(request).catch(() => {}); // a run that could not start answers nothing
  }

  /** As the SDK does with `canUseTool`. */
  #answerQuestions(): void {
    for (const line of this.#cli.lines) {
      if (line.type !== 'control_request' || this.#asked.has(line)) continue;
      this.#asked.add(line);
      this.#answer(line).catch(() => {});
    }
  }

  async #answer(line: Line): Promise<void> {
    const request = line.request as { tool_name: string; input: Record<string, unknown>; tool_use_id: string };
    const { signal } = new AbortController();
    const answer = await this.#options.canUseTool?.(request.tool_name, request.input, {
      signal,
      toolUseID: request.tool_use_id,
      requestId: String(line.request_id),
    });
    const response = { subtype: 'success', request_id: line.request_id, response: answer };
    this.send({ type: 'control_response', response });
  }

  async #end(): Promise<Ending> {
    const { code, stderr } = await this.#cli.finished;
    const explained = this.seen.some(isResult);
    return { failure: explained || code === 0 ? null : { exitCode: code, stderr: stderr.trim() } };
  }
}

/** Resolves with the first message that matches and that comes after the ones already waited for. */
export function watch(client: Client): (match: (line: Line) => boolean) => Promise<Line> {
  let from = 0;
  return async (match) => {
    const find = () => client.seen.findIndex((line, at) => at >= from && match(line));
    await eventually(() => find() >= 0, 15_000);
    from = find() + 1;
    return client.seen[from - 1] as Line;
  };
}
