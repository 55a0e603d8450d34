import { addUserContent } from '../agent/conversation.ts';
import { createGate } from '../agent/gate.ts';
import { runTurn, type TurnEnd } from '../agent/loop.ts';
import { resultLine } from '../agent/result.ts';
import { emptyTally, type Tally, type Turn } from '../agent/turn.ts';
import { Aborted } from '../util/abort.ts';
import { Channel } from '../util/channel.ts';
import type { JsonObject } from '../util/json.ts';
import type { ContentBlock } from '../wire/content.ts';
import { toHeddleError } from '../wire/errors.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { Peer } from '../wire/peer.ts';
import type { PermissionMode, PermissionUpdate } from '../wire/permissions.ts';
import type { Launch } from '../wire/run-config.ts';
import { askOverControl } from './ask.ts';
import { assemble, type Parts } from './assemble.ts';
import { initializeAnswer, initLine } from './describe.ts';
import type { Engine } from './engine.ts';
import { requestSettings } from './request-settings.ts';

/** Undefined when nothing has to be waited for. */
export type Emit = (message: Message) => Promise<void> | undefined;

/** Settings that may change while the session lives. Null takes a setting back. */
export interface SessionSettings {
  systemPrompt?: string;
  appendSystemPrompt?: string;
  maxThinkingTokens?: number | null;
}

/** Opens a session: new, resumed, continued or forked, as the launch says. Rejects with a HeddleError. */
export async function openSession(engine: Engine, launch: Launch, emit: Emit): Promise<Session> {
  const parts = await assemble(engine, launch);
  const { sessionId, chosen, workspace, messages } = parts;
  const facts = { model: chosen.id, cwd: workspace.cwd, pastMessages: messages.length };
  engine.runtime.log('debug', `Session ${sessionId} is open`, facts);
  return new Session(parts, emit);
}

/**
 * One conversation: a queue of user messages, at most one turn at a time, settings that hosts may change. Everything it
 * says goes through `emit`, in order; a message of the transcript is on disk before.
 */
export class Session {
  readonly #parts: Parts;
  readonly #emit: Emit;
  readonly #inputs = new Channel<UserInput>();
  #running: AbortController | null = null;
  #stopped = false;
  #lastResultIsError = false;
  #peer: Peer | null = null;
  #modelChange: Promise<void> = Promise.resolve();
  /** Resolves when the input has ended and every turn is over. Never rejects. */
  readonly finished: Promise<{ lastResultIsError: boolean }>;

  constructor(parts: Parts, emit: Emit) {
    this.#parts = parts;
    this.#emit = emit;
    this.finished = this.#run();
  }

  get id(): string {
    return this.#parts.sessionId;
  }

  /** The connection over which the host can be asked. */
  attach(peer: Peer): void {
    this.#peer = peer;
  }

  /** Queues a message; its turn begins when those before it are over. */
  submit(input: UserInput): void {
    this.#inputs.push(input);
  }

  /** No more messages follow; what is queued is still answered. */
  endInput(): void {
    this.#inputs.end();
  }

  /** Ends the running turn with a result; queued messages are answered next. Without a turn nothing happens. */
  interrupt(reason: Aborted): void {
    this.#running?.abort(reason);
  }

  /** Ends everything: the running turn is interrupted and still gets its result, queued messages are dropped. */
  stop(reason: Aborted): void {
    this.#stopped = true;
    this.#inputs.drain();
    this.#inputs.end();
    this.interrupt(reason);
  }

  configure(settings: SessionSettings): void {
    Object.assign(this.#parts.settings, settings);
  }

  /** Undefined or `default`: back to the model of the launch. The next turn waits until it is found. */
  setModel(name: string | undefined): Promise<void> {
    const wanted = name === undefined || name === 'default' ? this.#parts.launchModel : name;
    const change = this.#modelChange.then(async () => {
      this.#parts.chosen = await this.#parts.chooseModel(wanted);
    });
    this.#modelChange = change.catch(() => {}); // told to the one who asked for it
    return change;
  }

  setPermissionMode(mode: PermissionMode): void {
    this.#parts.permissions.setMode(mode);
  }

  /** The body of the answer to `initialize`. */
  describe(): Record<string, unknown> {
    return initializeAnswer(this.#parts);
  }

  /** The questions to the host that are still open. */
  pendingPermissions(): JsonObject[] {
    return this.#peer?.unanswered('can_use_tool') ?? [];
  }

  reportBadInput(message: string): void {
    const line = { type: 'system', subtype: 'input_error', error: message, session_id: this.id, uuid: this.#uuid() };
    this.#say(line as Message)?.catch(() => {});
  }

  async #run(): Promise<{ lastResultIsError: boolean }> {
    for await (const input of this.#inputs) {
      if (this.#stopped) break;
      await this.#answer(input).catch((error) => this.#broken(error));
    }
    return { lastResultIsError: this.#lastResultIsError };
  }

  /** One turn, from the recorded message to the result line. */
  async #answer(input: UserInput): Promise<void> {
    const parts = this.#parts;
    const { clock } = parts.runtime;
    const started = clock.now();
    const controller = new AbortController();
    this.#running = controller;
    parts.ledger.beginTurn();
    const tally = emptyTally();
    try {
      await this.#modelChange;
      const uuid = await this.#recordPrompt(input);
      await this.#say(initLine(parts, this.#uuid()));
      if (parts.replayUserMessages) await this.#say(replayLine(input, uuid, this.id));
      const end = await this.#drive(runTurn(this.#turn(tally), controller.signal));
      parts.runtime.log('debug', `A turn ended: ${end.kind}`, { toolRounds: tally.rounds });
      const facts = {
        sessionId: this.id,
        uuid: this.#uuid(),
        durationMs: clock.now() - started,
        ledger: parts.ledger,
        tally,
        userMessageUuids: [uuid],
      };
      await this.#sayResult(resultLine(end, facts));
    } finally {
      this.#running = null;
    }
  }

  /** On disk before anything is said of it; then part of the conversation. */
  async #recordPrompt(input: UserInput): Promise<string> {
    const parts = this.#parts;
    const reminder = parts.reminder();
    const uuid = await parts.recorder.prompt(input, {
      uuid: input.uuid ?? this.#uuid(),
      permissionMode: parts.permissions.policy.mode,
      reminder: reminder === null ? null : { type: 'environment', content: reminder, uuid: this.#uuid() },
    });
    if (reminder !== null) parts.reminded(reminder);
    const { content } = input.message;
    const blocks: ContentBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    addUserContent(parts.messages, reminder === null ? blocks : [...blocks, { type: 'text', text: reminder }]);
    return uuid;
  }

  async #drive(turn: AsyncGenerator<Message, TurnEnd>): Promise<TurnEnd> {
    for (;;) {
      const step = await turn.next();
      if (step.done) return step.value;
      const busy = this.#say(step.value);
      if (busy) await busy;
    }
  }

  #turn(tally: Tally): Turn {
    const parts = this.#parts;
    const request = requestSettings(parts);
    return {
      runtime: parts.runtime,
      sessionId: this.id,
      parentToolUseId: null,
      model: parts.chosen.model,
      request,
      messages: parts.messages,
      partial: parts.partials ? (line) => this.#say(line) : null,
      tools: parts.tools,
      gate: createGate({
        workspace: parts.workspace,
        policy: () => parts.permissions.policy,
        ask: () => (parts.asksHost && this.#peer ? askOverControl(this.#peer) : null),
        onUpdates: (updates) => this.#applyPermissionUpdates(updates),
        onFileAccess: () => parts.namePlan(),
      }),
      toolContext: (toolUseId, signal) => parts.toolContext(toolUseId, signal),
      limits: parts.limits,
      ledger: parts.ledger,
      tally,
      record: (message, facts) => parts.recorder.record(message, facts),
      rewind: (uuids) => parts.recorder.rewind(uuids),
    };
  }

  #applyPermissionUpdates(updates: PermissionUpdate[]): void {
    const before = this.#parts.permissions.policy.mode;
    this.#parts.permissions.apply(updates);
    const after = this.#parts.permissions.policy.mode;
    if (after === before) return;
    const line = {
      type: 'system',
      subtype: 'status',
      status: null,
      permissionMode: after,
      session_id: this.id,
      uuid: this.#uuid(),
    };
    this.#say(line as Message)?.catch(() => {});
  }

  #say(message: Message): Promise<void> | undefined {
    return this.#emit(message)?.catch((error) => {
      // Nobody listens any more: stop spending (trust P-15).
      this.stop(new Aborted('shutdown'));
      throw error;
    });
  }

  async #sayResult(line: Message): Promise<void> {
    this.#lastResultIsError = (line as { is_error?: boolean }).is_error === true;
    await this.#say(line);
  }

  /** The store or the engine itself failed: the turn still ends with a result that says so. */
  async #broken(thrown: unknown): Promise<void> {
    const error = toHeddleError(thrown);
    this.#lastResultIsError = true;
    if (error.code === 'closed') return;
    // An error with a code reaches the user in the result; anything else is a bug and says so at once.
    const level = error.code === 'other' ? 'error' : 'debug';
    this.#parts.runtime.log(level, error.message, { code: error.code, stack: error.stack });
    await this.#sayResult(this.#parts.brokenResult(error)).catch(() => {});
  }

  #uuid(): string {
    return this.#parts.runtime.ids.uuid();
  }
}

function replayLine(input: UserInput, uuid: string, sessionId: string): Message {
  return {
    type: 'user',
    message: input.message,
    session_id: sessionId,
    parent_tool_use_id: null,
    uuid,
    isReplay: true,
  } as Message;
}
