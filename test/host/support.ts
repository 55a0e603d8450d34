import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../src/host/create-engine.ts';
import type { Engine, EngineOptions } from '../../src/host/engine/engine.ts';
import { inProcess } from '../../src/host/serve/in-process.ts';
import type { ModelRequest } from '../../src/model/model.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { createMemoryStore } from '../../src/sessions/stores/memory-store.ts';
import type { Script } from '../../src/testing/script.ts';
import { type ScriptedModel, scriptedModel } from '../../src/testing/scripted-model.ts';
import { isObject, type JsonObject, stringField } from '../../src/util/json.ts';
import type { Entry } from '../../src/wire/entries.ts';
import type { ExitInfo, Transport } from '../../src/wire/link/transport.ts';
import type { ResultMessage } from '../../src/wire/messages/index.ts';
import type { Launch, RunConfig } from '../../src/wire/run-config.ts';
import { afterTest } from '../support/after-test.ts';

export function tempDir(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-host-')));
  afterTest(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** An engine in a temporary project, with a scripted model and a store in memory, and clients for it. */
export interface House {
  engine: Engine;
  model: ScriptedModel;
  store: SessionStore;
  /** The project's directory. */
  dir: string;
  logs: { level: string; message: string }[];
  /** Opens a session; `answer` is what the client says to permission questions. */
  connect(config?: RunConfig, options?: ConnectOptions): Client;
  file(name: string, content: string): string;
  entries(sessionId: string): Promise<Entry[]>;
}

export interface ConnectOptions extends Partial<Omit<Launch, 'config'>> {
  answer?: Answer;
}

export type Answer = (request: JsonObject) => unknown;

export function createHouse(
  script: Script<ModelRequest>,
  options: Partial<Omit<EngineOptions, 'store'>> & { store?: SessionStore } = {},
): House {
  const base = tempDir();
  const dir = join(base, 'project');
  mkdirSync(dir);
  const store = options.store ?? createMemoryStore();
  const model = scriptedModel(script);
  const logs: House['logs'] = [];
  const engine = createEngine({
    cwd: dir,
    env: { HOME: base, PATH: process.env.PATH },
    model,
    store,
    log: (level, message) => logs.push({ level, message }),
    ...options,
  });
  afterTest(() => engine.close());
  const open = inProcess(engine);
  return {
    engine,
    model,
    store,
    dir,
    logs,
    connect(config = {}, { answer, ...launch } = {}) {
      const client = new Client(open({ config: { print: true, ...config }, ...launch }), answer);
      afterTest(() => client.close());
      return client;
    },
    file(name, content) {
      const path = join(dir, name);
      writeFileSync(path, content);
      return path;
    },
    async entries(sessionId) {
      const found: Entry[] = [];
      for await (const item of store.load({ project: dir, sessionId })) if ('entry' in item) found.push(item.entry);
      return found;
    },
  };
}

/** The host's end of a connection, raw: every line is seen as it came. */
export class Client {
  /** All lines so far, control lines included. */
  readonly lines: JsonObject[] = [];
  readonly #transport: Transport;
  readonly #answer: Answer | undefined;
  #waiting: (() => void)[] = [];
  #ended = false;
  #requests = 0;

  constructor(transport: Transport, answer?: Answer) {
    this.#transport = transport;
    this.#answer = answer;
    this.#read();
  }

  send(line: JsonObject): void {
    this.#transport.write(line)?.catch(() => {});
  }

  say(content: unknown, fields: JsonObject = {}): void {
    this.send({ type: 'user', message: { role: 'user', content }, ...fields });
  }

  /** Sends a message and waits for the result of its turn. */
  async ask(content: unknown, fields: JsonObject = {}): Promise<ResultMessage> {
    const before = this.results.length;
    this.say(content, fields);
    return this.result(before);
  }

  /** The result with this index. */
  async result(index: number): Promise<ResultMessage> {
    await this.until(() => this.results.length > index);
    return this.results[index] as ResultMessage;
  }

  get results(): ResultMessage[] {
    return this.of('result') as unknown as ResultMessage[];
  }

  /** The lines of a type, or of a type and subtype as in `system/init`. */
  of(kind: string): JsonObject[] {
    return this.lines.filter((line) => kindOf(line) === kind || line.type === kind);
  }

  /** Resolves with the whole `response` of a control request. */
  async control(request: JsonObject): Promise<JsonObject> {
    const id = `r${++this.#requests}`;
    this.send({ type: 'control_request', request_id: id, request });
    let found: JsonObject | undefined;
    await this.until(() => {
      found = this.of('control_response')
        .map(({ response }) => response as JsonObject)
        .find((response) => response.request_id === id);
      return found !== undefined;
    });
    return found as JsonObject;
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#ended) throw new Error(`the session ended first: ${this.lines.map(kindOf).join(', ')}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Says that no more input follows, and waits for the end of the session. */
  async end(): Promise<ExitInfo> {
    this.#transport.endInput();
    const exit = await this.#transport.exit;
    while (!this.#ended) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return exit;
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #read(): Promise<void> {
    await this.#transport.connect();
    for await (const line of this.#transport.readMessages()) {
      if (line instanceof Error) throw line;
      this.lines.push(line);
      this.#respond(line).catch(() => {});
      this.#wake();
    }
    this.#ended = true;
    this.#wake();
  }

  async #respond({ type, request_id, request }: JsonObject): Promise<void> {
    if (type !== 'control_request' || !this.#answer || !isObject(request)) return;
    const response = await this.#answer(request);
    if (response === undefined) return;
    this.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** `assistant`, `system/init`, `control_request/can_use_tool` */
export function kindOf(line: JsonObject): string {
  const subtype = stringField(line, 'subtype') ?? stringField(line.request, 'subtype');
  return subtype === undefined || line.type === 'result' ? String(line.type) : `${line.type}/${subtype}`;
}

/** The tool results among these lines. */
export function resultsOf(lines: readonly JsonObject[]): JsonObject[] {
  return lines
    .filter(({ type }) => type === 'user')
    .flatMap(({ message }) => (message as { content: JsonObject[] }).content)
    .filter((block) => isObject(block) && block.type === 'tool_result');
}

/** The texts of the last user message of a request. */
export function lastTexts(request: ModelRequest | undefined): string[] {
  return (request?.messages.at(-1)?.content ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : []));
}
