import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type AnyMessage, type ClientConnection, client, methods } from '@agentclientprotocol/sdk/unstable';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, vi } from 'vitest';
import { serveAcp } from '../../src/acp/serve-acp.ts';
import { createEngine } from '../../src/host/create-engine.ts';
import type { ModelRequest } from '../../src/model/model.ts';
import type { Script } from '../../src/testing/script.ts';
import { type ScriptedModel, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { memoryPair } from '../../src/wire/link/memory-transport.ts';
import type { Transport } from '../../src/wire/link/transport.ts';
import type { RunConfig } from '../../src/wire/run-config.ts';
import { tempDir } from '../host/support.ts';
import { afterTest } from '../support/after-test.ts';

const schemas = createRequire(import.meta.url);
const schema = schemas('@agentclientprotocol/sdk/schema/v1/schema.json');
/** With what is a draft: agents as sessions. */
const drafts = schemas('@agentclientprotocol/sdk/schema/v1/schema.unstable.json');
const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
ajv.addSchema(schema, 'acp');
ajv.addSchema(drafts, 'drafts');
const checks = new Map<string, ReturnType<typeof ajv.getSchema>>();

/** What the protocol's own schema says against a value of one of its types. */
export function problemsOf(type: string, value: unknown, from: 'acp' | 'drafts' = 'acp'): unknown[] {
  const name = `${from}#/$defs/${type}`;
  if (!checks.has(name)) checks.set(name, ajv.getSchema(name));
  const check = checks.get(name);
  if (!check) throw new Error(`The schema has no ${type}`);
  return check(value) ? [] : [...(check.errors ?? [])];
}

/** The type of each method's result. */
const RESULTS: Readonly<Record<string, string>> = {
  initialize: 'InitializeResponse',
  authenticate: 'AuthenticateResponse',
  logout: 'LogoutResponse',
  'session/new': 'NewSessionResponse',
  'session/load': 'LoadSessionResponse',
  'session/resume': 'ResumeSessionResponse',
  'session/list': 'ListSessionsResponse',
  'session/close': 'CloseSessionResponse',
  'session/delete': 'DeleteSessionResponse',
  'session/prompt': 'PromptResponse',
  'session/set_mode': 'SetSessionModeResponse',
  'session/set_config_option': 'SetSessionConfigOptionResponse',
};
const REQUESTS: Readonly<Record<string, string>> = {
  'session/request_permission': 'RequestPermissionRequest',
  'elicitation/create': 'CreateElicitationRequest',
};

export type Answer = (params: JsonObject, method: string) => JsonObject | Promise<JsonObject>;

export interface EditorOptions {
  capabilities?: JsonObject;
  config?: RunConfig;
  /** Answers what the agent asks. Default: the first option of a permission question. */
  answer?: Answer;
  askTimeoutMs?: number;
  home?: string;
  env?: Record<string, string>;
  replayFrom?: 'start' | 'last-compaction';
  /** What each line of the agent waits for, once the editor has it: an editor that does not read. */
  reading?: () => Promise<void> | undefined;
}

export interface RpcFailure {
  code: number;
  message: string;
  data?: JsonObject;
}

/**
 * An editor at work: the client of the protocol's own package asks and answers, and everything that the agent writes is
 * checked against the protocol's schema.
 */
export class Editor {
  readonly lines: JsonObject[] = [];
  readonly dir: string;
  readonly home: string;
  readonly model: ScriptedModel;
  readonly #near;
  readonly #answer: Answer;
  /** What was asked, by its id; `resolve` where it was asked without the client. */
  readonly #open = new Map<unknown, { method: string; resolve?(line: JsonObject): void }>();
  readonly #client: ClientConnection;
  #hear: (line: AnyMessage) => void = () => {};
  readonly #served: Promise<void>;
  #ids = 0;

  constructor(script: Script<ModelRequest>, options: EditorOptions = {}) {
    const base = tempDir();
    this.home = options.home ?? join(base, 'home');
    this.dir = join(base, 'project');
    mkdirSync(this.dir);
    mkdirSync(this.home, { recursive: true });
    this.#answer = options.answer ?? firstOption;
    this.model = scriptedModel(script);
    const engine = createEngine({
      ...{ cwd: this.dir, home: this.home, model: this.model, log: () => {} },
      env: { HOME: base, PATH: process.env.PATH ?? '', ...(options.env ?? { ANTHROPIC_API_KEY: 'key-of-the-test' }) },
    });
    const { near, far } = memoryPair();
    this.#near = near;
    const stop = new AbortController();
    this.#served = serveAcp(options.reading ? readSlowly(far, options.reading) : far, {
      ...{ engine, config: options.config ?? {}, cwd: this.dir, askTimeoutMs: options.askTimeoutMs ?? 0 },
      ...{ replayFrom: options.replayFrom ?? 'start', signal: stop.signal },
    });
    this.#client = this.#connect();
    const reading = this.#read();
    afterTest(async () => {
      this.#client.close();
      near.endInput();
      await this.#served;
      near.settle({ code: 0, signal: null, stderr: '' });
      await engine.close();
      await reading;
      expect(this.wrong).toEqual([]);
    });
  }

  /** The editor is gone. Resolves when the agent has ended everything. */
  async dies(): Promise<void> {
    this.#near.endInput();
    await this.#served;
  }

  file(name: string, text: string): string {
    const path = join(this.dir, name);
    writeFileSync(path, text);
    return path;
  }

  /** Sends a line as it is. */
  raw(line: JsonObject): void {
    void this.#near.write(line);
  }

  notify(method: string, params: JsonObject): void {
    void this.#client.agent.notify(method, params);
  }

  /** Asks without the client, for what it cannot say. */
  send(method: string, params: JsonObject = {}): { id: string; answer: Promise<JsonObject> } {
    const id = `raw-${++this.#ids}`;
    const answer = new Promise<JsonObject>((resolve) => this.#open.set(id, { method, resolve }));
    this.raw({ jsonrpc: '2.0', id, method, params });
    return { id, answer };
  }

  /** Resolves with the result, and fails the test for an error. */
  async call(method: string, params: JsonObject = {}): Promise<JsonObject> {
    return this.#client.agent.request<JsonObject>(method, params);
  }

  /** Resolves with the error as it was written, and fails the test for a result. */
  async fails(method: string, params: JsonObject = {}): Promise<RpcFailure> {
    const line = await this.send(method, params).answer;
    expect(line.result).toBeUndefined();
    return line.error as unknown as RpcFailure;
  }

  async initialize(clientCapabilities: JsonObject = {}): Promise<JsonObject> {
    return this.call('initialize', { protocolVersion: 1, clientCapabilities });
  }

  /** Initializes, and opens a session; resolves with its id. */
  async open(clientCapabilities: JsonObject = {}, params: JsonObject = {}): Promise<string> {
    await this.initialize(clientCapabilities);
    const { sessionId } = await this.call('session/new', { cwd: this.dir, mcpServers: [], ...params });
    return String(sessionId);
  }

  prompt(sessionId: string, text: string, params: JsonObject = {}): Promise<JsonObject> {
    return this.call('session/prompt', { sessionId, prompt: [{ type: 'text', text }], ...params });
  }

  /** All updates of a kind so far. */
  updates(kind?: string): JsonObject[] {
    const all = this.lines.filter(({ method }) => method === 'session/update');
    const updates = all.map(({ params }) => (params as JsonObject).update as JsonObject);
    return kind === undefined ? updates : updates.filter(({ sessionUpdate }) => sessionUpdate === kind);
  }

  /** The texts of the chunks of a kind, joined. */
  said(kind = 'agent_message_chunk'): string {
    return this.updates(kind)
      .map(({ content }) => String((content as JsonObject).text ?? ''))
      .join('');
  }

  asked(method: string): JsonObject[] {
    return this.lines.filter((line) => line.method === method).map(({ params }) => params as JsonObject);
  }

  async sees(look: () => unknown): Promise<void> {
    await vi.waitFor(() => expect(look()).toBeTruthy(), 15_000);
  }

  async #read(): Promise<void> {
    for await (const line of this.#near.readMessages()) {
      if (line instanceof Error) throw line;
      this.lines.push(line);
      this.#check(line);
      const open = line.method === undefined ? this.#open.get(line.id) : undefined;
      if (line.method === undefined) this.#open.delete(line.id);
      if (open?.resolve) open.resolve(line);
      else this.#hear(line as unknown as AnyMessage);
    }
  }

  /** The client of the protocol's own package, over the lines of this editor. */
  #connect(): ClientConnection {
    const { session, elicitation } = methods.client;
    const reply = (method: string) => async (context: { params: unknown }) =>
      (await this.#answer(context.params as JsonObject, method)) as never;
    const app = client({ name: 'an editor of the tests' })
      .onRequest(session.requestPermission, reply('session/request_permission'))
      .onRequest(elicitation.create, reply('elicitation/create'))
      .onNotification(session.update, () => {})
      .onNotification(elicitation.complete, () => {});
    const readable = new ReadableStream<AnyMessage>({
      start: (lines) => {
        this.#hear = (line) => lines.enqueue(line);
      },
    });
    const writable = new WritableStream<AnyMessage>({
      write: (message) => {
        const line = message as unknown as JsonObject;
        if (typeof line.method === 'string' && line.id !== undefined) this.#open.set(line.id, { method: line.method });
        this.raw(line);
      },
    });
    return app.connect({ readable, writable });
  }

  readonly wrong: string[] = [];

  #check(line: JsonObject): void {
    const { method, params, result, error } = line;
    const type =
      method === 'session/update'
        ? 'SessionNotification'
        : typeof method === 'string'
          ? REQUESTS[method]
          : RESULTS[this.#open.get(line.id)?.method ?? ''];
    const value = typeof method === 'string' ? params : (result ?? null);
    if (error !== undefined) this.#note(line, problemsOf('Error', error));
    else if (type !== undefined) this.#note(line, problemsOf(type, value, isDraft(value) ? 'drafts' : 'acp'));
  }

  #note(line: JsonObject, problems: unknown[]): void {
    if (problems.length > 0) this.wrong.push(`${JSON.stringify(line)}: ${JSON.stringify(problems.slice(0, 3))}`);
  }
}

/** The agent's end of a connection whose other end takes its time. */
function readSlowly(far: Transport, reading: () => Promise<void> | undefined): Transport {
  return {
    connect: () => far.connect(),
    write(line) {
      const [written, read] = [far.write(line), reading()];
      return read ? Promise.all([written, read]).then(() => {}) : written;
    },
    readMessages: () => far.readMessages(),
    endInput: () => far.endInput(),
    close: () => far.close(),
    isReady: () => far.isReady(),
    exit: far.exit,
  };
}

/** What only editors get that have said that they know the draft. */
function isDraft(value: unknown): boolean {
  const { update, usage } = value as { update?: JsonObject; usage?: unknown };
  return update?.sessionUpdate === 'subagent_update' || usage !== undefined;
}

export const firstOption: Answer = ({ options }) => ({
  outcome: { outcome: 'selected', optionId: (options as JsonObject[])[0]?.optionId },
});

/** Chooses an option of permission questions by its id. */
export const choosing =
  (optionId: string): Answer =>
  () => ({ outcome: { outcome: 'selected', optionId } });
