import { runTurn } from '../agent/loop.ts';
import { type ResultFacts, resultLine } from '../agent/result.ts';
import { emptyTally, type Tally, type Turn } from '../agent/turn.ts';
import { Aborted } from '../util/abort.ts';
import type { JsonObject } from '../util/json.ts';
import { oneAtATime } from '../util/one-at-a-time.ts';
import { startTimer } from '../util/timer.ts';
import type { ContentBlock } from '../wire/content.ts';
import { HeddleError, toHeddleError } from '../wire/errors.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { Peer } from '../wire/peer.ts';
import type { PermissionMode } from '../wire/permissions.ts';
import type { Launch } from '../wire/run-config.ts';
import { askOverControl } from './ask.ts';
import { assemble, type Parts } from './assemble.ts';
import type { Refusal } from './check-input.ts';
import { type CommandLine, commandOf } from './command-line.ts';
import type { CommandSeams } from './command-turn.ts';
import { refreshRules } from './configuration.ts';
import { initializeAnswer, initLine } from './describe.ts';
import { drive } from './drive.ts';
import { EndPolicy } from './end-policy.ts';
import type { Engine } from './engine.ts';
import { type CalledPrompt, calledPrompt, expandCalled, noExtras } from './extensions.ts';
import { InputQueue, NEWS } from './input-queue.ts';
import { type LifecycleState, lifecycleLines, replayLine } from './lifecycle.ts';
import { makeTurn } from './make-turn.ts';
import { joinServers } from './mcp.ts';
import { foldInputs, noteSpoken, parentOf, recordEnd, recordPrompt } from './record-input.ts';
import { useModel } from './session-models.ts';
import { type News, type NewsSource, newsInput, pendingTasks, watchSessionTasks } from './session-tasks.ts';
import type { Opening } from './transcript.ts';

/** Undefined when nothing has to be waited for. */
export type Emit = (message: Message) => Promise<void> | undefined;

/** Settings that may change while the session lives. Null takes a setting back. */
export interface SessionSettings {
  systemPrompt?: string;
  appendSystemPrompt?: string;
  maxThinkingTokens?: number | null;
  /** The model paces its thinking itself, where it can. */
  adaptiveThinking?: boolean;
}

/** What a turn begins with beside its message. */
interface Begun {
  /** What of a file the message calls. */
  called: CalledPrompt | null;
  /** Set when nobody has said the message: it tells of the session's own work. */
  news: News | null;
}

/** Opens a session: new, resumed, continued or forked, as the launch says. Rejects with a HeddleError. */
export async function openSession(engine: Engine, launch: Launch, emit: Emit, opening: Opening = {}): Promise<Session> {
  const parts = await assemble(engine, launch, opening);
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
  readonly #inputs = new InputQueue();
  /** What begins turns by itself. */
  readonly #sources: readonly NewsSource[];
  readonly #policy: EndPolicy;
  #running: AbortController | null = null;
  #stopped = false;
  /** What was still queued when everything was stopped. */
  readonly #dropped: UserInput[] = [];
  #refused: string | null = null;
  #lastResultIsError = false;
  #peer: Peer | null = null;
  /** Of the turn that is running or was last. */
  #tally = emptyTally();
  /** The echo of the prompt goes out with the first line of its turn (wire.md 5.3). */
  #heldReplay: Message | null = null;
  /** The first init line was said, and what goes with it. */
  #isIntroduced = false;
  /** Settings that are still being applied; the next turn waits for them. */
  readonly #inTurn = oneAtATime();
  /** Resolves when the input has ended and every turn is over. Never rejects. */
  readonly finished: Promise<{ lastResultIsError: boolean }>;

  constructor(parts: Parts, emit: Emit) {
    this.#parts = parts;
    this.#emit = emit;
    parts.permissions.onModeChange = (mode) => this.#tellMode(mode);
    parts.say = (message) => this.#say(message);
    parts.ask = () => (parts.asksHost && this.#peer ? askOverControl(this.#peer) : null);
    const { team } = parts;
    if (team) team.onNews = () => this.#wake();
    this.#sources = [watchSessionTasks(parts, () => this.#wake()), ...(team ? [team] : [])];
    this.#policy = new EndPolicy({
      ...parts.endPolicy,
      isOpen: () => !this.#inputs.isEmpty || this.#sources.some((source) => source.isOpen()),
      isBusy: () => this.#running !== null,
      finish: () => this.#inputs.end(),
      giveUp: () => this.#inputs.end(),
    });
    this.finished = this.#run();
  }

  get id(): string {
    return this.#parts.sessionId;
  }

  /**
   * A host whose `initialize` was refused may count on what it asked for, and sends its prompts without waiting for the
   * answer: until an `initialize` succeeds they end in an error. Null: all is well.
   */
  refuse(reason: string | null): void {
    this.#refused = reason;
  }

  /** The connection over which the host can be asked. */
  attach(peer: Peer): void {
    this.#peer = peer;
    this.#parts.callHost = (request, options) => peer.call(request, options);
  }

  /** Queues a message; its turn begins when those before it are over, or it joins the one that is running. */
  submit(input: UserInput): void {
    if (this.#policy.inputEnded || this.#stopped) {
      this.reportBadInput('The input has ended; the message was not sent');
      return;
    }
    if (input.uuid !== undefined) this.#parts.uuids.add(input.uuid);
    this.#tellLifecycle(input, 'queued').catch(() => {});
    this.#inputs.push(input);
    // Who goes on from elsewhere has turned away from what is being said (ruling K41).
    if (parentOf(input) === undefined || !this.#running) return;
    this.withdrawQuestions();
    this.interrupt(new Aborted('interrupt'));
  }

  /** The messages that wait for their turn, as far as they have a uuid to be told by. */
  queuedUuids(): string[] {
    return this.#inputs.uuids();
  }

  /** Takes back a message that waits for its turn. False when none with this uuid does. */
  async withdraw(uuid: string): Promise<boolean> {
    const input = this.#inputs.withdraw(uuid);
    if (!input) return false;
    this.#parts.uuids.delete(uuid); // it was never said, so it may be said yet
    await this.#cancel(input);
    return true;
  }

  /** No more messages follow; what is queued is still answered, and what is at work comes to its end. */
  endInput(): void {
    this.#parts.team?.inputEnded();
    if (this.#parts.team) this.#inputs.wake(); // it may have nothing left to do
    this.#policy.endInput();
  }

  /** Something has happened beside the conversation. */
  #wake(): void {
    this.#inputs.wake();
    this.#policy.check();
  }

  /** Tells the host that what it was asked needs no answer any more. */
  withdrawQuestions(): void {
    this.#peer?.cancel('can_use_tool');
  }

  /** Ends the running turn with a result; queued messages are answered next. Without a turn nothing happens. */
  interrupt(reason: Aborted): void {
    this.#running?.abort(reason);
  }

  /** An interrupt reaches all agents, also those that nobody waits for; what runs in the shell goes on. */
  stopAgents(): void {
    const { toolSession, interruptSparesTasks } = this.#parts;
    if (interruptSparesTasks) return;
    const { backgroundTasks } = toolSession;
    const agents = backgroundTasks.pending().filter(({ type }) => type === 'local_agent');
    for (const { id } of agents) void backgroundTasks.stop(id, 'interrupt');
  }

  /** Ends everything: the running turn is interrupted and still gets its result, queued messages are dropped. */
  stop(reason: Aborted): void {
    this.#stopped = true;
    this.#policy.close();
    this.#dropped.push(...this.#inputs.drain());
    this.#inputs.end();
    this.interrupt(reason);
  }

  configure(settings: SessionSettings): void {
    Object.assign(this.#parts.settings, settings);
  }

  /** Undefined or `default`: back to the model of the launch. The next turn waits until it is found. Resolves with its id. */
  setModel(name: string | undefined): Promise<string> {
    const wanted = name === undefined || name === 'default' ? this.#parts.launchModel : name;
    return this.change((parts) => useModel(parts, wanted));
  }

  /** Answers must fit this schema from now on. Rejects with `invalid_option` when it is none. */
  setSchema(schema: JsonObject): Promise<void> {
    return this.change((parts) => parts.setSchema(schema));
  }

  /** Whether a turn is running. */
  get isBusy(): boolean {
    return this.#running !== null;
  }

  /** Looks at the session's parts or changes them, after all changes that were asked for before. The next turn waits. */
  change<T>(work: (parts: Parts) => Promise<T>): Promise<T> {
    return this.#inTurn(() => work(this.#parts));
  }

  setPermissionMode(mode: PermissionMode): void {
    this.#parts.permissions.setMode(mode);
  }

  /** The body of the answer to `initialize`. */
  describe(): Record<string, unknown> {
    return initializeAnswer(this.#parts, this);
  }

  /** The questions to the host that are still open. */
  pendingPermissions(): JsonObject[] {
    return this.#peer?.unanswered('can_use_tool') ?? [];
  }

  reportBadInput(message: string, facts: { error_code?: string; input_uuid?: string } = {}): void {
    const ids = { session_id: this.id, uuid: this.#uuid() };
    this.#say({ type: 'system', subtype: 'input_error', error: message, ...facts, ...ids })?.catch(() => {});
  }

  /** Why a message with uuids is not taken; null when it is. */
  async refusalOf(input: UserInput): Promise<Refusal | null> {
    if (input.uuid === undefined && parentOf(input) === undefined) return null;
    const { refusalOf } = await import('./check-input.ts');
    return refusalOf(this.#parts, input);
  }

  async #run(): Promise<{ lastResultIsError: boolean }> {
    for await (const input of this.#inputs) {
      if (this.#stopped) {
        if (input !== NEWS) this.#dropped.unshift(input);
        break;
      }
      await (input === NEWS ? this.#answerNews() : this.#answer(input)).catch(() => {}); // nobody listens any more
      if (input !== NEWS && this.#policy.inputEnded && this.#parts.team) this.#inputs.wake();
      this.#policy.check();
    }
    for (const input of this.#dropped) await this.#cancel(input).catch(() => {});
    await this.#stopTasks();
    await this.#parts.hooks?.end({ isStopped: this.#stopped });
    await this.#inTurn(async () => {}); // what was asked for before the end
    await this.#parts.toolSession.backgroundTasks.close();
    for (const source of this.#sources) await source.close?.();
    await this.#parts.mcp?.close();
    await this.#parts.sandbox.close();
    await this.#parts.checkpoints?.close();
    await this.#parts.transcript.release();
    return { lastResultIsError: this.#lastResultIsError };
  }

  /** On disk, so that it can be found, and told to whoever still listens (ruling K26). */
  async #cancel(input: UserInput): Promise<void> {
    await this.#parts.recorder.cancel(input);
    await this.#tellLifecycle(input, 'cancelled');
  }

  /** What has happened beside the conversation begins a turn of its own. */
  async #answerNews(): Promise<void> {
    for (const source of this.#sources) {
      const news = await source.take();
      for (const line of news?.lines ?? []) await this.#say(line);
      if (!news) continue;
      await this.#answer(newsInput(news), news);
      this.#inputs.wake(); // what it has led to may be news already
    }
  }

  /** What has to be stopped before its time is told in a result of its own, the last one (ruling K25). */
  async #stopTasks(): Promise<void> {
    const parts = this.#parts;
    if (parts.toolSession.backgroundTasks.pending().length === 0) return;
    const { stopPendingTasks } = await import('./stop-tasks.ts');
    const tasks = await stopPendingTasks(parts);
    parts.ledger.beginTurn();
    const line = resultLine({ kind: 'background_stopped', tasks }, this.#resultFacts(emptyTally(), 0));
    await this.#sayResult(line).catch(() => {});
  }

  /** One turn, from the message taken from the queue to the result line. */
  async #answer(input: UserInput, news: News | null = null): Promise<void> {
    const parts = this.#parts;
    const controller = new AbortController();
    this.#running = controller;
    const { maxDurationMs } = parts.limits;
    const timer = maxDurationMs && startTimer(maxDurationMs, () => controller.abort(new Aborted('timeout')));
    parts.ledger.beginTurn();
    parts.extras = noExtras();
    try {
      await this.#inTurn(async () => {});
      await this.#turnTo(parentOf(input));
      await parts.team?.begin({ isLast: this.#policy.inputEnded || news !== null });
      await refreshRules(parts);
      await joinServers(parts, controller.signal);
      await this.#tellLifecycle(input, 'started');
      if (this.#refused) throw new HeddleError('not_supported', this.#refused);
      if (parts.mainAgent?.problem) throw new HeddleError('invalid_option', parts.mainAgent.problem);
      await parts.hooks?.begin(controller.signal);
      const command = commandOf(input, parts);
      const called = await calledPrompt(command, parts.extensions);
      if (command && !called) await this.#runCommand(command, input, controller.signal);
      else {
        const line = this.#runTurn(input, controller.signal, { called, news }).finally(() =>
          parts.checkpoints?.endTurn(),
        );
        await this.#sayResult(await line);
      }
    } catch (error) {
      await this.#broken(error);
    } finally {
      clearTimeout(timer || undefined);
      this.#running = null;
    }
    await this.#tellLifecycle(input, 'completed');
  }

  /** Goes on from another message than the last, where the input says so. */
  async #turnTo(parent: string | null | undefined): Promise<void> {
    if (parent === undefined) return;
    const { goOnFrom } = await import('./branches.ts');
    await goOnFrom(this.#parts, parent);
  }

  async #runTurn(input: UserInput, signal: AbortSignal, { called, news }: Begun): Promise<Message> {
    const parts = this.#parts;
    const { clock } = parts.runtime;
    const started = clock.now();
    const tally = emptyTally();
    this.#tally = tally;
    const blocked = news ? null : await parts.hooks?.submit(input, signal, called);
    if (blocked) {
      await this.#open(initLine(parts, this.#uuid()));
      await this.#say(blocked.line);
      return blocked.result;
    }
    const expanded = called && (await expandCalled(called, () => this.#makeTurn(tally), parts, signal));
    const { uuid, asked, lines } = await recordPrompt(parts, input, { expanded, news });
    tally.userMessageUuids.push(uuid);
    await this.#open(initLine(parts, this.#uuid()));
    for (const line of lines) await this.#say(line);
    if (parts.replayUserMessages && !news) this.#heldReplay = replayLine(input, uuid, this.id);
    const turn = this.#makeTurn(tally, asked);
    const end = await drive(runTurn(turn, signal), (line) => this.#say(line));
    parts.runtime.log('debug', `A turn ended: ${end.kind}`, { toolRounds: tally.rounds });
    await recordEnd(parts, input);
    await parts.hooks?.ended(end, signal);
    const facts = this.#resultFacts(tally, clock.now() - started);
    return resultLine(end, { ...facts, structuredOutput: turn.structured?.output ?? null });
  }

  async #runCommand(command: CommandLine, input: UserInput, signal: AbortSignal): Promise<void> {
    const { commandTurn } = await import('./command-turn.ts');
    const uuid = input.uuid ?? this.#uuid();
    if (this.#parts.replayUserMessages) this.#heldReplay = replayLine(input, uuid, this.id);
    const makeOwn = () => this.#makeTurn(emptyTally());
    const seams: CommandSeams = { setModel: (name) => this.setModel(name), makeTurn: makeOwn };
    for await (const line of commandTurn({ ...command, uuid }, this.#parts, seams, signal)) {
      if (line.type === 'result') {
        await recordEnd(this.#parts, input);
        await this.#sayResult(input.uuid === undefined ? line : { ...line, user_message_uuids: [uuid] });
      } else {
        await (line.type === 'system' && line.subtype === 'init' ? this.#open(line) : this.#say(line));
      }
    }
  }

  /** The line that opens a turn; after the first one comes what a resume has to tell. */
  async #open(init: Message): Promise<void> {
    await this.#say(init);
    const { transcript, replayHistory } = this.#parts;
    if (this.#isIntroduced || (!transcript.report && !replayHistory)) return;
    this.#isIntroduced = true;
    const { resumeLines } = await import('./resume-lines.ts');
    for (const line of resumeLines(this.#parts)) await this.#say(line);
  }

  /** What was said during the turn joins it; commands and what goes on elsewhere wait for their own turn. */
  #takeQueued(tally: Tally, asked: ContentBlock[]): Promise<Message[]> {
    const parts = this.#parts;
    const joins = (each: UserInput) => commandOf(each, parts) === null && parentOf(each) === undefined;
    const signal = this.#running?.signal ?? new AbortController().signal;
    return foldInputs(parts, this.#inputs.takeWhile(joins), { tally, asked, signal });
  }

  #makeTurn(tally: Tally, asked: ContentBlock[] = []): Turn {
    return makeTurn(this.#parts, tally, asked, {
      say: (message) => this.#say(message),
      takeQueued: () => this.#takeQueued(tally, asked),
    });
  }

  async #tellLifecycle(input: UserInput, state: LifecycleState): Promise<void> {
    for (const line of lifecycleLines(input, [state], () => this.#uuid(), this.id)) await this.#say(line);
  }

  #tellMode(permissionMode: PermissionMode): void {
    const ids = { session_id: this.id, uuid: this.#uuid() };
    this.#say({ type: 'system', subtype: 'status', status: null, permissionMode, ...ids })?.catch(() => {});
  }

  #say(message: Message): Promise<void> | undefined {
    const held = this.#heldReplay;
    this.#heldReplay = null;
    noteSpoken(this.#parts, message);
    if (held) this.#say(held)?.catch(() => {}); // a reader that is gone is noticed with the message itself
    return this.#emit(message)?.catch((error) => {
      // Nobody listens any more: stop spending (trust P-15).
      this.stop(new Aborted('shutdown'));
      throw error;
    });
  }

  async #sayResult(line: Message): Promise<void> {
    this.#running = null; // whoever hears of the end may act on it
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
    const line = resultLine(
      { kind: 'broken', code: error.code, message: error.message },
      this.#resultFacts(this.#tally, 0),
    );
    await this.#sayResult(line).catch(() => {});
  }

  #resultFacts(tally: Tally, durationMs: number): ResultFacts {
    const { ledger } = this.#parts;
    return {
      sessionId: this.id,
      uuid: this.#uuid(),
      durationMs,
      ledger,
      tally,
      pendingTasks: pendingTasks(this.#parts),
    };
  }

  #uuid(): string {
    return this.#parts.runtime.ids.uuid();
  }
}
