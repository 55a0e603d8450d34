import { isObject } from '../util/json.ts';
import { PERMISSION_MODE_CHOICES } from '../wire/flags.ts';
import { THINKING_DISPLAYS } from '../wire/thinking-display.ts';
import {
  amount,
  type Check,
  callback,
  count,
  countOrNone,
  either,
  flag,
  kindOf,
  listOf,
  oneOf,
  record,
  recordOf,
  shape,
  text,
  texts,
  word,
} from './checks.ts';
import type { Options } from './options.ts';

/** What each option must be. */
export const OPTION_CHECKS: Record<keyof Options, Check> = {
  // environment
  abortController: (value) => (value instanceof AbortController ? null : 'an AbortController'),
  cwd: text,
  env: (value) => variables(value),
  executable: oneOf(['node', 'bun', 'deno']),
  executableArgs: texts,
  pathToHeddleExecutable: word,
  pathToClaudeCodeExecutable: word,
  extraArgs: (value) => flagValues(value),
  user: either(word, countOrNone),
  spawn: callback,
  spawnClaudeCodeProcess: callback,
  maxBufferSize: count,
  transport: callback,
  initializeTimeoutMs: amount,
  debug: flag,
  debugFile: text,

  // model
  model: text,
  fallbackModel: text,
  effort: oneOf(['low', 'medium', 'high', 'xhigh', 'max']),
  thinking: shape({
    type: oneOf(['adaptive', 'enabled', 'disabled']),
    'budgetTokens?': count,
    'display?': oneOf(THINKING_DISPLAYS),
  }),
  maxThinkingTokens: countOrNone,
  maxTurns: count,
  maxBudgetUsd: amount,
  maxDurationMs: amount,
  allowDetach: flag,
  teams: flag,
  backgroundWait: amount,
  onEnd: oneOf(['wait', 'stop']),
  taskBudget: shape({ total: count }),
  outputFormat: (value) =>
    shape({ type: oneOf(['json_schema']), schema: record })(value) ? "{ type: 'json_schema', schema: {…} }" : null,
  betas: texts,
  systemPrompt: (value) => {
    if (either(text, texts)(value) === null || (isObject(value) && value.type === 'preset')) return null;
    return "a string, an array of strings, or { type: 'preset', preset: 'claude_code', append: '…' }";
  },
  planModeInstructions: text,

  // tools
  tools: either(texts, record),
  allowedTools: texts,
  disallowedTools: texts,
  toolAliases: recordOf(word),
  toolConfig: record,
  additionalDirectories: texts,
  permissionMode: oneOf(PERMISSION_MODE_CHOICES),
  allowDangerouslySkipPermissions: flag,
  canUseTool: callback,
  permissionPromptToolName: word,
  permissionPrompts: oneOf(['host', 'none']),
  sandbox: record,

  // extensions
  mcpServers: (value) => (typeof value === 'string' ? null : recordOf(mcpServer)(value)),
  strictMcpConfig: flag,
  agents: recordOf(shape({ description: text, prompt: text, 'tools?': texts, 'disallowedTools?': texts })),
  agent: word,
  plugins: listOf(shape({ type: oneOf(['local']), path: word })),
  skills: (value) => (value === 'all' || texts(value) === null ? null : "'all' or an array of strings"),
  hooks: recordOf(listOf(shape({ hooks: listOf(callback), 'matcher?': text, 'timeout?': amount }))),

  // session
  continue: flag,
  resume: word,
  forkSession: flag,
  resumeSessionAt: word,
  resumeDropsTurn: word,
  sessionId: word,
  title: text,
  onMissing: oneOf(['error', 'fresh']),
  onBusy: oneOf(['refuse', 'wait', 'fork']),
  persistSession: flag,
  sessionStore: shape({ append: callback, load: callback, list: callback }),
  loadTimeoutMs: amount,
  enableFileCheckpointing: flag,
  settings: either(text, record),
  settingSources: (value) =>
    listOf(oneOf(['user', 'project', 'local']))(value) ? "an array of 'user', 'project', 'local'" : null,
  managedSettings: record,
  projectConfigRoot: word,

  // observers
  includePartialMessages: flag,
  includeHookEvents: flag,
  toolUseSummaries: flag,
  forwardSubagentText: flag,
  agentProgressSummaries: flag,
  promptSuggestions: flag,
  replayHistory: flag,
  perTaskStopAffordance: flag,
  verbatimPrompts: flag,
  onElicitation: callback,
  stderr: callback,
  onError: callback,
};

function variables(value: unknown): string | null {
  if (!isObject(value)) return 'an object';
  const wrong = Object.entries(value).find(([, item]) => item !== undefined && typeof item !== 'string');
  return wrong ? `an object of strings; '${wrong[0]}' is ${kindOf(wrong[1])}` : null;
}

function flagValues(value: unknown): string | null {
  if (!isObject(value)) return 'an object';
  const wrong = Object.entries(value).find(([, item]) => typeof item !== 'string' && item !== null);
  if (!wrong) return null;
  return `an object of strings, with null for a flag without a value; '${wrong[0]}' is ${kindOf(wrong[1])}`;
}

function mcpServer(value: unknown): string | null {
  const type = isObject(value) ? (value.type ?? 'stdio') : undefined;
  switch (type) {
    case 'stdio':
      return shape({ command: word, 'args?': texts, 'env?': record })(value);
    case 'http':
    case 'sse':
      return shape({ url: word, 'headers?': record })(value);
    case 'sdk':
      return shape({ name: word, instance: record })(value);
    default:
      return "a server: { command }, { type: 'http', url }, { type: 'sse', url }, or what createSdkMcpServer returns";
  }
}
