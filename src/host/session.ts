import { resultLine } from '../agent/result.ts';
import { emptyTally, type Tally } from '../agent/turn.ts';
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
import { assemble } from './assemble.ts';
import type { Refusal } from './check-input.ts';
import { closeSession } from './close-session.ts';
import { commandOf, isAnswered } from './command-line.ts';
import { refreshRules } from './configuration.ts';
import { EndPolicy } from './end-policy.ts';
import type { Engine } from './engine.ts';
import { calledPrompt, noExtras } from './extensions.ts';
import { hookNews } from './hooks.ts';
import { InputQueue, NEWS } from './input-queue.ts';
import { joinServers } from './mcp.ts';
import type { Parts } from './parts.ts';
import { foldInputs, goesElsewhere, isPatient } from './record-input.ts';
import { answerMessage, resultFacts, type SessionSeams } from './run-turn.ts';
import { type News, type NewsSource, newsInput, stopAgents, watchSessionTasks } from './session-tasks.ts';
import type { Opening } from './transcript.ts';
import { type Emit, Voice } from './voice.ts';

/** Opens a session: new, resumed, continued or forked, as the launch says. Rejects with a HeddleError. */
export async function openSession(engine: Engine, launch: Launch, emit: Emit, opening: Opening = {}): Promise<Session> {
  const parts = await assemble(engine, launch, { mirror: emit, ...opening });
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
  readonly #voice: Voice;
  readonly #seams: SessionSeams;
  readonly #inputs = new InputQueue();
  /** What begins turns by itself. */
  readonly #sources: readonly NewsSource[];
  readonly #policy: EndPolicy;
  #running: AbortController | null = null;
  /** Something was taken from the queue, and what comes of it is not over. */
  #isAnswering = false;
  #stopped = false;
  /** What was still queued when everything was stopped. */
  readonly #dropped: UserInput[] = [];
  #refused: string | null = null;
  /** Whether no turn of news has failed since the last prompt. */
  #isTold = true;
  /** Whether a host has stopped all that waited: news wait for the next prompt. */
  #isHeld = false;
  #lastResultIsError = false;
  /** Whether a result has said that the budget is used up. It stays so: a session has one budget, and costs only grow. */
  #isBudgetTold = false;
  /** How many there were; a host that misses one can see it. */
  #results = 0;
  #peer: Peer | null = null;
  /** Of the turn that is running or was last. */
  #tally = emptyTally();
  /** Settings that are still being applied; the next turn waits for them. */
  readonly #inTurn = oneAtATime();
  /** Resolves when the input has ended and every turn is over. Never rejects. */
  readonly finished: Promise<{ lastResultIsError: boolean }>;

  constructor(parts: Parts, emit: Emit) {
    this.#parts = parts;
    // When nobody listens any more: stop spending (trust P-15).
    this.#voice = new Voice(parts, emit, () => this.stop(new Aborted('shutdown')));
    this.#seams = {
      voice: this.#voice,
      takeQueued: (tally, asked) => this.#takeQueued(tally, asked),
      setModel: (name) => this.setModel(name, 'command'),
    };
    parts.permissions.onModeChange = (mode) => this.#voice.tellMode(mode);
    parts.say = (message) => this.#voice.say(message);
    parts.isAnswering = () => this.#isAnswering || !this.#inputs.isEmpty;
    parts.ask = () => (parts.asksHost && this.#peer ? askOverControl(this.#peer, this.#voice) : parts.askTool);
    const { team } = parts;
    if (team) team.onNews = () => this.#wake();
    parts.wake = () => this.#wake();
    this.#sources = [watchSessionTasks(parts, parts.wake), hookNews(parts), ...(team ? [team] : [])];
    this.#policy = new EndPolicy({
      ...parts.endPolicy,
      now: () => parts.runtime.clock.now(),
      isBusy: () => this.#isAnswering || !this.#inputs.isEmpty,
      isOpen: () => this.#sources.some((source) => source.isOpen()),
      mayBegin: () => this.#sources.some((source) => source.isOpen() && !source.isQuiet?.()),
      rest: parts.stateLines === 'none' ? null : () => this.#voice.tellIdle(),
      finish: () => this.#inputs.end(),
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
    // So that questions and what hooks are told of them keep their order.
    if (this.#parts.asksHost) import('./question.ts').catch(() => {});
  }

  /** Queues a message; its turn begins when those before it are over, or it joins the one that is running. */
  submit(input: UserInput): void {
    if (this.#policy.inputEnded || this.#stopped) {
      this.reportBadInput('The input has ended; the message was not sent');
      return;
    }
    if (input.uuid !== undefined) this.#parts.uuids.add(input.uuid);
    this.#voice.tellLifecycle(input, 'queued').catch(() => {});
    this.#inputs.push(input);
    // Who goes on from elsewhere has turned away from what is being said (ruling K41).
    if (!goesElsewhere(input) || !this.#running || isPatient(input)) return;
    this.withdrawQuestions();
    this.interrupt(new Aborted('interrupt'));
  }

  /** The messages that wait for their turn, as far as they have a uuid to be told by. */
  queuedUuids(): string[] {
    return this.#inputs.uuids();
  }

  /** Takes back messages that wait for their turn: that one, or all, and then news wait for a prompt, too. Their uuids. */
  async withdraw(uuid?: string): Promise<string[]> {
    if (uuid === undefined) for (const source of this.#sources) source.postpone?.();
    this.#isHeld ||= uuid === undefined;
    const inputs = uuid === undefined ? this.#inputs.drain() : this.#inputs.withdraw(uuid);
    for (const input of inputs) {
      if (input.uuid !== undefined) this.#parts.uuids.delete(input.uuid); // never said, so it may be said yet
      await this.#cancel(input);
    }
    return inputs.flatMap((input) => input.uuid ?? []);
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
    this.#peer?.cancel('elicitation');
  }

  /** Ends the running turn with a result; queued messages are answered next. Without a turn nothing happens. */
  interrupt(reason: Aborted): void {
    this.#running?.abort(reason);
  }

  /** An interrupt reaches all agents, also those that nobody waits for; what runs in the shell goes on. */
  stopAgents(): void {
    if (!this.#parts.interruptSparesTasks) stopAgents(this.#parts.toolSession.backgroundTasks);
  }

  /** Ends everything: the running turn is interrupted and still gets its result, queued messages are dropped. */
  stop(reason: Aborted): void {
    this.#stopped = true;
    this.#policy.close();
    this.#dropped.push(...this.#inputs.drain());
    this.#inputs.end();
    this.interrupt(reason);
  }

  /** Undefined or `default`: back to the model of the launch. The next turn waits until it is found. Resolves with its id. */
  setModel(name: string | undefined, source: 'command' | 'sdk' = 'sdk'): Promise<string> {
    return this.change(async (parts) => (await import('./use-model.ts')).changeModel(parts, name, source));
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

  /** For what is told at once, before what was asked for takes effect. */
  get parts(): Parts {
    return this.#parts;
  }

  /** The questions of this kind to the host that are still open. */
  pending(subtype: string): JsonObject[] {
    return this.#peer?.unanswered(subtype) ?? [];
  }

  reportBadInput(message: string, facts: { error_code?: string; input_uuid?: string } = {}): void {
    this.#voice.mention('input_error', { error: message, ...facts });
  }

  /** Why a message with uuids is not taken; null when it is. */
  async refusalOf(input: UserInput): Promise<Refusal | null> {
    if (input.uuid === undefined && !goesElsewhere(input) && !input.restore_files) return null;
    const { refusalOf } = await import('./check-input.ts');
    return refusalOf(this.#parts, input);
  }

  async #run(): Promise<{ lastResultIsError: boolean }> {
    for await (const input of this.#inputs) {
      if (this.#stopped) {
        if (input !== NEWS) this.#dropped.unshift(input);
        break;
      }
      this.#isAnswering = true;
      const handled = this.#results === 0 && this.#parts.mainAgent ? this.#begin(input) : this.#handle(input);
      await handled.catch(() => {}); // nobody listens any more
      this.#isAnswering = false;
      if (input !== NEWS && (this.#parts.team || !this.#isTold)) this.#inputs.wake();
      if (input !== NEWS) this.#isTold = true;
      this.#policy.check();
    }
    for (const input of this.#dropped) await this.#cancel(input).catch(() => {});
    await closeSession(this.#parts, {
      isStopped: () => this.#stopped,
      sources: this.#sources,
      stopTasks: () => this.#stopTasks().finally(() => this.#voice.tellIdle()),
      settle: () => this.#inTurn(async () => {}), // what was asked for before the end
    });
    return { lastResultIsError: this.#lastResultIsError };
  }

  /** First what the agent that the main thread runs as wants to be said, once. It may come with `initialize`. */
  async #begin(input: UserInput | typeof NEWS): Promise<void> {
    const early = new AbortController();
    this.#running = early; // an interrupt that comes meanwhile is one of the turn that begins
    await this.#inTurn(async () => {});
    const content = this.#parts.takeInitialPrompt();
    const begun =
      content === null ? this.#handle(input) : this.#answer({ type: 'user', message: { role: 'user', content } });
    if (early.signal.aborted) this.#running?.abort(early.signal.reason);
    await begun;
    if (content !== null) await this.#handle(input);
  }

  #handle(input: UserInput | typeof NEWS): Promise<void> {
    if (input === NEWS) return this.#answerNews();
    this.#isTold &&= !this.#isHeld; // what was held is told behind this one
    this.#isHeld = false;
    return input.shouldQuery === false ? this.#append(input) : this.#answer(input);
  }

  /** A message that is not to be answered now: the next request brings it along. */
  #append(input: UserInput): Promise<void> {
    return this.change(async (parts) => {
      const { appendInput } = await import('./append-input.ts');
      const appended = await appendInput(parts, input, this.#refused);
      if ('error' in appended) this.reportBadInput(appended.error, appended.facts);
      else for (const line of appended.lines) await this.#voice.say(line);
    });
  }

  /** On disk, so that it can be found, and told to whoever still listens (ruling K26). */
  async #cancel(input: UserInput): Promise<void> {
    await this.#parts.recorder.cancel(input);
    await this.#voice.tellLifecycle(input, 'cancelled');
  }

  /** What has happened beside the conversation begins a turn of its own. */
  async #answerNews(): Promise<void> {
    for (const source of this.#sources) {
      const news = await source.take();
      for (const line of news?.lines ?? []) await this.#voice.say(line);
      if (this.#stopped) return; // there was no turn yet that could have been interrupted; whoever resumes is told
      if (!news) continue;
      let isDelivered = false;
      const delivered = async () => {
        isDelivered = true;
        await news.delivered?.();
      };
      const told = { ...news, delivered };
      // No model can be asked any more, and a result has said so: the news are kept for whoever resumes the session.
      if (this.#isBudgetTold)
        await this.change(async (parts) => (await import('./keep-news.ts')).keepNews(parts, told));
      else await this.#answer(newsInput(news), told);
      if (!isDelivered) news.undelivered?.();
      // What it has led to may be news already. What could not be told is not tried again before the next prompt.
      this.#isTold &&= isDelivered;
      if (isDelivered) this.#inputs.wake();
    }
  }

  /** What has to be stopped before its time is told in a result of its own, the last one (ruling K25). */
  async #stopTasks(): Promise<void> {
    const parts = this.#parts;
    if (parts.toolSession.backgroundTasks.pending().length === 0) return;
    const { stopWithResult } = await import('./stop-tasks.ts');
    await this.#sayResult(await stopWithResult(parts)).catch(() => {});
  }

  /** One turn, from the message taken from the queue to the result line. */
  async #answer(input: UserInput, news: News | null = null): Promise<void> {
    const parts = this.#parts;
    const controller = new AbortController();
    this.#running = controller;
    this.#voice.tellRunning();
    this.#policy.pause({ isAsked: news === null });
    const { maxDurationMs } = parts.limits;
    const timer = maxDurationMs && startTimer(maxDurationMs, () => controller.abort(new Aborted('timeout')));
    parts.ledger.beginTurn();
    parts.extras = noExtras();
    try {
      await this.#inTurn(async () => {});
      if (goesElsewhere(input)) await (await import('./edits.ts')).turnTo(parts, input);
      await parts.team?.begin({ isLast: this.#policy.inputEnded || news !== null });
      await refreshRules(parts);
      await joinServers(parts, controller.signal);
      await this.#voice.tellLifecycle(input, 'started');
      if (this.#refused) throw new HeddleError('not_supported', this.#refused);
      if (parts.mainAgent?.problem) throw new HeddleError('invalid_option', parts.mainAgent.problem);
      await parts.hooks?.begin(controller.signal);
      const command = commandOf(input, parts);
      const called = await calledPrompt(command, parts);
      if (command && !called && isAnswered(command, parts)) {
        const { answerCommand } = await import('./answer-command.ts');
        const line = await answerCommand(parts, { command, input }, this.#seams, controller.signal);
        if (line) await this.#sayResult(line);
      } else {
        this.#tally = emptyTally();
        const begun = { called, news, tally: this.#tally };
        const line = answerMessage(parts, input, begun, this.#seams, controller.signal);
        await this.#sayResult(await line.finally(() => parts.checkpoints?.endTurn()));
      }
    } catch (error) {
      await this.#broken(error);
    } finally {
      clearTimeout(timer || undefined);
      this.#running = null;
    }
    await this.#voice.tellLifecycle(input, 'completed');
  }

  /** What was said during the turn joins it; commands, what goes on elsewhere and what has time wait for their own turn. */
  #takeQueued(tally: Tally, asked: ContentBlock[]): Promise<Message[]> {
    const parts = this.#parts;
    const joins = (each: UserInput) =>
      each.priority !== 'later' && commandOf(each, parts) === null && !goesElsewhere(each);
    const signal = this.#running?.signal ?? new AbortController().signal;
    return foldInputs(parts, this.#inputs.takeWhile(joins), { tally, asked, signal });
  }

  async #sayResult(line: Message): Promise<void> {
    this.#running = null; // whoever hears of the end may act on it
    const result = line as { is_error?: boolean; subtype?: string };
    this.#lastResultIsError = result.is_error === true;
    this.#isBudgetTold ||= result.subtype === 'error_max_budget_usd';
    const counts = { result_index: this.#results++, queued_turn_count: this.#inputs.size };
    await this.#voice.say({ ...line, ...counts } as Message);
  }

  /** The store or the engine itself failed: the turn still ends with a result that says so. */
  async #broken(thrown: unknown): Promise<void> {
    const error = toHeddleError(thrown);
    this.#lastResultIsError = true;
    if (error.code === 'closed') return;
    const level = error.code === 'other' ? 'error' : 'debug'; // one with a code is in the result; any other is a bug
    const { stack } = error.cause instanceof Error ? error.cause : error;
    this.#parts.runtime.log(level, `The turn failed: ${error.message}`, { code: error.code, stack });
    const end = { kind: 'broken' as const, code: error.code, message: error.message };
    await this.#sayResult(resultLine(end, resultFacts(this.#parts, this.#tally, 0))).catch(() => {});
  }
}
