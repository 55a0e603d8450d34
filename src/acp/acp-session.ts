import type { Engine } from '../host/engine/engine.ts';
import { inProcess } from '../host/serve/in-process.ts';
import { Aborted } from '../util/abort.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { RPC_ERRORS } from '../wire/link/json-rpc.ts';
import { type ControlBody, Peer, type RequestContext } from '../wire/link/peer.ts';
import type { Transport } from '../wire/link/transport.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { ClientFeatures } from './client-features.ts';
import { askElicitation, askPermission } from './editor-questions.ts';
import { answerOf, type OpenPrompt, type PromptOptions, stopOf } from './open-prompt.ts';
import { AcpError, type RpcLink } from './rpc-link.ts';
import {
  appliedOf,
  commandsUpdate,
  configOptions,
  DEFAULT_VALUE,
  firstState,
  modeState,
  type SettableState,
  THINKING_TOKENS,
  trustNotice,
} from './session-options.ts';
import { agentSession } from './subagent-updates.ts';
import { TurnUpdates } from './turn-updates.ts';

export interface SessionParts {
  engine: Engine;
  link: RpcLink;
  features: ClientFeatures;
  /** As the editor names it. */
  sessionId: string;
  /** Where it is stored: for a fork, another one. */
  storedId: string;
  cwd: string;
  config: RunConfig;
  /** A question without an answer is a denial after this time; 0: never. */
  askTimeoutMs: number;
  /** The session has ended without having been closed. */
  readonly onEnded: (reason: string | null) => void;
}

/** A session at work for an editor: a host like any other, whose person sits at the editor. */
export class AcpSession {
  readonly #parts: SessionParts;
  readonly #transport: Transport;
  readonly #peer: Peer;
  readonly #updates: TurnUpdates;
  readonly #prompts = new Map<string, OpenPrompt>();
  #state: SettableState;
  #commands: readonly JsonObject[] = [];
  /** The options that the editor knows, as JSON. */
  #told = '';
  /** Lines that came before the editor knew the session: it gets them afterwards. */
  #early: JsonObject[] | null = [];
  #keySource = 'none';
  #isTrustTold = false;
  /** What the editor has chosen, and not the launch. */
  #isModelChosen = false;
  #isThinkingChosen = false;
  #isClosed = false;

  private constructor(parts: SessionParts, transport: Transport) {
    const { engine, features, cwd, config } = parts;
    this.#parts = parts;
    this.#transport = transport;
    const now = () => engine.runtime.clock.now();
    this.#updates = new TurnUpdates({ send: (update, agentOf) => this.#update(update, agentOf), features, cwd, now });
    this.#state = firstState(config);
    this.#peer = new Peer(transport, {
      newId: () => engine.runtime.ids.uuid(),
      onMessage: (line) => this.#take(line),
      onRequest: (request, context) => this.#ask(request, context),
    });
    this.#peer.done.then(() => transport.exit).then((exit) => this.#ended(exit.error?.message ?? null));
  }

  /** Opens the session. Rejects with why it cannot be opened, such as `session_busy`. */
  static async open(parts: SessionParts): Promise<AcpSession> {
    const { engine, config, cwd } = parts;
    const transport = inProcess(engine)({ config, cwd });
    await transport.connect();
    const session = new AcpSession(parts, transport);
    try {
      await session.#initialize();
    } catch (error) {
      session.#isClosed = true;
      // Why the session could not be opened says more than that its connection has ended.
      const { error: reason } = await transport.close();
      throw reason ?? error;
    }
    return session;
  }

  get id(): string {
    return this.#parts.sessionId;
  }

  /** The session's own id; the editor may know it by another one, that of the session it is a fork of. */
  get storedId(): string {
    return this.#parts.storedId;
  }

  /** What another session has to be opened with to go on as this one. */
  get config(): RunConfig {
    const { mode, effort, isThinking } = this.#state;
    const { thinking: _, maxThinkingTokens: tokens, ...rest } = this.#parts.config;
    const chosen = isThinking ? { maxThinkingTokens: tokens || THINKING_TOKENS } : { thinking: 'disabled' };
    return {
      ...(this.#isThinkingChosen ? { ...rest, ...chosen } : this.#parts.config),
      ...(this.#isModelChosen && { model: this.#state.model }),
      permissionMode: mode,
      ...(effort !== null && { effort }),
    };
  }

  get cwd(): string {
    return this.#parts.cwd;
  }

  /** A turn runs, or a prompt waits for one. */
  get isBusy(): boolean {
    return this.#prompts.size > 0;
  }

  get agent(): string {
    return this.#state.agent;
  }

  /** Whether there is an agent of this name, which could take over; `default` is none. */
  hasAgent(name: string): boolean {
    return name === DEFAULT_VALUE || this.#state.agents.some((each) => each.name === name);
  }

  get updates(): TurnUpdates {
    return this.#updates;
  }

  /** The part of an answer that tells what can be set. */
  settable(): JsonObject {
    return { modes: modeState(this.#state), configOptions: this.#options() };
  }

  /** Sends what an editor needs once it knows the session. `title`: of a stored session. */
  announce(title?: string): void {
    this.#tellCommands();
    if (title) void this.#update({ sessionUpdate: 'session_info_update', title });
    const early = this.#early ?? [];
    this.#early = null;
    for (const line of early) void this.#take(line);
  }

  /** Where the credential of the model comes from; `none` where there is none. */
  get keySource(): string {
    return this.#keySource;
  }

  async call(request: ControlBody): Promise<JsonObject> {
    const answer = await this.#peer.call(request);
    return isObject(answer) ? answer : {};
  }

  /** Sends a prompt. Resolves when all updates of its turn are written. */
  async prompt(content: string | JsonObject[], options: PromptOptions): Promise<JsonObject> {
    const { signal, parentUuid, isSteering } = options;
    const uuid = this.#parts.engine.runtime.ids.uuid();
    const isBusy = this.#prompts.size > 0;
    const answer = new Promise<JsonObject>((resolve, reject) => {
      this.#prompts.set(uuid, { resolve, reject, isCancelled: false });
    });
    const onAbort = () => void this.cancel(uuid);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await this.#peer.send({
        ...{ type: 'user', uuid, message: { role: 'user', content }, parent_tool_use_id: null },
        ...(isBusy && { priority: isSteering ? 'next' : 'later' }),
        ...(parentUuid !== undefined && { parentUuid }),
      });
      return await answer;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#prompts.delete(uuid);
    }
  }

  /** Ends the running turn, and what waits behind it; or only one prompt. Their answers say `cancelled`. */
  async cancel(uuid?: string): Promise<void> {
    const meant = uuid === undefined ? [...this.#prompts] : [...this.#prompts].filter(([id]) => id === uuid);
    if (uuid !== undefined && meant.length === 0) return;
    for (const [, prompt] of meant) prompt.isCancelled = true;
    try {
      const waiting = uuid !== undefined && [...this.#prompts.keys()][0] !== uuid;
      const receipt = waiting
        ? await this.call({ subtype: 'cancel_async_message', message_uuid: uuid })
        : await this.call({ subtype: 'interrupt', cancel_queued: uuid === undefined });
      const cancelled = waiting && receipt.cancelled === true ? [uuid] : receipt.cancelled;
      for (const id of Array.isArray(cancelled) ? cancelled : []) this.#settle(String(id), { stopReason: 'cancelled' });
    } catch {
      // The session is gone; its end settles the prompts.
    }
  }

  async setMode(mode: string): Promise<void> {
    const answer = await this.call({ subtype: 'set_permission_mode', mode });
    this.#state = { ...this.#state, mode: stringField(answer, 'mode') ?? mode };
    this.#tellOptions();
  }

  /** Resolves with all options, as they are afterwards. */
  async setOption(id: unknown, value: unknown): Promise<JsonObject[]> {
    if (id === 'mode' && typeof value === 'string') {
      await this.setMode(value);
      void this.#update({ sessionUpdate: 'current_mode_update', currentModeId: this.#state.mode });
    } else if (id === 'model' && typeof value === 'string') {
      await this.call({ subtype: 'set_model', model: value });
      this.#isModelChosen = true;
    } else if (id === 'effort' && typeof value === 'string') {
      const effortLevel = value === DEFAULT_VALUE ? null : value;
      await this.call({ subtype: 'apply_flag_settings', settings: { effortLevel } });
    } else if (id === 'thinking' && typeof value === 'boolean') {
      await this.call({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: value ? THINKING_TOKENS : 0 });
      this.#isThinkingChosen = true;
    } else
      throw new AcpError(RPC_ERRORS.invalidParams, `There is no option ${String(id)} with the value ${String(value)}`, {
        error_code: 'invalid_option',
      });
    await this.#readSettings();
    return this.#options();
  }

  /** Ends the session: its turn, its questions, its background work. Nothing is sent afterwards. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.cancel();
    await this.#updates.endTurn();
    for (const uuid of [...this.#prompts.keys()]) this.#settle(uuid, { stopReason: 'cancelled' });
    this.#updates.calls.forget();
    this.#isClosed = true;
    this.#transport.endInput();
    await this.#transport.close();
  }

  async #initialize(): Promise<void> {
    const answer = await this.call({ subtype: 'initialize', permissionPreviews: true });
    this.#commands = Array.isArray(answer.commands) ? answer.commands.filter(isObject) : [];
    const models = Array.isArray(answer.models) ? answer.models.filter(isObject) : [];
    const agents = Array.isArray(answer.agents) ? answer.agents.filter(isObject) : [];
    const mode = stringField(answer, 'current_permission_mode') ?? this.#state.mode;
    this.#keySource = stringField(answer.account, 'apiKeySource') ?? 'none';
    this.#state = { ...this.#state, models, agents, mode };
    await this.#readSettings();
  }

  async #readSettings(): Promise<void> {
    this.#state = { ...this.#state, ...appliedOf(await this.call({ subtype: 'get_settings' })) };
  }

  /** All options, for an answer or an update: the editor knows them then. */
  #options(): JsonObject[] {
    const options = configOptions(this.#state, { hasSwitches: this.#parts.features.switches });
    this.#told = JSON.stringify(options);
    return options;
  }

  /** Tells the options where they are not what the editor has been told. */
  #tellOptions(): void {
    const before = this.#told;
    const configOptions = this.#options();
    if (this.#told !== before) void this.#update({ sessionUpdate: 'config_option_update', configOptions });
  }

  /** `agentOf`: the call whose agent the update is about, which is a session of its own for some editors. */
  #update(update: JsonObject, agentOf: string | null = null): Promise<void> | undefined {
    if (this.#isClosed) return undefined;
    const { sessionUpdate, sessionId: agent } = update;
    const told =
      sessionUpdate === 'subagent_update' ? { ...update, sessionId: agentSession(this.id, String(agent)) } : update;
    return this.#parts.link.notify('session/update', { sessionId: this.#sessionOf(agentOf), update: told });
  }

  #sessionOf(agentOf: string | null): string {
    return agentOf !== null && this.#parts.features.subagents ? agentSession(this.id, agentOf) : this.id;
  }

  #take(line: JsonObject): Promise<void> | undefined {
    if (this.#early) {
      this.#early.push(line);
      return undefined;
    }
    const written = this.#updates.note(line);
    if (line.type === 'result') return this.#turnEnded(line);
    if (line.type === 'system') this.#noteSystem(line);
    return written;
  }

  #noteSystem(line: JsonObject): void {
    if (line.subtype === 'init') this.#opened(line);
    else if (line.subtype === 'commands_changed' && Array.isArray(line.commands)) {
      this.#commands = line.commands.filter(isObject);
      this.#tellCommands();
    } else if (line.subtype === 'status') this.#modeChanged(stringField(line, 'permissionMode'));
    else if (line.subtype === 'input_error') this.#refused(line);
    else if (line.subtype === 'session_title_changed') {
      void this.#update({ sessionUpdate: 'session_info_update', title: stringField(line, 'title') ?? null });
    } else if (line.subtype === 'elicitation_complete') this.#elicited(line);
  }

  #opened(line: JsonObject): void {
    this.#modeChanged(stringField(line, 'permissionMode'));
    const text = this.#isTrustTold ? null : trustNotice(line.trust);
    if (text === null) return;
    this.#isTrustTold = true;
    this.#updates.notice('warning', text);
  }

  #modeChanged(mode: string | undefined): void {
    if (mode === undefined || mode === this.#state.mode) return;
    this.#state = { ...this.#state, mode };
    void this.#update({ sessionUpdate: 'current_mode_update', currentModeId: mode });
    this.#tellOptions();
  }

  /** What was asked at another address has been answered there. */
  #elicited(line: JsonObject): void {
    const elicitationId = stringField(line, 'elicitation_id');
    if (this.#isClosed || !this.#parts.features.urls || elicitationId === undefined) return;
    void this.#parts.link.notify('elicitation/complete', { elicitationId });
  }

  #tellCommands(): void {
    void this.#update(commandsUpdate(this.#commands));
  }

  async #turnEnded(line: JsonObject): Promise<void> {
    await this.#updates.endTurn();
    const named = Array.isArray(line.user_message_uuids) ? line.user_message_uuids.map(String) : [];
    const open = named.filter((uuid) => this.#prompts.has(uuid));
    const stop = stopOf(line);
    if (stop instanceof AcpError && open.length > 0) this.#updates.failed(stop.message);
    for (const uuid of open) {
      const ended = this.#prompts.get(uuid)?.isCancelled ? { stopReason: 'cancelled' } : stop;
      this.#settle(uuid, ended instanceof AcpError ? ended : answerOf(ended, line));
    }
    // A command or a fallback may have changed the model. The answer comes as a later line: no line may wait for it.
    void this.#readSettings().then(
      () => this.#tellOptions(),
      () => {}, // the session is gone
    );
  }

  /** A prompt that the session did not take. */
  #refused(line: JsonObject): void {
    const text = stringField(line, 'error') ?? 'The prompt was refused';
    const uuid = stringField(line, 'input_uuid');
    const code = stringField(line, 'error_code') ?? 'input_error';
    if (uuid !== undefined) this.#settle(uuid, new AcpError(RPC_ERRORS.invalidParams, text, { error_code: code }));
  }

  #settle(uuid: string, answer: JsonObject | AcpError): void {
    const prompt = this.#prompts.get(uuid);
    this.#prompts.delete(uuid);
    if (!prompt) return;
    if (answer instanceof AcpError) prompt.reject(answer);
    else prompt.resolve(answer);
  }

  #ended(reason: string | null): void {
    const error = new AcpError(RPC_ERRORS.internal, reason ?? 'The session has ended', { error_code: 'closed' });
    for (const uuid of [...this.#prompts.keys()]) this.#settle(uuid, error);
    if (!this.#isClosed) this.#parts.onEnded(reason);
  }

  async #ask(request: ControlBody, { signal }: RequestContext): Promise<JsonObject> {
    const { link, cwd, features, askTimeoutMs } = this.#parts;
    const late = new AbortController();
    const timer = askTimeoutMs > 0 ? setTimeout(() => late.abort(new Aborted('timeout')), askTimeoutMs) : undefined;
    const call = stringField(request, 'tool_use_id') ?? '';
    const asking = { link, sessionId: this.#sessionOf(this.#updates.calls.parentOf(call)), cwd, features };
    const until = AbortSignal.any([signal, late.signal]);
    this.#updates.calls.waits(call);
    await this.#updates.flush();
    try {
      if (request.subtype === 'elicitation') return await askElicitation(request, asking, until);
      if (request.subtype !== 'can_use_tool') throw new Error(`An editor cannot answer ${request.subtype}`);
      const answer = await askPermission(request, asking, until);
      if (answer.behavior === 'allow') this.#updates.calls.runs(call);
      return answer;
    } catch (error) {
      if (signal.aborted) throw error;
      const why = late.signal.aborted ? `the editor did not answer in ${askTimeoutMs / 1000} s` : messageOf(error);
      this.#updates.notice('warning', `A question was not answered: ${why}`);
      if (request.subtype === 'elicitation') return { action: 'cancel' };
      return { behavior: 'deny', message: `Nobody answered the permission question: ${why}.` };
    } finally {
      clearTimeout(timer);
    }
  }
}
