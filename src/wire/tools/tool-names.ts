/**
 * Other names that tools had or have elsewhere, each with the name here: a model may call a tool by them, and rules and
 * matchers understand them (ruling K37).
 *
 * @example
 * ```ts
 * const nameOf = (called: string) => LEGACY_TOOL_NAME_ALIASES[called] ?? called;
 * ```
 */
export const LEGACY_TOOL_NAME_ALIASES: Readonly<Record<string, string>> = {
  Agent: 'Task',
  AgentOutput: 'TaskOutput',
  BashOutput: 'TaskOutput',
  KillShell: 'TaskStop',
};

export function currentToolName(name: string): string {
  return Object.hasOwn(LEGACY_TOOL_NAME_ALIASES, name) ? (LEGACY_TOOL_NAME_ALIASES[name] ?? name) : name;
}
