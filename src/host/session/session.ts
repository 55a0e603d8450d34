import { resultLine } from '../../agent/result.ts';
import { lineIds, systemLine } from '../../agent/system-line.ts';
import { emptyTally, type Tally } from '../../agent/turn.ts';
import { Aborted } from '../../util/abort.ts';
import { messageOf } from '../../util/message-of.ts';
import { oneAtATime } from '../../util/one-at-a-time.ts';
import { startTimer } from '../../util/timer.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import { HeddleError, toHeddleError } from '../../wire/errors.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import { type TurnTrigger, triggerPrompt } from '../background/turn-triggers.ts';
import { answerCommand } from '../commands/command-turn.ts';
import { refusalOf } from '../conversation/check-uuids.ts';
import { isUnfinished } from '../conversation/continue-turn.ts';
import type { Refusal } from '../conversation/conversation.ts';
import { turnTo } from '../conversation/edit-prompt.ts';
import { mentioned } from '../conversation/mentions.ts';
import { goesElsewhere, isPatient } from '../conversation/user-input.ts';
import { calledPrompt } from '../extensions/extensions.ts';
import { commandOf, isAnswered } from '../extensions/parse-command.ts';
import type { Outbox } from '../link/outbox.ts';
import { nothingToContinue } from '../resume/open-transcript.ts';
import { answerMessage, type MainTurnDependencies, resultDetails } from '../thread/run-turn.ts';
import { changeModel } from '../thread/switch-model.ts';
import type { MainThread } from '../thread/thread.ts';
import { closeSession, stopWithResult } from './close-session.ts';
import { EndPolicy } from './end-policy.ts';
import { CONTINUATION, InputQueue, TRIGGER } from './input-queue.ts';
import { refreshRules } from './refresh-rules.ts';
import { waitForServers } from './wait-for-servers.ts';

/**
 * One conversation with a host: a queue of user messages, at most one running turn, and the end. Every line goes through
 * the outbox, in order; a message of the transcript is on disk before it is sent.
 */
export class Session {
  readonly #main: MainThread;
  readonly #outbox: Outbox;
  readonly #dependencies: MainTurnDependencies;
  readonly #inputs = new InputQueue();
  readonly #policy: EndPolicy;
  #running: AbortController | null = null;
  /** A message was taken from the queue, and its turn is not over. */
  #isAnswering = false;
  #stopped = false;
  /** The messages that were still queued when the session was stopped. */
  readonly #dropped: UserInput[] = [];
  #refused: string | null = null;
  /** Whether every turn of a trigger has worked since the last prompt. */
  #triggersWork = true;
  /** Whether a host has withdrawn all queued messages: triggers then wait for the next prompt. */
  #isHeld = false;
  #lastResultIsError = false;
  /** Whether a result has reported that the budget is used up. Never reset: a session has one budget, and costs only grow. */
  #isBudgetReported = false;
  /** How many results were sent. Hosts detect a missing one by the number. */
  #results = 0;
  /** Belongs to the turn that is running or was last. */
  #tally = emptyTally();
  /** Runs changes one at a time. The next turn waits for them. */
  readonly #inTurn = oneAtATime();
  /** Resolves when the input has ended and every turn is over. Never rejects. */
  readonly finished: Promise<{ lastResultIsError: boolean }>;

  constructor(main: MainThread) {
    this.#main = main;
    const { link, triggers, options, runtime } = main.services;
    this.#outbox = link.outbox;
    // Without a reader the session must not spend any more.
    link.outbox.onGone(() => this.stop(new Aborted('shutdown')));
    this.#dependencies = {
      outbox: this.#outbox,
      takeQueued: (tally, asked) => this.#takeQueued(tally, asked),
      setModel: (name) => this.change(() => changeModel(main, name, 'command')),
    };
    triggers.onWake(() => this.#wake());
    const { sources } = triggers;
    this.#policy = new EndPolicy({
      ...options.endPolicy,
      now: () => runtime.clock.now(),
      isBusy: () => this.isAnswering,
      isOpen: () => sources.some((source) => source.isOpen()),
      mayBegin: () => sources.some((source) => source.isOpen() && !source.isQuiet?.()),
      rest: options.stateLines === 'none' ? null : () => this.#outbox.announceIdle(),
      finish: () => this.#inputs.end(),
    });
    this.finished = this.#run();
  }

  /** The thread that answers the user. */
  get main(): MainThread {
    return this.#main;
  }

  /** Whether a turn is running or a message waits for one. */
  get isAnswering(): boolean {
    return this.#isAnswering || !this.#inputs.isEmpty;
  }

  /**
   * Lets prompts end in an error until an `initialize` succeeds: a host whose `initialize` was refused may rely on what it
   * asked for, and sends prompts without waiting for the answer. Null: prompts are answered.
   */
  refuse(reason: string | null): void {
    this.#refused = reason;
  }

  /** Queues a message; its turn begins when those before it are over, or it joins the one that is running. */
  submit(input: UserInput): void {
    if (this.#policy.inputEnded || this.#stopped) {
      this.reportBadInput('The input has ended; the message was not sent');
      return;
    }
    if (input.uuid !== undefined) this.#main.conversation.uuids.add(input.uuid);
    this.#outbox.announceLifecycle(input, 'queued').catch(() => {});
    this.#inputs.push(input);
    // A message that continues from elsewhere makes the running turn pointless.
    if (!goesElsewhere(input) || !this.#running || isPatient(input)) return;
    this.#main.services.link.withdrawQuestions();
    this.interrupt(new Aborted('interrupt'));
  }

  /** Continues the unfinished turn without a new message. Refuses when it is complete, or when a turn is running. */
  continueTurn(): void {
    if (this.isAnswering) throw new HeddleError('nothing_to_continue', 'A turn is running or waits: it needs no other');
    if (!isUnfinished(this.#main.conversation)) throw nothingToContinue();
    this.#inputs.push(CONTINUATION);
  }

  /** The uuids of the messages that wait for their turn. Messages without a uuid are left out. */
  queuedUuids(): string[] {
    return this.#inputs.uuids();
  }

  /**
   * Withdraws the queued message with this uuid, or all of them. After all, triggers wait for the next prompt, too.
   * Resolves with the uuids of what was withdrawn.
   */
  async withdraw(uuid?: string): Promise<string[]> {
    if (uuid === undefined) for (const source of this.#main.services.triggers.sources) source.postpone?.();
    this.#isHeld ||= uuid === undefined;
    const inputs = uuid === undefined ? this.#inputs.drain() : this.#inputs.withdraw(uuid);
    for (const input of inputs) {
      if (input.uuid !== undefined) this.#main.conversation.uuids.delete(input.uuid); // never recorded, so that the host may send it again
      await this.#cancel(input);
    }
    return inputs.flatMap((input) => input.uuid ?? []);
  }

  /** No more messages follow. Queued messages are still answered, and background work comes to its end. */
  endInput(): void {
    const { team } = this.#main.services.agents;
    team?.inputEnded();
    if (team) this.#inputs.wake(); // the team may have nothing left to do
    this.#policy.endInput();
  }

  /** A trigger waits for a turn. */
  #wake(): void {
    this.#inputs.wake();
    this.#policy.check();
  }

  /** Ends the running turn with a result; queued messages are answered next. Without a turn nothing happens. */
  interrupt(reason: Aborted): void {
    this.#running?.abort(reason);
  }

  /** Ends everything: the running turn is interrupted and still gets its result, queued messages are dropped. */
  stop(reason: Aborted): void {
    this.#stopped = true;
    this.#policy.close();
    this.#dropped.push(...this.#inputs.drain());
    this.#inputs.end();
    this.interrupt(reason);
  }

  /** Whether a turn is running. */
  get isBusy(): boolean {
    return this.#running !== null;
  }

  /** Runs `work`, which reads or changes the session, after all changes before it. The next turn waits for it. */
  change<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(work);
  }

  /** Sends an error line about input that is not taken. */
  reportBadInput(message: string, details: { error_code?: string; input_uuid?: string } = {}): void {
    this.#outbox.notify('input_error', { error: message, ...details });
  }

  /** Why the uuids of a message forbid to take it; null when they do not. */
  async refusalOf(input: UserInput): Promise<Refusal | null> {
    if (input.uuid === undefined && !goesElsewhere(input) && !input.restore_files) return null;
    return refusalOf(this.#main.conversation, input);
  }

  async #run(): Promise<{ lastResultIsError: boolean }> {
    for await (const input of this.#inputs) {
      if (this.#stopped) {
        if (input !== TRIGGER) this.#dropped.unshift(input);
        break;
      }
      this.#isAnswering = true;
      const handled = this.#results === 0 && this.#main.identity.role ? this.#begin(input) : this.#handle(input);
      await handled.catch(() => {}); // the reader is gone
      this.#isAnswering = false;
      if (input !== TRIGGER && (this.#main.services.agents.team || !this.#triggersWork)) this.#inputs.wake();
      if (input !== TRIGGER) this.#triggersWork = true;
      this.#policy.check();
    }
    for (const input of this.#dropped) await this.#cancel(input).catch(() => {});
    await closeSession(this.#main, {
      isStopped: () => this.#stopped,
      stopTasks: () => this.#stopTasks().finally(() => this.#outbox.announceIdle()),
      settle: () => this.#inTurn(async () => {}), // changes that were requested before the end
    });
    return { lastResultIsError: this.#lastResultIsError };
  }

  /** Answers the initial prompt of the agent that the main thread runs as, once. `initialize` may bring that agent. */
  async #begin(input: UserInput | typeof TRIGGER): Promise<void> {
    const early = new AbortController();
    this.#running = early; // an interrupt in the meantime counts for the turn that begins
    await this.#inTurn(async () => {});
    const content = this.#main.identity.takeInitialPrompt();
    const begun =
      content === null ? this.#handle(input) : this.#answer({ type: 'user', message: { role: 'user', content } });
    if (early.signal.aborted) this.#running?.abort(early.signal.reason);
    await begun;
    if (content !== null) await this.#handle(input);
  }

  #handle(input: UserInput | typeof TRIGGER): Promise<void> {
    if (input === TRIGGER) return this.#answerTrigger();
    this.#triggersWork &&= !this.#isHeld; // triggers that were held follow this message
    this.#isHeld = false;
    return input.shouldQuery === false ? this.#append(input) : this.#answer(input);
  }

  /** Adds a message that is not to be answered: the next request to the model includes it. */
  #append(input: UserInput): Promise<void> {
    return this.change(async () => {
      const { conversation } = this.#main;
      const appended = await conversation.append(input, {
        prepare: async () => {
          if (this.#refused !== null) throw new HeddleError('not_supported', this.#refused);
          if (goesElsewhere(input)) await this.#turnTo(input);
        },
        readMentions: (prompt, signal) => mentioned(this.#main, prompt, signal),
      });
      if ('error' in appended) this.reportBadInput(appended.error, appended.details);
      else for (const line of appended.lines) await this.#outbox.send(line);
    });
  }

  /** Records that a message was cancelled, and announces it to the host. */
  async #cancel(input: UserInput): Promise<void> {
    if (input === CONTINUATION) return; // nothing of it is on disk
    await this.#main.conversation.events.cancel(input);
    await this.#outbox.announceLifecycle(input, 'cancelled');
  }

  /** Answers what has happened in the background, with a turn for each source. */
  async #answerTrigger(): Promise<void> {
    for (const source of this.#main.services.triggers.sources) {
      const trigger = await source.take();
      for (const line of trigger?.lines ?? []) await this.#outbox.send(line);
      if (this.#stopped) return; // no turn has begun; a resumed session gets the trigger
      if (!trigger) continue;
      let isRecorded = false;
      const recorded = async () => {
        isRecorded = true;
        await trigger.recorded?.();
      };
      const watched = { ...trigger, recorded };
      // Without budget no model can be asked: the trigger is recorded for a resumed session.
      if (this.#isBudgetReported) await this.change(() => recordTrigger(this.#main, watched));
      else await this.#answer(triggerPrompt(trigger), watched);
      if (!isRecorded) trigger.notRecorded?.();
      // A turn may lead to the next trigger. A trigger that was not recorded is not tried again before the next prompt.
      this.#triggersWork &&= isRecorded;
      if (isRecorded) this.#inputs.wake();
    }
  }

  /** Stops background tasks that still run, and reports them in a last result of its own. */
  async #stopTasks(): Promise<void> {
    if (this.#main.services.background.tasks.pending().length === 0) return;
    await this.#sendResult(await stopWithResult(this.#main)).catch(() => {});
  }

  /** One turn, from the message taken from the queue to the result line. */
  async #answer(input: UserInput, trigger: TurnTrigger | null = null): Promise<void> {
    const main = this.#main;
    const { services, budget, identity, hooks, scope, workplace } = main;
    const controller = new AbortController();
    this.#running = controller;
    this.#outbox.announceRunning();
    this.#policy.pause({ isAsked: trigger === null });
    const { maxDurationMs } = budget.limits;
    const timer = maxDurationMs && startTimer(maxDurationMs, () => controller.abort(new Aborted('timeout')));
    budget.ledger.beginTurn();
    scope.begin();
    try {
      await this.#inTurn(async () => {});
      if (goesElsewhere(input)) await this.#turnTo(input);
      await services.agents.team?.begin({ isLast: this.#policy.inputEnded || trigger !== null });
      await refreshRules(main);
      await waitForServers(main, controller.signal);
      await this.#outbox.announceLifecycle(input, 'started');
      if (this.#refused) throw new HeddleError('not_supported', this.#refused);
      if (identity.role?.problem) throw new HeddleError('invalid_option', identity.role.problem);
      await hooks.current?.begin(controller.signal);
      const command = commandOf(input, services.options);
      const called = await calledPrompt(command, services.extensions.current, services.mcp.current);
      if (command && !called && isAnswered(command, services.preferences)) {
        const line = await answerCommand(main, { command, input }, this.#dependencies, controller.signal);
        if (line) await this.#sendResult(line);
      } else {
        this.#tally = emptyTally();
        const begun = { called, trigger, tally: this.#tally, continues: input === CONTINUATION };
        const line = answerMessage(main, input, begun, this.#dependencies, controller.signal);
        await this.#sendResult(await line.finally(() => workplace.checkpoints?.endTurn()));
      }
    } catch (error) {
      await this.#broken(error);
    } finally {
      clearTimeout(timer || undefined);
      this.#running = null;
    }
    await this.#outbox.announceLifecycle(input, 'completed');
  }

  /**
   * Lets messages that came during the turn join it. Commands, messages that continue from elsewhere, and those that can
   * wait get a turn of their own.
   */
  #takeQueued(tally: Tally, asked: ContentBlock[]): Promise<Message[]> {
    const { options } = this.#main.services;
    const joins = (each: UserInput) =>
      each !== CONTINUATION && each.priority !== 'later' && commandOf(each, options) === null && !goesElsewhere(each);
    const signal = this.#running?.signal ?? new AbortController().signal;
    const readMentions = (prompt: UserInput, by: AbortSignal) => mentioned(this.#main, prompt, by);
    return this.#main.conversation.joinTurn(this.#inputs.takeWhile(joins), { tally, asked, readMentions, signal });
  }

  /** Continues from the message that an input names, and sends a line when files were restored. */
  async #turnTo(input: UserInput): Promise<void> {
    const { conversation, services } = this.#main;
    const ids = { sessionId: services.id, runtime: services.runtime };
    await turnTo(conversation, input, async (restored) => {
      await services.link.send(systemLine(lineIds(ids), 'files_restored', restored));
    });
  }

  async #sendResult(line: Message): Promise<void> {
    this.#running = null; // the host may act on the result at once
    const result = line as { is_error?: boolean; subtype?: string };
    this.#lastResultIsError = result.is_error === true;
    this.#isBudgetReported ||= result.subtype === 'error_max_budget_usd';
    const counts = { result_index: this.#results++, queued_turn_count: this.#inputs.size };
    await this.#outbox.send({ ...line, ...counts } as Message);
  }

  /** Ends a turn in which the store or the engine itself failed, with a result that says so. */
  async #broken(thrown: unknown): Promise<void> {
    const error = toHeddleError(thrown);
    this.#lastResultIsError = true;
    if (error.code === 'closed') return;
    if (error.code === 'session_taken') this.stop(new Aborted('taken'));
    const level = error.code === 'other' ? 'error' : 'debug'; // an error without a code is a bug
    const { stack } = error.cause instanceof Error ? error.cause : error;
    this.#main.services.runtime.log(level, `The turn failed: ${error.message}`, { code: error.code, stack });
    const end = { kind: 'broken' as const, code: error.code, message: error.message };
    await this.#sendResult(resultLine(end, resultDetails(this.#main, this.#tally, 0))).catch(() => {});
  }
}

/**
 * Records a trigger that no turn can answer any more, and the cost of the work that it reports: a resumed session has both
 * in its conversation. Never rejects. A failure is logged, and the trigger then counts as not recorded.
 */
async function recordTrigger(main: MainThread, trigger: TurnTrigger): Promise<void> {
  const input = triggerPrompt(trigger);
  const { signal } = new AbortController(); // never aborted: nothing in here waits for long
  try {
    const { lines } = await main.conversation.recordPrompt(input, {
      ...{ expanded: null, trigger, signal },
      readMentions: (prompt, by) => mentioned(main, prompt, by),
    });
    for (const line of lines) await main.services.link.send(line);
    await main.conversation.endTurn(input, main.budget.ledger);
  } catch (error) {
    main.services.runtime.log('warn', `What happened beside the conversation was not recorded: ${messageOf(error)}`);
  }
}
