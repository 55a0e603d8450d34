import { LEGACY_TOOL_NAME_ALIASES } from './tool-names.ts';

/**
 * The names of Heddle's own tools, as permission rules, hook matchers, `tools` and `disallowedTools` spell them. The
 * list includes tools that a setting turns off; the `tools` field of `system/init` lists the tools of a session.
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

/** Tools that exist in other versions or with other settings. A name from this list is not a typing error. */
export const OTHER_TOOL_NAMES: readonly string[] = [
  ...['StructuredOutput', 'MultiEdit', 'LS', 'NotebookRead', 'KillBash', 'AgentOutputTool', 'LSP', 'SlashCommand'],
  ...['EnterWorktree', 'ExitWorktree', 'CronCreate', 'CronDelete', 'CronList', 'Monitor', 'PowerShell', 'Config'],
  ...Object.keys(LEGACY_TOOL_NAME_ALIASES),
];
