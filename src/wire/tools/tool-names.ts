/**
 * Other names of tools, each with the name that Heddle uses. A model may call a tool by any of its names, and rules and
 * matchers accept them.
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
