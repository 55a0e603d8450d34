import { canonicalToolName, coversTool, parseRules } from '../../permissions/rules.ts';
import { TASK } from '../../tools/agents/agent.ts';
import type { Registry } from '../../tools/registry.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Logger } from '../../util/runtime.ts';
import type { AgentType } from '../extensions/agent-kinds.ts';

/** Tools that only the main thread has: for its plan, its user, and the tasks that it has started. */
export const OF_MAIN_THREAD: ReadonlySet<string> = new Set([
  'TaskOutput',
  'TaskStop',
  'EnterPlanMode',
  'ExitPlanMode',
  'AskUserQuestion',
  'TeamCreate',
  'TeamDelete',
]);

export interface AgentToolsOptions {
  /** Whether the agent is not too deep to start others. */
  mayStart: boolean;
  /** The agent's own tools, which replace those of the same name. */
  own: readonly Tool[];
  /** Tools for its notes, in addition to those that its kind names. */
  forNotes: readonly string[];
  log: Logger;
}

/**
 * The tools of an agent: the tools of its caller that its kind may have, never more. An agent may start others only if
 * its kind names the Task tool, and not below the deepest level.
 */
export function agentTools(tools: Registry, type: AgentType, options: AgentToolsOptions): Registry {
  const named = namedTools(type.definition);
  for (const problem of named.problems(tools)) options.log('warn', `The agent ${type.name}: ${problem}`);
  const keeps = ({ name }: Tool) => {
    if (OF_MAIN_THREAD.has(name)) return false;
    if (name === TASK && !options.mayStart) return false;
    if (options.forNotes.includes(name)) return true;
    return (named.wants(name) ?? name !== TASK) && !named.refuses(name);
  };
  return tools.subset(keeps, options.own);
}

/** The tools that the definition of an agent names and refuses. */
export interface NamedTools {
  /** Undefined: the definition names no tools. */
  wants(name: string): boolean | undefined;
  refuses(name: string): boolean;
  /** The names and rules that match none of these tools. */
  problems(tools: Registry): string[];
}

export function namedTools({ tools: wanted, disallowedTools }: AgentType['definition']): NamedTools {
  const named = wanted && parseRules(wanted);
  // A rule with parentheses forbids some calls; it does not remove the tool.
  const refused = parseRules(disallowedTools ?? []).rules.filter((rule) => rule.ruleContent === undefined);
  return {
    wants: (name) => named?.rules.some((rule) => coversTool(rule, name, 'allow')),
    refuses: (name) => refused.some((rule) => coversTool(rule, name, 'forbid')),
    problems: (tools) => [...(named?.problems ?? []), ...unknown(tools, named?.rules ?? [])],
  };
}

function unknown(tools: Registry, rules: readonly { toolName: string }[]): string[] {
  const isThere = (name: string) => name.startsWith('mcp__') || tools.get(canonicalToolName(name)) !== undefined;
  return rules.flatMap(({ toolName }) => {
    if (isThere(toolName) || OF_MAIN_THREAD.has(toolName)) return [];
    return `its tools name ${toolName}, which does not exist here`;
  });
}
