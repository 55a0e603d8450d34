import { describe, expect, test } from 'vitest';
import { checkOptions } from '../../src/sdk/check-options.ts';
import type { Options } from '../../src/sdk/index.ts';
import { OPTION_CHECKS } from '../../src/sdk/option-checks.ts';
import { createMemoryStore } from '../../src/sessions/memory-store.ts';

const check = (options: unknown) => () => checkOptions(options as Options);
const refusal = (option: string, message: string | RegExp) =>
  expect.objectContaining({
    code: 'invalid_option',
    message: expect.stringMatching(message),
    facts: { option },
  });

/** A value that each option takes; `satisfies` makes sure that none is forgotten. */
const FINE = {
  abortController: new AbortController(),
  cwd: '/',
  env: { A: 'b', C: undefined },
  executable: 'bun',
  executableArgs: ['--smol'],
  pathToHeddleExecutable: '/a',
  pathToClaudeCodeExecutable: '/a',
  extraArgs: { a: 'b', c: null },
  user: 'nobody',
  spawn: () => ({}) as never,
  spawnClaudeCodeProcess: undefined,
  maxBufferSize: 1,
  transport: () => ({}) as never,
  initializeTimeoutMs: 0.5,
  debug: true,
  debugFile: '/x',
  model: 'm',
  fallbackModel: 'f',
  effort: 'xhigh',
  thinking: { type: 'enabled', budgetTokens: 5 },
  maxThinkingTokens: 0,
  maxTurns: 1,
  maxBudgetUsd: 0.1,
  maxDurationMs: 1,
  taskBudget: { total: 5 },
  outputFormat: { type: 'json_schema', schema: {} },
  betas: ['context-1m-2025-08-07', 'other'],
  systemPrompt: { type: 'preset', preset: 'claude_code', append: 'a' },
  planModeInstructions: 'p',
  tools: { type: 'preset', preset: 'claude_code' },
  allowedTools: ['Read'],
  disallowedTools: [],
  toolAliases: { Bash: 'x' },
  toolConfig: { askUserQuestion: { previewFormat: 'html' } },
  additionalDirectories: ['/tmp'],
  permissionMode: 'plan',
  allowDangerouslySkipPermissions: false,
  canUseTool: async () => ({ behavior: 'allow' }),
  permissionPromptToolName: undefined,
  permissionPrompts: 'none',
  sandbox: { enabled: true },
  mcpServers: {
    stdio: { command: 'c' },
    http: { type: 'http', url: 'http://127.0.0.1/' },
    sdk: { type: 'sdk', name: 'n', instance: { connect: async () => {} } },
  },
  strictMcpConfig: true,
  agents: { a: { description: 'd', prompt: 'p', disallowedTools: ['Bash'], maxTurns: 3 } },
  agent: 'a',
  plugins: [{ type: 'local', path: '/p', skipMcpDiscovery: true }],
  pluginDelivery: 'initialize',
  skills: 'all',
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [async () => ({})], timeout: 5, onFailure: 'block' }] },
  continue: false,
  resume: 'r',
  forkSession: true,
  resumeSessionAt: 'u',
  resumeDropsTurn: 'u',
  sessionId: 's',
  title: 't',
  onMissing: 'fresh',
  onBusy: 'fork',
  persistSession: true,
  sessionStore: createMemoryStore(),
  sessionStoreFlush: 'eager',
  loadTimeoutMs: 1,
  enableFileCheckpointing: true,
  settings: '{}',
  settingSources: ['user', 'project', 'local'],
  managedSettings: {},
  projectConfigRoot: '/c',
  includePartialMessages: true,
  includeHookEvents: true,
  toolUseSummaries: true,
  forwardSubagentText: true,
  agentProgressSummaries: true,
  promptSuggestions: true,
  replayHistory: true,
  perTaskStopAffordance: true,
  allowDetach: true,
  teams: true,
  backgroundWait: 60,
  onEnd: 'stop',
  verbatimPrompts: true,
  clientDialect: '2.1.44',
  onElicitation: async () => ({ action: 'decline' }),
  onUserDialog: async () => ({ behavior: 'cancelled' }),
  supportedDialogKinds: ['refusal_fallback_prompt'],
  stderr: () => {},
  onError: () => {},
} satisfies { [Name in keyof Required<Options>]: Options[Name] };

test('[OPT-46, TYP-15, K19] every option passes with a value of its type', () => {
  expect(check(FINE)).not.toThrow();
  expect(Object.keys(OPTION_CHECKS).sort()).toEqual(Object.keys(FINE).sort());
});

test.each(Object.keys(OPTION_CHECKS))('[K19] %s: a wrong value is refused and named', (name) => {
  expect(check({ [name]: Symbol('wrong') })).toThrow(refusal(name, `^options\\.${name} must be `));
});

describe('what is wrong inside of an option is named', () => {
  test.each<[Record<string, unknown>, string, string]>([
    [{ mcpServers: { s: {} } }, 'mcpServers', "an object whose 's' is an object whose 'command' is a string"],
    [{ mcpServers: { s: { type: 'http' } } }, 'mcpServers', "whose 's' is an object whose 'url' is"],
    [{ mcpServers: { s: { type: 'carrier-pigeon' } } }, 'mcpServers', "whose 's' is a server: { command }"],
    [{ agents: { a: { description: 'd' } } }, 'agents', "whose 'a' is an object whose 'prompt' is a string"],
    [{ hooks: { Stop: {} } }, 'hooks', "an object whose 'Stop' is an array"],
    [
      { hooks: { Stop: [{ hooks: ['x'] }] } },
      'hooks',
      "whose item 1 is an object whose 'hooks' is an array whose item 1 is a function",
    ],
    [{ plugins: [{ type: 'npm', path: 'x' }] }, 'plugins', "whose item 1 is an object whose 'type' is one of local"],
    [{ thinking: { type: 'hard' } }, 'thinking', "whose 'type' is one of adaptive, enabled, disabled"],
    [{ env: { A: 1 } }, 'env', "an object of strings; 'A' is a number"],
    [{ systemPrompt: { append: 'x' } }, 'systemPrompt', "or { type: 'preset'"],
    [{ skills: 'some' }, 'skills', "'all' or an array of strings"],
    [{ sessionStore: {} }, 'sessionStore', "an object whose 'append' is a function"],
    [{ sessionStore: { ...FINE.sessionStore, list: 1 } }, 'sessionStore', "an object whose 'list' is a function"],
    [{ sessionStoreFlush: 'soon' }, 'sessionStoreFlush', 'one of batched, eager'],
    [{ effort: 'extreme' }, 'effort', 'one of low, medium, high, xhigh, max'],
    [{ user: -1 }, 'user', 'a string that is not empty or a whole number, 0 or above'],
  ])('[TYP-16] %j', (options, name, message) => {
    expect(check(options)).toThrow(refusal(name, message.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  });
});

test.each<[Options, string]>([
  [{ permissionMode: 'bypassPermissions' }, 'permissionMode'],
  [{ sessionId: 'a', resume: 'b' }, 'sessionId'],
  [{ sessionId: 'a', continue: true }, 'sessionId'],
  [{ canUseTool: FINE.canUseTool, permissionPromptToolName: 'mcp__a__b' }, 'permissionPromptToolName'],
  [{ model: 'a', fallbackModel: 'a' }, 'fallbackModel'],
  [{ sessionStore: FINE.sessionStore, persistSession: false }, 'sessionStore'],
  [{ pathToHeddleExecutable: '/a', pathToClaudeCodeExecutable: '/b' }, 'pathToHeddleExecutable'],
])('[OPT-04, B-001] %j: what does not go together is refused', (options, name) => {
  expect(check(options)).toThrow(refusal(name, '.'));
});

test('[B-001] a session id goes with resume when the session is copied', () => {
  expect(check({ sessionId: 'a', resume: 'b', forkSession: true })).not.toThrow();
});

test.each([
  ['modle', 'model'],
  ['max_turns', 'maxTurns'],
  ['PermissionMode', 'permissionMode'],
  ['mcpServer', 'mcpServers'],
])('a name that is nearly one: %s', (name, meant) => {
  expect(check({ [name]: 1 })).toThrow(`There is no option '${name}'; did you mean '${meant}'?`);
});

test('a name that is none', () => {
  expect(check({ zzzzzzzzzzzz: 1 })).toThrow("There is no option 'zzzzzzzzzzzz' in this version");
});
