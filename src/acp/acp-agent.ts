import { removeKeys, viewAuth } from '../admin/auth.ts';
import type { Engine } from '../host/engine/engine.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { printable } from '../util/text/printable.ts';
import { HeddleError } from '../wire/errors.ts';
import { RPC_ERRORS } from '../wire/link/json-rpc.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { AcpSession } from './acp-session.ts';
import { type ClientFeatures, clientFeatures } from './client-features.ts';
import { callExtension, EXTENSIONS, parentOf } from './extensions.ts';
import { sessionConfig } from './new-session.ts';
import { promptContent } from './prompt-content.ts';
import { ACP_ERRORS, AcpError, type RequestContext, type RpcHandlers, type RpcLink } from './rpc-link.ts';
import { DEFAULT_VALUE } from './session-options.ts';
import { type ReplayFrom, replaySession } from './show-again.ts';
import { StoredSessions } from './stored-sessions.ts';

export interface AgentOptions {
  link: RpcLink;
  engine: Engine;
  /** What every session has of the command line. */
  config: RunConfig;
  /** The directory of the process: only for sessions that do not tell theirs. */
  cwd: string;
  askTimeoutMs: number;
  replayFrom: ReplayFrom;
}

/** What has to be done with a session before it is open to others. */
type Prepare = (session: AcpSession) => Promise<void>;
type Method = (params: JsonObject, context: RequestContext) => Promise<JsonObject> | JsonObject;

/** The agent as editors see it: any number of sessions in one process. */
export class AcpAgent implements RpcHandlers {
  readonly #options: AgentOptions;
  readonly #stored: StoredSessions;
  readonly #sessions = new Map<string, AcpSession>();
  /** Sessions that are being opened or closed: what comes for them waits. */
  readonly #changing = new Map<string, Promise<unknown>>();
  readonly #methods: ReadonlyMap<string, Method>;
  #features: ClientFeatures = clientFeatures(undefined);
  /** The editor is gone: nothing more is opened. */
  #isEnded = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#stored = new StoredSessions(options.engine, options.cwd);
    this.#methods = new Map<string, Method>([
      ['authenticate', (params) => this.#authenticate(params)],
      ['logout', () => this.#logout()],
      ['session/new', (params, context) => this.#new(params, context)],
      ['session/load', (params, context) => this.#load(params, context)],
      ['session/resume', (params, context) => this.#resume(params, context)],
      ['session/fork', (params, context) => this.#fork(params, context)],
      ['session/list', (params) => this.#list(params)],
      ['session/close', (params) => this.#close(params)],
      ['session/delete', (params) => this.#delete(params)],
      ['session/set_title', (params) => this.#setTitle(params)],
      ['session/archive', (params) => this.#archive(params, { archived: true })],
      ['session/unarchive', (params) => this.#archive(params, { archived: false })],
      ['session/prompt', (params, context) => this.#prompt(params, context)],
      ['session/set_mode', (params) => this.#setMode(params)],
      ['session/set_config_option', (params, context) => this.#setOption(params, context)],
    ]);
  }

  /** Notes what the editor can do, for the sessions that it opens from now on. */
  meet(features: ClientFeatures): void {
    this.#features = features;
  }

  async request(method: string, params: JsonObject, context: RequestContext): Promise<JsonObject> {
    const known = this.#methods.get(method);
    if (known) return known(params, context);
    if (EXTENSIONS.has(method)) return callExtension(method, params, await this.#session(params));
    throw new AcpError(RPC_ERRORS.unknownMethod, `There is no method ${printable(method)}`);
  }

  notified(method: string, params: JsonObject): void {
    if (method !== 'session/cancel') return;
    // As many steps as a prompt takes to its session, so that a cancel right behind it finds it there.
    this.#session(params).then(
      (session) => session.cancel(),
      () => {}, // the session is not open: nothing runs
    );
  }

  /** Ends all sessions: the editor is gone. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.allSettled(this.#changing.values());
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.allSettled(all.map((session) => session.close()));
  }

  /** The login itself runs in a terminal; here it is only looked whether it has brought a credential. */
  async #authenticate({ methodId }: JsonObject): Promise<JsonObject> {
    if (methodId !== 'api-key') {
      throw new AcpError(RPC_ERRORS.invalidParams, `There is no auth method ${printable(String(methodId))}: api-key`);
    }
    const { engine, config } = this.#options;
    const { providers, elsewhere } = await viewAuth(engine, config);
    if (elsewhere?.isReady || providers.some(({ isReady }) => isReady)) return {};
    throw authRequired(elsewhere?.lacks ?? 'No credential was found. Run in a terminal: heddle auth login');
  }

  async #logout(): Promise<JsonObject> {
    await removeKeys(this.#options.engine.homeOf({ config: {} }), null);
    return {};
  }

  async #new(params: JsonObject, context: RequestContext): Promise<JsonObject> {
    const sessionId = this.#options.engine.runtime.ids.uuid();
    const session = await this.#open(sessionId, params, { sessionId });
    context.afterResponse(() => session.announce());
    return { sessionId, ...session.settable() };
  }

  async #load(params: JsonObject, context: RequestContext): Promise<JsonObject> {
    const session = await this.#openStored(params, async ({ storedId, updates }) => {
      const found = await this.#stored.find(storedId);
      await replaySession(found, updates, { from: this.#options.replayFrom, signal: context.signal });
    });
    return this.#opened(session, context);
  }

  async #resume(params: JsonObject, context: RequestContext): Promise<JsonObject> {
    return this.#opened(await this.#openStored(params), context);
  }

  /** A session that another process writes to is an error, or a fork of it where the editor wants one. */
  async #openStored(params: JsonObject, prepare?: Prepare): Promise<AcpSession> {
    const { sessionId } = await this.#stored.find(textOf(params, 'sessionId'));
    const onBusy = stringField(heddleOf(params), 'onBusy');
    const isFork = onBusy === 'fork';
    try {
      const start = { resume: sessionId, ...(onBusy !== undefined && !isFork && { onBusy }) };
      return await this.#open(sessionId, params, start, prepare);
    } catch (error) {
      if (!isFork || !HeddleError.isInstance(error) || error.code !== 'session_busy') throw error;
      return this.#open(sessionId, params, { resume: await this.#stored.fork(sessionId) }, prepare);
    }
  }

  async #fork(params: JsonObject, context: RequestContext): Promise<JsonObject> {
    const sessionId = await this.#stored.fork(textOf(params, 'sessionId'));
    const session = await this.#open(sessionId, params, { resume: sessionId });
    context.afterResponse(() => session.announce());
    return { sessionId, ...session.settable() };
  }

  /** A session that is open here already is opened again: the editor may have restarted its window. */
  async #open(id: string, params: JsonObject, start: RunConfig, prepare?: Prepare): Promise<AcpSession> {
    const { config: base } = this.#options;
    const { cwd, config } = sessionConfig(params, base);
    return this.#openAt(id, cwd, { ...config, ...start }, prepare);
  }

  async #openAt(sessionId: string, cwd: string, config: RunConfig, prepare?: Prepare): Promise<AcpSession> {
    const { engine, link, askTimeoutMs } = this.#options;
    while (this.#changing.has(sessionId)) await this.#changing.get(sessionId);
    if (this.#isEnded) throw new HeddleError('closed', 'The editor is gone');
    const opening = (async () => {
      await this.#sessions.get(sessionId)?.close();
      const session = await AcpSession.open({
        ...{
          engine,
          link,
          features: this.#features,
          sessionId,
          storedId: typeof config.resume === 'string' ? config.resume : sessionId,
          cwd,
          askTimeoutMs,
        },
        config,
        onEnded: () => {
          if (this.#sessions.get(sessionId) === session) this.#sessions.delete(sessionId);
        },
      });
      this.#sessions.set(sessionId, session);
      await this.#requireCredential(session);
      await prepare?.(session).catch((error) => this.#giveUp(session, error));
      return session;
    })();
    return this.#meanwhile(sessionId, opening);
  }

  /** What comes for the session waits until the work is done. */
  async #meanwhile<T>(sessionId: string, work: Promise<T>): Promise<T> {
    const settled = work.then(
      () => {},
      () => {},
    );
    this.#changing.set(sessionId, settled);
    try {
      return await work;
    } finally {
      if (this.#changing.get(sessionId) === settled) this.#changing.delete(sessionId);
    }
  }

  async #opened(session: AcpSession, context: RequestContext): Promise<JsonObject> {
    const { id, storedId } = session;
    const title = await this.#stored.titleOf(storedId);
    context.afterResponse(() => session.announce(title));
    const fork = storedId === id ? {} : { _meta: { heddle: { sessionId: storedId, forkedFrom: id } } };
    return { ...session.settable(), ...fork };
  }

  async #giveUp(session: AcpSession, error: unknown): Promise<never> {
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
    await session.close();
    throw error;
  }

  /** A session whose model cannot be asked is not opened: the editor can offer the login then. */
  async #requireCredential(session: AcpSession): Promise<void> {
    if (session.keySource !== 'none') return;
    const { engine, config } = this.#options;
    const { provider, providers, elsewhere } = await viewAuth(engine, config);
    if (elsewhere?.lacks) await this.#giveUp(session, authRequired(elsewhere.lacks));
    const auth = providers.find((each) => each.provider === provider);
    if (provider === null || !auth || auth.isReady) return;
    const choices = 'run "heddle auth login" in a terminal, set a key in the environment, or use --model offline';
    await this.#giveUp(session, authRequired(`The model needs a credential: ${choices}`));
  }

  async #list(params: JsonObject): Promise<JsonObject> {
    return this.#stored.list(stringField(params, 'cwd'), stringField(params, 'cursor'));
  }

  async #close(params: JsonObject): Promise<JsonObject> {
    const session = await this.#session(params);
    this.#sessions.delete(session.id);
    await this.#meanwhile(session.id, session.close());
    return {};
  }

  async #delete(params: JsonObject): Promise<JsonObject> {
    const sessionId = textOf(params, 'sessionId');
    const storedId = this.#sessions.get(sessionId)?.storedId ?? sessionId;
    if (this.#sessions.has(sessionId)) await this.#close(params);
    await this.#stored.delete(storedId);
    return {};
  }

  async #setTitle(params: JsonObject): Promise<JsonObject> {
    const [sessionId, title] = [textOf(params, 'sessionId'), textOf(params, 'title')];
    const session = this.#sessions.get(sessionId);
    if (session) await session.call({ subtype: 'rename_session', title });
    else await this.#stored.rename(sessionId, title);
    return {};
  }

  async #archive(params: JsonObject, mark: { archived: boolean }): Promise<JsonObject> {
    const sessionId = textOf(params, 'sessionId');
    await this.#stored.archive(this.#sessions.get(sessionId)?.storedId ?? sessionId, mark);
    return {};
  }

  async #prompt(params: JsonObject, { signal }: RequestContext): Promise<JsonObject> {
    const session = await this.#session(params);
    const content = promptContent(params.prompt);
    const meta = heddleOf(params);
    return session.prompt(content, { signal, isSteering: meta.steer === true, ...parentOf(meta) });
  }

  async #setMode(params: JsonObject): Promise<JsonObject> {
    await (await this.#session(params)).setMode(textOf(params, 'modeId'));
    return {};
  }

  async #setOption(params: JsonObject, context: RequestContext): Promise<JsonObject> {
    const session = await this.#session(params);
    if (params.configId === 'agent') return this.#setAgent(session, params.value, context);
    return { configOptions: await session.setOption(params.configId, params.value) };
  }

  /** An agent answers from the launch on: the session is opened again, where it is. */
  async #setAgent(session: AcpSession, value: unknown, context: RequestContext): Promise<JsonObject> {
    if (typeof value !== 'string' || !session.hasAgent(value)) {
      throw invalidOption(`There is no agent ${printable(String(value))}`);
    }
    if (session.isBusy) throw invalidOption('The agent cannot be changed while a turn runs');
    const { agent: _, sessionId: _new, resume: _old, ...config } = session.config;
    const agent = value === DEFAULT_VALUE ? {} : { agent: value };
    const { storedId } = session;
    const start = (await this.#stored.has(storedId)) ? { resume: storedId } : { sessionId: storedId };
    const opened = await this.#openAt(session.id, session.cwd, { ...config, ...agent, ...start });
    context.afterResponse(() => opened.announce());
    return { configOptions: opened.settable().configOptions };
  }

  async #session(params: JsonObject): Promise<AcpSession> {
    const id = textOf(params, 'sessionId');
    while (this.#changing.has(id)) await this.#changing.get(id);
    const session = this.#sessions.get(id);
    if (session) return session;
    throw new AcpError(ACP_ERRORS.notFound, `The session ${printable(id)} is not open: session/load opens it`, {
      error_code: 'session_not_found',
    });
  }
}

/** What an editor says to this agent alone. */
function heddleOf({ _meta }: JsonObject): JsonObject {
  return isObject(_meta) && isObject(_meta.heddle) ? _meta.heddle : {};
}

function textOf(params: JsonObject, name: string): string {
  const text = stringField(params, name);
  if (text !== undefined) return text;
  throw invalidRequest(`${name} must be a string`);
}

function invalidRequest(message: string): AcpError {
  return new AcpError(RPC_ERRORS.invalidParams, message, { error_code: 'invalid_request' });
}

function invalidOption(message: string): AcpError {
  return new AcpError(RPC_ERRORS.invalidParams, message, { error_code: 'invalid_option' });
}

function authRequired(message: string): AcpError {
  return new AcpError(ACP_ERRORS.authRequired, message, { error_code: 'authentication' });
}
