import type { Attachment } from '../../agent/attachment.ts';
import type { TurnEnd } from '../../agent/loop.ts';
import type { StopVerdict } from '../../agent/turn.ts';
import type { Hooks } from '../../hooks/dispatch.ts';
import type { Hook, HookSource } from '../../hooks/hook.ts';
import type { TaskStore } from '../../tools/task-list/task-store.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { TriggerSource } from '../background/turn-triggers.ts';
import type { Lazy } from '../engine/lazy.ts';
import type { CalledPrompt } from '../extensions/extensions.ts';
import type { LoadedSettings } from '../launch/load-settings.ts';
import type { AgentHookRegistry } from './hook-registry.ts';
import type { BlockedPrompt } from './prompt-hooks.ts';

/** The hooks of a session, or of one of its agents. Only sessions that have hooks load the implementation. */
export interface SessionHooks extends Hooks {
  /** Adds hooks of a plugin, or callbacks of the host. What cannot be read is logged, the rest applies. */
  add(raw: unknown, source: HookSource): void;
  /** Removes the hooks of a scope. */
  remove(scope: string): void;
  /** Adds hooks of a skill until the turn is over; for an agent, until the agent ends. */
  addForTurn(raw: unknown, source: HookSource): void;
  readonly ofAgents: AgentHookRegistry;
  all(): readonly Hook[];
  /**
   * Called before each turn: fires SessionStart with the first one, and reports changes. For an agent: SubagentStart.
   */
  begin(signal: AbortSignal): Promise<void>;
  /** Asks hooks whether settings that were read may apply. False: those in force stay. */
  mayChange(next: LoadedSettings): Promise<boolean>;
  /**
   * Asks whether a prompt may be sent, and before that whether the command that it calls may be expanded. Null: it may;
   * otherwise the line that reports why not, and the turn's result.
   */
  submit(input: UserInput, signal: AbortSignal, called?: CalledPrompt | null): Promise<BlockedPrompt | null>;
  /** The texts that hooks have added for the model since the last call. */
  takeContexts(): Attachment[];
  /** The message with the texts before it that SessionStart hooks have added; each text is used once. */
  withOpening(input: UserInput): UserInput;
  /** Variables that hooks have set for later commands (`CLAUDE_ENV_FILE`); undefined removes a variable. */
  commandEnv(): Readonly<Record<string, string | undefined>>;
  /** Objections of hooks in the background; each begins a turn. */
  readonly triggers: TriggerSource;
  beforeStop(again: boolean, signal: AbortSignal): Promise<StopVerdict>;
  /** Reports changes of the model to hooks. */
  readonly modelSwitches: ModelSwitchHooks;
  /** Called after each turn: fires StopFailure when the model could not answer. */
  ended(end: TurnEnd, signal: AbortSignal): Promise<void>;
  /** Called when the conversation was cleared: fires SessionEnd, then SessionStart. */
  cleared(signal: AbortSignal): Promise<void>;
  /** The task list with hooks that see its changes and may object. */
  watchTasks(tasks: TaskStore): TaskStore;
  /** Called when the session or the agent ends; `isStopped`: do not wait. */
  end(how: { isStopped: boolean }): Promise<void>;
}

export interface ModelSwitchHooks {
  /** When the last turn ended, by the clock of the session; null: there was none. */
  answeredAt(): number | null;
  /** Reads the lines of a turn: a line that reports a fallback is a change of the model. */
  observe(line: Message): void;
}

/** The objections of hooks in the background. Reads the hooks at each call: a skill may add the first ones. */
export function hookTriggers(hooks: Lazy<SessionHooks>): TriggerSource {
  return {
    take: async () => (await hooks.current?.triggers.take()) ?? null,
    isOpen: () => hooks.current?.triggers.isOpen() === true,
  };
}
