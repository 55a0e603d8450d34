/**
 * The names of Heddle's own tools, as permission rules, hook matchers, `tools` and `disallowedTools` spell them. A name
 * is here even where a setting turns its tool off; what a session has is the `tools` field of its `system/init` message.
 *
 * @example
 * ```ts
 * const options: Options = { disallowedTools: BUILTIN_TOOL_NAMES.filter((name) => name !== 'Read') };
 * ```
 */
export const BUILTIN_TOOL_NAMES = [
  'AskUserQuestion',
  'Bash',
  'Edit',
  'EnterPlanMode',
  'ExitPlanMode',
  'Glob',
  'Grep',
  'ListMcpResourcesTool',
  'NotebookEdit',
  'Read',
  'ReadMcpResourceTool',
  'SendMessage',
  'Skill',
  'Task',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskOutput',
  'TaskStop',
  'TaskUpdate',
  'TeamCreate',
  'TeamDelete',
  'TodoWrite',
  'ToolSearch',
  'WebFetch',
  'WebSearch',
  'Write',
] as const;
export type BuiltinToolName = (typeof BUILTIN_TOOL_NAMES)[number];

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

/** Tools that other sessions have, by their settings, or other versions: who names one has not mistyped it. */
export const OTHER_TOOL_NAMES: readonly string[] = [
  ...['StructuredOutput', 'MultiEdit', 'LS', 'NotebookRead', 'KillBash', 'AgentOutputTool', 'LSP', 'SlashCommand'],
  ...['EnterWorktree', 'ExitWorktree', 'CronCreate', 'CronDelete', 'CronList', 'Monitor', 'PowerShell', 'Config'],
  ...Object.keys(LEGACY_TOOL_NAME_ALIASES),
];
