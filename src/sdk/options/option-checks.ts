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
  must,
  oneOf,
  record,
  recordOf,
  shape,
  slipIn,
  spelled,
  text,
  texts,
  word,
} from '../../util/checks.ts';
import { isObject } from '../../util/json.ts';
import { DIALECTS } from '../../wire/dialect.ts';
import { EFFORT_LEVELS } from '../../wire/effort-levels.ts';
import { HOOK_EVENTS } from '../../wire/hooks/hook-events.ts';
import { PERMISSION_MODE_CHOICES } from '../../wire/permission-modes.ts';
import { THINKING_DISPLAYS } from '../../wire/thinking-display.ts';
import type { GivenOptions } from './options.ts';
import { isZod } from './output-schema.ts';

/** The check of each option. */
export const OPTION_CHECKS: Record<keyof GivenOptions, Check> = {
  // environment
  abortController: must('an AbortController', (value) => value instanceof AbortController),
  cwd: text,
  env: (value) => variables(value),
  executable: oneOf(['node', 'bun', 'deno']),
  executableArgs: texts,
  pathToHeddleExecutable: word,
  pathToClaudeCodeExecutable: word,
  extraArgs: (value) => flagValues(value),
  user: either('the name of a user, or a whole number, 0 or above', word, countOrNone),
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
  thinking: spelled({
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
  taskBudget: spelled({ total: count }),
  outputFormat: must("{ type: 'json_schema', schema: {…} } or a schema of zod", (value) => {
    return isZod(value) || shape({ type: oneOf(['json_schema']), schema: record })(value) === null;
  }),
  betas: texts,
  systemPrompt: (value) => slipIn(value, PROMPT_FIELDS) ?? systemPrompt(value),
  planModeInstructions: text,
  permissionPreviews: flag,

  // tools
  tools: (value) => (Array.isArray(value) ? listOf(toolOrName)(value) : toolPreset(value)),
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
  sandbox: (value) => sandboxSettings(value),

  // extensions
  mcpServers: (value) => (typeof value === 'string' ? null : recordOf(mcpServer)(value)),
  strictMcpConfig: flag,
  agents: (value) => recordOf(agentDefinition)(value),
  agent: word,
  plugins: listOf(spelled({ type: oneOf(['local']), path: word, 'skipMcpDiscovery?': flag })),
  pluginDelivery: oneOf(['argv', 'initialize']),
  skills: either("'all' or an array of strings", oneOf(['all']), texts),
  hooks: (value) => slipIn(value, HOOK_EVENTS) ?? recordOf(listOf(hookMatcher))(value),

  // session
  continue: flag,
  resume: word,
  forkSession: flag,
  resumeSessionAt: word,
  resumeDropsTurn: word,
  continueTurn: flag,
  sessionId: word,
  title: text,
  onMissing: oneOf(['error', 'fresh']),
  onBusy: oneOf(['refuse', 'wait', 'fork']),
  persistSession: flag,
  sessionStore: storeShape,
  sessionStoreFlush: oneOf(['batched', 'eager']),
  loadTimeoutMs: amount,
  enableFileCheckpointing: flag,
  settings: (value) => (typeof value === 'string' ? null : settingsObject(value)),
  settingSources: listOf(oneOf(['user', 'project', 'local'])),
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

const PROMPT_FIELDS = ['type', 'preset', 'append', 'prompt', 'excludeDynamicSections', 'snapshot'];

const systemPrompt = must(
  "a string, an array of strings, { type: 'custom', prompt: '…' }, or { type: 'preset', preset: 'claude_code', append: '…' }",
  (value) => {
    if (typeof value === 'string' || texts(value) === null || (isObject(value) && value.type === 'preset')) return true;
    return (
      isObject(value) && value.type === 'custom' && (typeof value.prompt === 'string' || texts(value.prompt) === null)
    );
  },
);

const toolPreset = must(
  "an array of names of tools, or { type: 'preset', preset: 'claude_code' }",
  (value) => isObject(value) && value.type === 'preset',
);

const anything: Check = () => null;
const fields = (names: string) => Object.fromEntries(names.split(' ').map((name) => [`${name}?`, anything]));

const agentDefinition = spelled({
  description: text,
  prompt: text,
  'tools?': texts,
  'disallowedTools?': texts,
  'model?': text,
  'skills?': texts,
  'maxTurns?': count,
  ...fields('mcpServers background effort permissionMode memory isolation initialPrompt color'),
});

const hookMatcher = spelled({
  hooks: listOf(callback),
  'matcher?': text,
  'timeout?': amount,
  'onFailure?': oneOf(['block', 'continue', 'ignore']),
});

/** A mistyped key would not confine anything. The agent checks the values. */
const sandboxSettings = spelled({
  ...fields('enabled autoAllowBashIfSandboxed excludedCommands allowUnsandboxedCommands failIfUnavailable'),
  ...fields('enableWeakerNestedSandbox ignoreViolations'),
  'network?': spelled(
    fields(
      'allowedDomains deniedDomains allowUnixSockets allowAllUnixSockets allowLocalBinding httpProxyPort socksProxyPort',
    ),
  ),
  'filesystem?': spelled(fields('allowWrite denyWrite denyRead')),
});

const settingsObject: Check = (value) =>
  isObject(value) ? null : { at: '', says: `must be an object, JSON text or a path, got ${kindOf(value)}` };

/** Never shows the values of variables. */
const variables = recordOf((value) => {
  if (value === undefined || typeof value === 'string') return null;
  return { at: '', says: `must be a string, got ${kindOf(value)}` };
});

const flagValues = recordOf(
  must('a string, or null for a flag without a value', (value) => typeof value === 'string' || value === null),
);

const toolOrName = must('the name of a tool, or one that tool() has made', (value) => {
  return typeof value === 'string' || shape({ name: text, inputSchema: record, handler: callback })(value) === null;
});

const LOCAL_SERVER = spelled({ command: word, 'args?': texts, 'env?': record, 'timeout?': amount });
const REMOTE_SERVER = spelled({ url: word, 'headers?': record, 'timeout?': amount });
const OWN_SERVER = shape({ name: word, instance: record });

function mcpServer(value: unknown): ReturnType<Check> {
  const type = isObject(value) ? (value.type ?? 'stdio') : undefined;
  switch (type) {
    case 'stdio':
      return isObject(value) && typeof value.url === 'string' ? typeMissing() : LOCAL_SERVER(value);
    case 'http':
    case 'sse':
      return REMOTE_SERVER(value);
    case 'sdk':
      return OWN_SERVER(value);
    default:
      return must(
        "a server: { command }, { type: 'http', url }, { type: 'sse', url }, or what createSdkMcpServer returns",
        () => false,
      )(value);
  }
}

function typeMissing(): ReturnType<Check> {
  return { at: '', says: "has a url and no type: add type: 'http' (or 'sse')" };
}

/** A store of either kind: one for Heddle has `list` and `exists`, one for the reference has neither. */
function storeShape(value: unknown): ReturnType<Check> {
  const isOurs = isObject(value) && ('list' in value || 'exists' in value);
  return shape({ append: callback, load: callback, ...(isOurs && { list: callback, exists: callback }) })(value);
}
