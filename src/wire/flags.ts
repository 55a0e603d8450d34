import { EFFORT_LEVELS } from './effort-levels.ts';
import { PERMISSION_MODE_CHOICES } from './permission-modes.ts';
import type { RunConfig } from './run-config.ts';
import { THINKING_DISPLAYS } from './thinking-display.ts';

export type FlagKind =
  /** No value. */
  | 'switch'
  | 'text'
  | 'number'
  /** A value that may be missing. */
  | 'optional'
  /** Several words, or one word of comma- or space-separated items. */
  | 'list'
  /** Like list, but items may hold commas and spaces in parentheses. The reader of the value splits it. */
  | 'rules'
  /** Like list, but each word is one item: paths and JSON may hold commas. */
  | 'words';

export interface Flag {
  name: string;
  key: keyof RunConfig;
  kind: FlagKind;
  /** Other spellings, short ones included. */
  aliases?: readonly string[];
  choices?: readonly string[];
}

/** Every flag that carries a setting of a run, in the order in which the SDK writes them. */
export const FLAGS: readonly Flag[] = [
  { name: '--print', key: 'print', kind: 'switch', aliases: ['-p'] },
  { name: '--output-format', key: 'outputFormat', kind: 'text', choices: ['text', 'json', 'stream-json'] },
  { name: '--verbose', key: 'verbose', kind: 'switch' },
  { name: '--input-format', key: 'inputFormat', kind: 'text', choices: ['text', 'stream-json'] },
  { name: '--thinking', key: 'thinking', kind: 'text', choices: ['adaptive', 'enabled', 'disabled'] },
  { name: '--max-thinking-tokens', key: 'maxThinkingTokens', kind: 'number' },
  { name: '--thinking-display', key: 'thinkingDisplay', kind: 'text', choices: THINKING_DISPLAYS },
  { name: '--effort', key: 'effort', kind: 'text', choices: EFFORT_LEVELS },
  { name: '--max-turns', key: 'maxTurns', kind: 'number' },
  { name: '--max-budget-usd', key: 'maxBudgetUsd', kind: 'number' },
  { name: '--max-duration-ms', key: 'maxDurationMs', kind: 'number' },
  { name: '--init', key: 'init', kind: 'switch' },
  { name: '--init-only', key: 'initOnly', kind: 'switch' },
  { name: '--maintenance', key: 'maintenance', kind: 'switch' },
  { name: '--teams', key: 'teams', kind: 'switch' },
  { name: '--background-wait', key: 'backgroundWait', kind: 'number' },
  { name: '--on-end', key: 'onEnd', kind: 'text', choices: ['wait', 'stop'] },
  { name: '--allow-detach', key: 'allowDetach', kind: 'switch' },
  { name: '--autocompact', key: 'autoCompact', kind: 'text' },
  { name: '--model', key: 'model', kind: 'text' },
  { name: '--agent', key: 'agent', kind: 'text' },
  { name: '--betas', key: 'betas', kind: 'list' },
  { name: '--json-schema', key: 'jsonSchema', kind: 'text' },
  { name: '--debug', key: 'debug', kind: 'optional', aliases: ['-d'] },
  { name: '--debug-file', key: 'debugFile', kind: 'text' },
  { name: '--debug-to-stderr', key: 'debugToStderr', kind: 'switch' },
  { name: '--no-progress', key: 'noProgress', kind: 'switch' },
  { name: '--no-history', key: 'noHistory', kind: 'switch' },
  { name: '--permission-prompt-tool', key: 'permissionPromptTool', kind: 'text' },
  { name: '--permission-prompts', key: 'permissionPrompts', kind: 'text', choices: ['host', 'none'] },
  { name: '--continue', key: 'continue', kind: 'switch', aliases: ['-c'] },
  { name: '--resume', key: 'resume', kind: 'optional', aliases: ['-r'] },
  { name: '--allowedTools', key: 'allowedTools', kind: 'rules', aliases: ['--allowed-tools'] },
  { name: '--disallowedTools', key: 'disallowedTools', kind: 'rules', aliases: ['--disallowed-tools'] },
  { name: '--tools', key: 'tools', kind: 'list' },
  { name: '--host-tools', key: 'hostTools', kind: 'list' },
  { name: '--mcp-config', key: 'mcpConfig', kind: 'words' },
  { name: '--setting-sources', key: 'settingSources', kind: 'list' },
  { name: '--bare', key: 'bare', kind: 'switch' },
  { name: '--safe-mode', key: 'safeMode', kind: 'switch' },
  { name: '--strict-mcp-config', key: 'strictMcpConfig', kind: 'switch' },
  { name: '--permission-mode', key: 'permissionMode', kind: 'text', choices: PERMISSION_MODE_CHOICES },
  { name: '--allow-dangerously-skip-permissions', key: 'allowDangerouslySkipPermissions', kind: 'switch' },
  { name: '--dangerously-skip-permissions', key: 'dangerouslySkipPermissions', kind: 'switch' },
  { name: '--fallback-model', key: 'fallbackModel', kind: 'text' },
  { name: '--include-partial-messages', key: 'includePartialMessages', kind: 'switch' },
  { name: '--include-hook-events', key: 'includeHookEvents', kind: 'switch' },
  { name: '--forward-subagent-text', key: 'forwardSubagentText', kind: 'switch' },
  { name: '--replay-user-messages', key: 'replayUserMessages', kind: 'switch' },
  { name: '--replay-history', key: 'replayHistory', kind: 'switch' },
  { name: '--tool-use-summaries', key: 'toolUseSummaries', kind: 'switch' },
  { name: '--add-dir', key: 'addDir', kind: 'words' },
  { name: '--plugin-dir', key: 'pluginDir', kind: 'words' },
  { name: '--plugin-dir-no-mcp', key: 'pluginDirNoMcp', kind: 'words' },
  { name: '--plugin-url', key: 'pluginUrl', kind: 'words' },
  { name: '--await-initialize', key: 'awaitInitialize', kind: 'switch' },
  { name: '--worktree', key: 'worktree', kind: 'optional', aliases: ['-w'] },
  { name: '--fork-session', key: 'forkSession', kind: 'switch' },
  { name: '--resume-session-at', key: 'resumeSessionAt', kind: 'text' },
  { name: '--resume-drops-turn', key: 'resumeDropsTurn', kind: 'text' },
  { name: '--continue-turn', key: 'continueTurn', kind: 'switch' },
  { name: '--session-id', key: 'sessionId', kind: 'text' },
  { name: '--on-missing', key: 'onMissing', kind: 'text', choices: ['error', 'fresh'] },
  { name: '--on-busy', key: 'onBusy', kind: 'text', choices: ['refuse', 'wait', 'fork'] },
  { name: '--session-store', key: 'sessionStore', kind: 'text', choices: ['host'] },
  { name: '--session-mirror', key: 'sessionMirror', kind: 'switch' },
  { name: '--no-session-persistence', key: 'noSessionPersistence', kind: 'switch' },
  { name: '--name', key: 'name', kind: 'text', aliases: ['-n'] },
  { name: '--system-prompt', key: 'systemPrompt', kind: 'text' },
  { name: '--system-prompt-file', key: 'systemPromptFile', kind: 'text' },
  { name: '--append-system-prompt', key: 'appendSystemPrompt', kind: 'text' },
  { name: '--append-system-prompt-file', key: 'appendSystemPromptFile', kind: 'text' },
  { name: '--agents', key: 'agents', kind: 'text' },
  { name: '--disable-slash-commands', key: 'disableSlashCommands', kind: 'switch' },
  { name: '--verbatim-prompts', key: 'verbatimPrompts', kind: 'switch' },
  { name: '--managed-settings', key: 'managedSettings', kind: 'text' },
  { name: '--managed-settings-in-initialize', key: 'managedSettingsInInitialize', kind: 'switch' },
  { name: '--settings', key: 'settings', kind: 'text' },
  { name: '--trust', key: 'trust', kind: 'switch' },
  { name: '--record', key: 'record', kind: 'text' },
];

/**
 * The flags for a configuration, in the order of the table. A value that begins with a dash is bound with `=`, so that
 * it cannot be read as another flag.
 */
export function toArgv(config: RunConfig): string[] {
  return FLAGS.flatMap((flag) => flagWords(flag, config[flag.key]));
}

function flagWords(flag: Flag, value: unknown): string[] {
  if (value === undefined || value === null || value === false) return [];
  if (value === true) return [flag.name];
  if (Array.isArray(value)) {
    if (flag.kind === 'words') return value.flatMap((item) => bind(flag.name, String(item)));
    return bind(flag.name, value.join(','));
  }
  return bind(flag.name, String(value));
}

function bind(name: string, value: string): string[] {
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value];
}
