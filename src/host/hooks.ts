import type { Attachment } from '../agent/attachment.ts';
import type { TurnEnd } from '../agent/loop.ts';
import type { StopVerdict } from '../agent/turn.ts';
import type { Layer } from '../config/layers.ts';
import type { Hooks } from '../hooks/dispatch.ts';
import type { Hook, HookSource } from '../hooks/hook.ts';
import type { TaskStore } from '../tools/task-store.ts';
import { isObject } from '../util/json.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { CalledPrompt } from './extensions.ts';
import type { Parts } from './parts.ts';
import type { NewsSource } from './session-tasks.ts';
import type { LoadedSettings } from './settings.ts';

/** The hooks of one session. Only sessions that have some load what is behind it. */
export interface SessionHooks extends Hooks {
  /** Has these, too: of a plugin, or callbacks of the host. What cannot be read is said, the rest applies. */
  add(given: unknown, source: HookSource): void;
  /** Has those of a scope no more. */
  remove(scope: string): void;
  /** The same until the turn is over: of a skill that is in use. */
  addForTurn(given: unknown, source: HookSource): void;
  /** The same for what one agent does and nobody else, until it is over: of its kind, or of a skill that it uses. */
  addForAgent(agentId: string, given: unknown, source: HookSource): void;
  /** Has those of this agent no more. */
  removeForAgent(agentId: string): void;
  /** By agent, those at work: conditions mean its own directory and rules, as in its worktree. */
  readonly agents: Map<string, () => Parts>;
  all(): readonly Hook[];
  /** Before each turn: SessionStart with the first one, and what has changed since the last. */
  begin(signal: AbortSignal): Promise<void>;
  /** Asks whether settings that have been read may act. False: those in force stay. */
  mayChange(next: LoadedSettings): Promise<boolean>;
  /**
   * Asks whether a prompt may be sent, and before that whether the command may be expanded that it calls. Null: it may;
   * otherwise the line that tells why not, and the turn's result.
   */
  submit(
    input: UserInput,
    signal: AbortSignal,
    called?: CalledPrompt | null,
  ): Promise<{ line: Message; result: Message } | null>;
  /** What hooks have added for the model since the last time. */
  takeContexts(): Attachment[];
  /** What hooks have changed in the environment of later commands (`CLAUDE_ENV_FILE`); undefined takes a variable away. */
  commandEnv(): Readonly<Record<string, string | undefined>>;
  /** Objections of hooks that nobody waited for, each of which begins a turn. */
  readonly news: NewsSource;
  /** When the last turn was over, by the clock of the session; null: there was none. */
  readonly answeredAt: number | null;
  beforeStop(again: boolean, signal: AbortSignal): Promise<StopVerdict>;
  /** Hears what a turn says: that another model takes over is a change of model. */
  hear(line: Message): void;
  /** After each turn: StopFailure when the model could not answer. */
  ended(end: TurnEnd, signal: AbortSignal): Promise<void>;
  /** The conversation was cleared: one ends, another begins. */
  cleared(signal: AbortSignal): Promise<void>;
  /** The task list, with hooks that are told of it and may object. */
  watchTasks(tasks: TaskStore): TaskStore;
  /** The message behind what SessionStart hooks want to be said first; each of these texts is said once. */
  withOpening(input: UserInput): UserInput;
  /** The session is over; `isStopped` when nobody wants to wait. */
  end(how: { isStopped: boolean }): Promise<void>;
}

/** What hooks that nobody waited for have to say. Asked late: the first hooks may come with a skill. */
export function hookNews(parts: Pick<Parts, 'hooks'>): NewsSource {
  return {
    take: async () => (await parts.hooks?.news.take()) ?? null,
    isOpen: () => parts.hooks?.news.isOpen() === true,
  };
}

/** Hooks as they are written, and where. */
export interface GivenHooks {
  given: unknown;
  source: HookSource;
}

const PROJECT: ReadonlySet<string> = new Set(['projectSettings', 'localSettings']);

/**
 * The hooks in settings that act. `disableAllHooks` takes away those of its own layer and of weaker ones, but nothing of a
 * project takes away the hooks of its user; `allowManagedHooksOnly` leaves those of the administrator.
 */
export function hooksInLayers(layers: readonly Layer[]): GivenHooks[] {
  const isManagedOnly = layers.some(
    ({ scope, values }) => scope === 'policySettings' && values.allowManagedHooksOnly === true,
  );
  const disabling = layers.filter(({ values }) => values.disableAllHooks === true);
  return layers.flatMap(({ scope, path, values: { hooks } }) => {
    if (!isObject(hooks) || Object.keys(hooks).length === 0) return [];
    if (isManagedOnly && scope !== 'policySettings') return [];
    if (disabling.some((layer) => mayDisable(layer.scope, scope))) return [];
    const where = path ?? (scope === 'policySettings' ? '--managed-settings' : '--settings');
    return [{ given: hooks, source: { scope, where } }];
  });
}

/** Whether hooks that come with extensions act: settings of a user or an administrator may want none. */
export function extensionHooksAct(layers: readonly Layer[]): boolean {
  return !layers.some(({ scope, values }) => {
    if (PROJECT.has(scope)) return false;
    return values.disableAllHooks === true || (scope === 'policySettings' && values.allowManagedHooksOnly === true);
  });
}

/** Whether what stands in one layer of settings may take something away from another. */
export function mayDisable(by: string, whose: string): boolean {
  if (by === 'policySettings') return true;
  return PROJECT.has(by) ? PROJECT.has(whose) : whose !== 'policySettings';
}
