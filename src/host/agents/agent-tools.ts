import { canonicalToolName, coversTool, parseRules } from '../../permissions/rules.ts';
import { TASK } from '../../tools/agent.ts';
import type { Registry } from '../../tools/registry.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Logger } from '../../util/runtime.ts';
import type { AgentType } from './agent-types.ts';

/** Tools that belong to the main thread: its plan, its user, and what it has started. */
const OF_MAIN_THREAD: ReadonlySet<string> = new Set([
  'TaskOutput',
  'TaskStop',
  'EnterPlanMode',
  'ExitPlanMode',
  'AskUserQuestion',
  'TeamCreate',
  'TeamDelete',
]);

/** How deep agents may start agents, unless the environment says otherwise. */
export const MAX_DEPTH = 3;

export interface AgentToolsOptions {
  depth: number;
  maxDepth: number;
  /** Tools that are the agent's own, in the place of those of the same name. */
  own: readonly Tool[];
  log: Logger;
}

/**
 * The tools of an agent: of those of the one that it works for what its kind may have, never more. An agent may start
 * others only if its kind names the tool for it, and not below the deepest level.
 */
export function agentTools(tools: Registry, type: AgentType, options: AgentToolsOptions): Registry {
  const { tools: wanted, disallowedTools } = type.definition;
  const named = wanted && parseRules(wanted);
  const refused = parseRules(disallowedTools ?? []).rules;
  for (const problem of [...(named?.problems ?? []), ...unknown(tools, named?.rules ?? [])]) {
    options.log('warn', `The agent ${type.name}: ${problem}`);
  }
  const isWanted = ({ name }: Tool) => {
    if (!named) return name !== TASK;
    return named.rules.some((rule) => coversTool(rule, name, 'allow'));
  };
  const keeps = (tool: Tool) => {
    if (OF_MAIN_THREAD.has(tool.name)) return false;
    if (tool.name === TASK && options.depth >= options.maxDepth) return false;
    // A rule with something in parentheses takes away what it names, not the tool.
    const isRefused = refused.some((rule) => rule.ruleContent === undefined && coversTool(rule, tool.name, 'forbid'));
    return isWanted(tool) && !isRefused;
  };
  return tools.subset(keeps, options.own);
}

function unknown(tools: Registry, rules: readonly { toolName: string }[]): string[] {
  const isThere = (name: string) => name.startsWith('mcp__') || tools.get(canonicalToolName(name)) !== undefined;
  return rules.flatMap(({ toolName }) => {
    if (isThere(toolName) || OF_MAIN_THREAD.has(toolName)) return [];
    return `its tools name ${toolName}, which does not exist here`;
  });
}
