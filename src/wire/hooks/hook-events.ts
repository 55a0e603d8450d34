/**
 * The names of all hook events, of both reference versions. They are in a file without schemas, so that a program that
 * only imports the SDK does not load the schemas.
 *
 * @example
 * ```ts
 * const isEvent = (name: string) => (HOOK_EVENTS as readonly string[]).includes(name);
 * ```
 */
export const HOOK_EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'PermissionDenied',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'Notification',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'PreModelSwitch',
  'PostModelSwitch',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
] as const;
