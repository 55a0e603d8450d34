import type { Hook, HookSource } from '../../hooks/hook.ts';
import { readHooks } from '../../hooks/read-hooks.ts';
import type { Logger } from '../../util/runtime.ts';
import { printable } from '../../util/text/printable.ts';
import { type ConditionDependencies, conditionProblems } from './hook-condition.ts';

/** The hooks of a session: those that stay, those of the running turn, and those of agents. */
export class HookRegistry {
  readonly #log: Logger;
  #hooks: Hook[] = [];
  /** Hooks of skills that the running turn uses. */
  #ofTurn: Hook[] = [];
  readonly ofAgents: AgentHookRegistry;

  constructor(log: Logger) {
    this.#log = log;
    this.ofAgents = new AgentHookRegistry(log);
  }

  /** Parses hooks and adds them. What cannot be read is logged, the rest applies. */
  add(raw: unknown, source: HookSource): void {
    this.#hooks.push(...parseHooks(raw, source, this.#log));
  }

  remove(scope: string): void {
    this.#hooks = this.#hooks.filter(({ source }) => source.scope !== scope);
  }

  addForTurn(raw: unknown, source: HookSource): void {
    this.#ofTurn.push(...parseHooks(raw, source, this.#log));
  }

  /** Called when a turn begins: removes the hooks of the last turn. */
  beginTurn(): void {
    this.#ofTurn = [];
  }

  /** The hooks that stay. */
  all(): readonly Hook[] {
    return this.#hooks;
  }

  /** The hooks that apply to what the main thread does, or an agent with this id. */
  applying(agentId = ''): readonly Hook[] {
    return [...this.#hooks, ...this.#ofTurn, ...this.ofAgents.of(agentId)];
  }
}

/** The hooks that apply to one agent only: those of its kind, and of skills that it uses. */
export class AgentHookRegistry {
  readonly #log: Logger;
  readonly #hooks = new Map<string, Hook[]>();
  readonly #conditions = new Map<string, () => ConditionDependencies>();

  constructor(log: Logger) {
    this.#log = log;
  }

  add(agentId: string, raw: unknown, source: HookSource): void {
    this.#hooks.set(agentId, [...this.of(agentId), ...parseHooks(raw, source, this.#log)]);
  }

  /** Conditions about calls of this agent are compared with its own directory and rules, as in its worktree. */
  judgeWith(agentId: string, conditions: () => ConditionDependencies): void {
    this.#conditions.set(agentId, conditions);
  }

  /** Removes the hooks and conditions of an agent that has ended. */
  remove(agentId: string): void {
    this.#hooks.delete(agentId);
    this.#conditions.delete(agentId);
  }

  of(agentId: string): readonly Hook[] {
    return this.#hooks.get(agentId) ?? [];
  }

  /** Null: no such agent runs. */
  conditionsOf(agentId: string): ConditionDependencies | null {
    return this.#conditions.get(agentId)?.() ?? null;
  }
}

function parseHooks(raw: unknown, source: HookSource, log: Logger): Hook[] {
  const { hooks, problems } = readHooks(raw, source);
  for (const problem of [...problems, ...conditionProblems(hooks)]) {
    log('warn', printable(`${source.where}: ${problem}`));
  }
  return hooks;
}
