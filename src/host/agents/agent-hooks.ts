import type { Attachment } from '../../agent/attachment.ts';
import type { StopVerdict } from '../../agent/turn.ts';
import { eventInfo } from '../../hooks/events.ts';
import type { HookSource } from '../../hooks/hook.ts';
import type { TaskStore } from '../../tools/task-list/task-store.ts';
import { isObject } from '../../util/json.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Lazy } from '../engine/lazy.ts';
import { stopFields } from '../hooks/hook-fields.ts';
import type { SessionHooks } from '../hooks/session-hooks.ts';
import type { ConfiguredHooks } from '../launch/hook-settings.ts';
import type { LoadedSettings } from '../launch/load-settings.ts';
import type { Permissions } from '../permissions/thread-permissions.ts';
import type { AgentInfo } from '../thread/identity.ts';
import type { BackgroundWork } from '../thread/services.ts';
import type { Toolbox } from '../thread/toolbox.ts';
import type { Workplace } from '../thread/workplace.ts';

export interface AgentHooksOptions {
  agent: AgentInfo;
  /** The hooks of the agent's kind. */
  own: ConfiguredHooks | null;
  permissions: Permissions;
  workplace: Workplace;
  toolbox: Toolbox;
  conversation: Conversation;
  background: BackgroundWork;
}

/** The hooks of a session for one agent. The first hook may be added while the agent works. */
export class AgentHookView implements Lazy<SessionHooks> {
  readonly #outer: Lazy<SessionHooks>;
  #options: AgentHooksOptions | null = null;
  #wrapped: SessionHooks | null = null;

  constructor(outer: Lazy<SessionHooks>) {
    this.#outer = outer;
  }

  /** The code that opens the agent's thread calls this, once. */
  wrapWith(options: AgentHooksOptions): void {
    if (this.#options) throw new Error('The hooks of the agent are wrapped already');
    this.#options = options;
  }

  get current(): SessionHooks | null {
    const { current } = this.#outer;
    return current && this.#of(current);
  }

  async open(): Promise<SessionHooks> {
    return this.#of(await this.#outer.open());
  }

  #of(outer: SessionHooks): SessionHooks {
    if (!this.#options) throw new Error('The thread of the agent is not made yet');
    this.#wrapped ??= new AgentHooks(outer, this.#options);
    return this.#wrapped;
  }
}

/** An agent that works for a hook triggers no hooks. */
export const NO_HOOKS: Lazy<SessionHooks> = {
  current: null,
  async open() {
    throw new Error('An agent that works for a hook has no hooks');
  },
};

/**
 * The hooks of the session for one agent. Every event names the agent and its permission mode; the end of the agent is
 * a SubagentStop instead of a Stop; texts that hooks add go into the agent's conversation. Hooks of its kind and of
 * skills that it uses apply to this agent only.
 */
class AgentHooks implements SessionHooks {
  /** The hooks of the thread that the agent works for, which may be an agent as well. */
  readonly #outer: SessionHooks;
  readonly #options: AgentHooksOptions;
  #contexts: string[] = [];

  constructor(outer: SessionHooks, options: AgentHooksOptions) {
    this.#outer = outer;
    this.#options = options;
    const { agent, permissions, workplace, toolbox } = options;
    outer.ofAgents.judgeWith(agent.id, () => ({
      tools: toolbox.registry,
      workspace: workplace.workspace,
      policy: permissions.inForce(),
    }));
  }

  /** The payload comes last, so that nested agents report the innermost one. */
  readonly fire: SessionHooks['fire'] = (event, payload, signal, toolUseId) => {
    const { agent, permissions, workplace } = this.#options;
    const mode = eventInfo(event).hasMode ? { permission_mode: permissions.policy.mode } : {};
    // The agent's own directory: it may have a worktree, and paths of its calls are relative to that.
    const details = { ...mode, cwd: workplace.shell.current(), agent_id: agent.id, agent_type: agent.type };
    return this.#outer.fire(event, { ...details, ...payload }, signal, toolUseId);
  };

  readonly asked: SessionHooks['asked'] = (event, subject) => this.#outer.asked(event, subject);

  add(raw: unknown, source: HookSource): void {
    this.#outer.add(raw, source);
  }

  remove(scope: string): void {
    this.#outer.remove(scope);
  }

  addForTurn(raw: unknown, source: HookSource): void {
    this.ofAgents.add(this.#options.agent.id, raw, source);
  }

  get ofAgents() {
    return this.#outer.ofAgents;
  }

  all() {
    return this.#outer.all();
  }

  async begin(signal: AbortSignal): Promise<void> {
    const { agent, own } = this.#options;
    if (own) this.ofAgents.add(agent.id, endingAsAgent(own.raw), own.source);
    this.#contexts.push(...(await this.fire('SubagentStart', {}, signal)).contexts);
  }

  async end(): Promise<void> {
    this.ofAgents.remove(this.#options.agent.id);
  }

  takeContexts(): Attachment[] {
    const contexts = this.#contexts;
    this.#contexts = [];
    return contexts.map((content) => ({ type: 'hook_context', content }));
  }

  async beforeStop(again: boolean, signal: AbortSignal): Promise<StopVerdict> {
    const { conversation, background } = this.#options;
    const { key, store } = conversation.transcript;
    const outcome = await this.fire(
      'SubagentStop',
      {
        stop_hook_active: again,
        agent_transcript_path: store.locate?.(key) ?? '',
        ...stopFields(conversation.messages, background.tasks),
      },
      signal,
    );
    this.#contexts.push(...outcome.contexts);
    if (outcome.stop) return { kind: 'end', reason: outcome.stop.reason };
    if (outcome.block === null) return { kind: 'stop' };
    return { kind: 'continue', feedback: `SubagentStop hook feedback:\n${outcome.block}` };
  }

  commandEnv() {
    return this.#outer.commandEnv();
  }

  watchTasks(tasks: TaskStore): TaskStore {
    return this.#outer.watchTasks(tasks);
  }

  get triggers() {
    return this.#outer.triggers;
  }

  get modelSwitches() {
    return this.#outer.modelSwitches;
  }

  mayChange(next: LoadedSettings): Promise<boolean> {
    return this.#outer.mayChange(next);
  }

  withOpening(input: UserInput): UserInput {
    return this.#outer.withOpening(input);
  }

  // Only the main thread reports these events.
  submit = async () => null;
  ended = async () => {};
  cleared = async () => {};
}

/** A Stop hook in the definition of an agent applies to the end of that agent. */
function endingAsAgent(raw: unknown): unknown {
  if (!isObject(raw) || raw.Stop === undefined) return raw;
  const { Stop, SubagentStop = [], ...others } = raw;
  const lists = [SubagentStop, Stop].map((list) => (Array.isArray(list) ? list : [list]));
  return { ...others, SubagentStop: lists.flat() };
}
