import { LEGACY_TOOL_NAME_ALIASES } from './tool-names.ts';

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

/** Tools that other sessions have, by their settings, or other versions: who names one has not mistyped it. */
export const OTHER_TOOL_NAMES: readonly string[] = [
  ...['StructuredOutput', 'MultiEdit', 'LS', 'NotebookRead', 'KillBash', 'AgentOutputTool', 'LSP', 'SlashCommand'],
  ...['EnterWorktree', 'ExitWorktree', 'CronCreate', 'CronDelete', 'CronList', 'Monitor', 'PowerShell', 'Config'],
  ...Object.keys(LEGACY_TOOL_NAME_ALIASES),
];
