import { isObject } from '../util/json.ts';
import { DIALECTS } from '../wire/dialect.ts';
import { EFFORT_LEVELS } from '../wire/effort-levels.ts';
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
import type { GivenOptions } from './options.ts';
import { isZod } from './output-schema.ts';

/** What each option must be. */
export const OPTION_CHECKS: Record<keyof GivenOptions, Check> = {
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
  effort: oneOf(EFFORT_LEVELS),
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
  outputFormat: (value) => {
    if (isZod(value) || shape({ type: oneOf(['json_schema']), schema: record })(value) === null) return null;
    return "{ type: 'json_schema', schema: {…} } or a schema of zod";
  },
  betas: texts,
  systemPrompt: (value) => {
    if (either(text, texts)(value) === null || (isObject(value) && value.type === 'preset')) return null;
    if (shape({ type: oneOf(['custom']), prompt: either(text, texts) })(value) === null) return null;
    return "a string, an array of strings, { type: 'custom', prompt: '…' }, or { type: 'preset', preset: 'claude_code', append: '…' }";
  },
  planModeInstructions: text,

  // tools
  tools: (value) => (Array.isArray(value) ? listOf(toolOrName)(value) : record(value)),
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
  plugins: listOf(shape({ type: oneOf(['local']), path: word, 'skipMcpDiscovery?': flag })),
  pluginDelivery: oneOf(['argv', 'initialize']),
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
  sessionStore: storeShape,
  sessionStoreFlush: oneOf(['batched', 'eager']),
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
  clientDialect: oneOf(DIALECTS),
  verbatimPrompts: flag,
  onElicitation: callback,
  onUserDialog: callback,
  supportedDialogKinds: texts,
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

function toolOrName(value: unknown): string | null {
  const isTool = shape({ name: text, inputSchema: record, handler: callback })(value) === null;
  return typeof value === 'string' || isTool ? null : 'the name of a tool, or one that tool() has made';
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

/** Of either kind: one of ours has `list` and `exists`, one that was written for the reference has neither. */
function storeShape(value: unknown): string | null {
  const isOurs = isObject(value) && ('list' in value || 'exists' in value);
  return shape({ append: callback, load: callback, ...(isOurs && { list: callback, exists: callback }) })(value);
}
