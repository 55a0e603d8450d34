import { canonicalToolName, coversTool, parseRules } from '../../permissions/rules.ts';
import { TASK } from '../../tools/agent.ts';
import type { Registry } from '../../tools/registry.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Logger } from '../../util/runtime.ts';
import type { AgentType } from './agent-types.ts';

/** Tools that belong to the main thread: its plan, its user, and what it has started. */
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
  /** Whether it is not too deep to start others. */
  mayStart: boolean;
  /** Tools that are the agent's own, in the place of those of the same name. */
  own: readonly Tool[];
  /** What it has for its notes, beside what its kind names. */
  forNotes: readonly string[];
  log: Logger;
}

/**
 * The tools of an agent: of those of the one that it works for what its kind may have, never more. An agent may start
 * others only if its kind names the tool for it, and not below the deepest level.
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

/** What the definition of an agent says about its tools. */
export interface NamedTools {
  /** Undefined: it names none. */
  wants(name: string): boolean | undefined;
  refuses(name: string): boolean;
  /** What of it means nothing among these tools. */
  problems(tools: Registry): string[];
}

export function namedTools({ tools: wanted, disallowedTools }: AgentType['definition']): NamedTools {
  const named = wanted && parseRules(wanted);
  // A rule with something in parentheses takes away what it names, not the tool.
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
