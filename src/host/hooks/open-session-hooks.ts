import type { TurnEnd } from '../../agent/loop.ts';
import type { Dispatcher, Hooks } from '../../hooks/dispatch.ts';
import type { HookSource } from '../../hooks/hook.ts';
import type { TaskStore } from '../../tools/task-list/task-store.ts';
import { messageOf } from '../../util/message-of.ts';
import { within } from '../../util/timer.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { CalledPrompt } from '../extensions/extensions.ts';
import type { ConfiguredHooks } from '../launch/hook-settings.ts';
import type { LoadedSettings } from '../launch/load-settings.ts';
import { HookContext } from './hook-context.ts';
import { type HookDispatcherOptions, hookDispatcher, sessionHookEnv } from './hook-dispatcher.ts';
import { ENV_EVENTS, type HookEnv } from './hook-environment.ts';
import { HookRegistry } from './hook-registry.ts';
import { createWakes, type HookWakes } from './hook-wakeups.ts';
import type { HookActions, HookedThread } from './hooked-thread.ts';
import { PromptHooks } from './prompt-hooks.ts';
import type { SessionHooks } from './session-hooks.ts';
import { SettingsHooks } from './settings-hooks.ts';
import { startFields } from './start-fields.ts';
import { StopHooks } from './stop-hooks.ts';
import { watchTasks } from './task-hooks.ts';
import { createDirectoryWatch, type DirectoryWatch } from './watch-files.ts';

export interface SessionHooksOptions extends HookDispatcherOptions, HookActions {
  configured: readonly ConfiguredHooks[];
  /** What the launch runs before the conversation: the set-up of the project, or its maintenance. */
  setup: 'init' | 'maintenance' | null;
}

/** How long hooks may take at the end of a stopped session, and hooks in the background at the end of any session. */
const STOPPED_MS = 2000;
const SETTLE_MS = 5000;

/** Opens the hooks of a session: decides when each event happens, and uses the answers. */
export function openSessionHooks(thread: HookedThread, options: SessionHooksOptions): SessionHooks {
  const hooks = new OpenHooks(thread, options);
  for (const { raw, source } of options.configured) hooks.add(raw, source);
  return hooks;
}

class OpenHooks implements SessionHooks {
  readonly #thread: HookedThread;
  readonly #options: Pick<SessionHooksOptions, 'setup' | 'reloadSkills' | 'announceFallback'>;
  readonly #registry: HookRegistry;
  readonly #context: HookContext;
  readonly #hookEnv: HookEnv;
  readonly #dispatcher: Dispatcher;
  readonly #wakes: HookWakes;
  readonly #prompts: PromptHooks;
  readonly #stops: StopHooks;
  readonly #settings: SettingsHooks;
  readonly #watch: DirectoryWatch;
  #hasBegun = false;
  /** Events that no turn waits for; the end of the session does. */
  #unawaited: Promise<unknown> = Promise.resolve();

  constructor(thread: HookedThread, options: SessionHooksOptions) {
    const { services, conversation } = thread;
    const { log } = services.runtime;
    this.#thread = thread;
    this.#options = options;
    this.#registry = new HookRegistry(log);
    this.#context = new HookContext(conversation);
    this.#hookEnv = sessionHookEnv(thread, options);
    this.#prompts = new PromptHooks(thread, this.fire, this.#context);
    this.#stops = new StopHooks(thread, this.fire, this.#context);
    this.#settings = new SettingsHooks({ configuration: services.configuration, fire: this.fire, log });
    this.#dispatcher = hookDispatcher(thread, options, {
      registry: this.#registry,
      context: this.#context,
      hookEnv: this.#hookEnv,
      promptId: () => this.#prompts.promptId,
      onWake: (objection) => this.#wakes.ended(objection),
    });
    const { mayWake } = this.#dispatcher;
    this.#wakes = createWakes({ mayWake, onTrigger: () => services.triggers.wake(), log });
    this.#watch = directoryWatch(thread, this.#registry, this.fire);
    conversation.memory.onLoaded((file) => {
      this.#letRun(this.fire('InstructionsLoaded', { ...file }, new AbortController().signal));
    });
  }

  readonly fire: Hooks['fire'] = async (event, payload, signal, toolUseId) => {
    const outcome = await this.#dispatcher.fire(event, payload, signal, toolUseId);
    if (ENV_EVENTS.has(event)) await this.#hookEnv.refresh();
    if (event === 'PostToolUse' || event === 'PostToolUseFailure') await this.#watch.look(signal);
    // The code that reports these events ignores the texts that hooks add.
    if (event === 'Notification' || event === 'PostModelSwitch') this.#context.add(outcome.contexts);
    return outcome;
  };

  readonly asked: Hooks['asked'] = (event, subject) => this.#dispatcher.asked(event, subject);

  add(raw: unknown, source: HookSource): void {
    this.#registry.add(raw, source);
  }

  remove(scope: string): void {
    this.#registry.remove(scope);
  }

  addForTurn(raw: unknown, source: HookSource): void {
    this.#registry.addForTurn(raw, source);
  }

  get ofAgents() {
    return this.#registry.ofAgents;
  }

  all() {
    return this.#registry.all();
  }

  async begin(signal: AbortSignal): Promise<void> {
    const { setup } = this.#options;
    const { isResumed } = this.#thread.conversation.transcript;
    this.#registry.beginTurn();
    await this.#stops.recordSummary();
    this.#prompts.stopAtStart(null);
    if (!this.#hasBegun && setup) this.#context.add((await this.fire('Setup', { trigger: setup }, signal)).contexts);
    if (!this.#hasBegun) await this.#start(isResumed ? 'resume' : 'startup', signal);
    await this.#settings.reportChanges(signal);
    await this.#watch.look(signal);
  }

  mayChange(next: LoadedSettings): Promise<boolean> {
    return this.#settings.mayChange(next);
  }

  submit(input: UserInput, signal: AbortSignal, called?: CalledPrompt | null) {
    this.#wakes.prompted();
    return this.#prompts.submit(input, signal, called);
  }

  takeContexts() {
    return this.#context.take();
  }

  withOpening(input: UserInput): UserInput {
    return this.#context.withOpening(input);
  }

  commandEnv() {
    return this.#hookEnv.changes();
  }

  get triggers() {
    return this.#wakes;
  }

  beforeStop(again: boolean, signal: AbortSignal) {
    return this.#stops.beforeStop(again, signal);
  }

  readonly modelSwitches: SessionHooks['modelSwitches'] = {
    answeredAt: () => this.#stops.answeredAt,
    observe: (line) => this.#observe(line),
  };

  ended(end: TurnEnd, signal: AbortSignal): Promise<void> {
    return this.#stops.ended(end, signal);
  }

  async cleared(signal: AbortSignal): Promise<void> {
    this.#context.clear();
    this.#stops.clear();
    await this.fire('SessionEnd', { reason: 'clear' }, signal);
    await this.#start('clear', signal);
  }

  watchTasks(tasks: TaskStore): TaskStore {
    const { agents } = this.#thread.services;
    return watchTasks(tasks, { fire: this.fire, team: () => agents.team?.name() ?? null });
  }

  async end({ isStopped }: { isStopped: boolean }): Promise<void> {
    if (!this.#hasBegun) return;
    const signal = isStopped ? AbortSignal.timeout(STOPPED_MS) : new AbortController().signal;
    await this.fire('SessionEnd', { reason: 'other' }, signal);
    await within(isStopped ? 0 : SETTLE_MS, this.#unawaited);
    const left = await this.#dispatcher.settle(isStopped ? 0 : SETTLE_MS);
    const { log } = this.#thread.services.runtime;
    if (left > 0) log('warn', `${left} asynchronous hook(s) were still at work when the session ended`);
    this.#hookEnv.close();
  }

  async #start(source: 'startup' | 'resume' | 'clear', signal: AbortSignal): Promise<void> {
    this.#hasBegun = true;
    const outcome = await this.fire('SessionStart', startFields(this.#thread, source), signal);
    this.#context.addWithTitle(outcome);
    this.#context.addOpening(outcome.initialUserMessages);
    if (outcome.reloadSkills) await this.#options.reloadSkills();
    this.#prompts.stopAtStart(outcome.stop);
    if (outcome.watchPaths !== null) this.#watch.watch(outcome.watchPaths);
  }

  #observe(line: Message): void {
    if (line.type !== 'system' || line.subtype !== 'model_fallback') return;
    const { original_model: from, fallback_model: to } = line;
    this.#letRun(this.#options.announceFallback({ from, to }));
  }

  /** Only the end of the session waits for this. */
  #letRun(event: Promise<unknown>): void {
    const { log } = this.#thread.services.runtime;
    const settled = event.catch((error) => log('warn', `Hooks could not be told: ${messageOf(error)}`));
    this.#unawaited = Promise.all([this.#unawaited, settled]);
  }
}

function directoryWatch(
  { workplace, permissions }: Pick<HookedThread, 'workplace' | 'permissions'>,
  registry: HookRegistry,
  fire: Hooks['fire'],
): DirectoryWatch {
  return createDirectoryWatch({
    fire,
    fileHooks: () => registry.all().filter(({ event }) => event === 'FileChanged'),
    cwd: () => workplace.shell.current(),
    roots: () => permissions.policy.roots,
    addedBy: (root) => (workplace.registeredRoots.has(root) ? 'register_repo_root' : 'slash_command'),
  });
}
