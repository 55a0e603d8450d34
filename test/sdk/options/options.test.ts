import { describe, expect, test } from 'vitest';
import type { Options } from '../../../src/sdk/index.ts';
import { checkOptions } from '../../../src/sdk/options/check-options.ts';
import { OPTION_CHECKS } from '../../../src/sdk/options/option-checks.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';

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
  permissionPreviews: true,
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
  continueTurn: true,
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
    [{ mcpServers: { s: {} } }, 'mcpServers', '.s.command must be a string that is not empty, got undefined'],
    [{ mcpServers: { s: { type: 'http' } } }, 'mcpServers', '.s.url must be a string that is not empty, got undefined'],
    [{ mcpServers: { s: { url: 'http://x' } } }, 'mcpServers', ".s has a url and no type: add type: 'http' (or 'sse')"],
    [
      { mcpServers: { s: { type: 'carrier-pigeon' } } },
      'mcpServers',
      ".s must be a server: { command }, { type: 'http', url }, { type: 'sse', url }, or what createSdkMcpServer returns, got an object",
    ],
    [{ agents: { a: { description: 'd' } } }, 'agents', '.a.prompt must be a string, got undefined'],
    [{ hooks: { Stop: {} } }, 'hooks', '.Stop must be an array, got an object'],
    [{ hooks: { Stop: [{ hooks: ['x'] }] } }, 'hooks', '.Stop[0].hooks[0] must be a function, got a string'],
    [{ plugins: [{ type: 'npm', path: 'x' }] }, 'plugins', '[0].type must be one of local, got "npm"'],
    [{ thinking: { type: 'hard' } }, 'thinking', '.type must be one of adaptive, enabled, disabled, got "hard"'],
    [{ env: { A: 1 } }, 'env', '.A must be a string, got a number'],
    [{ env: { 'A-B': ['secret'] } }, 'env', '["A-B"] must be a string, got an array'],
    [
      { systemPrompt: { append: 'x' } },
      'systemPrompt',
      " must be a string, an array of strings, { type: 'custom', prompt: '…' }, or { type: 'preset', preset: 'claude_code', append: '…' }, got an object",
    ],
    [{ skills: 'some' }, 'skills', ` must be 'all' or an array of strings, got "some"`],
    [{ sessionStore: {} }, 'sessionStore', '.append must be a function, got undefined'],
    [{ sessionStore: { ...FINE.sessionStore, list: 1 } }, 'sessionStore', '.list must be a function, got a number'],
    [{ sessionStoreFlush: 'soon' }, 'sessionStoreFlush', ' must be one of batched, eager, got "soon"'],
    [{ effort: 'extreme' }, 'effort', ' must be one of low, medium, high, xhigh, max, got "extreme"'],
    [{ user: -1 }, 'user', ' must be the name of a user, or a whole number, 0 or above, got -1'],
    [{ settings: 7 }, 'settings', ' must be an object, JSON text or a path, got a number'],
    [
      { model: 'x'.repeat(41), maxTurns: 'x'.repeat(41) },
      'maxTurns',
      ' must be a whole number above 0, got a string of 41 characters',
    ],
  ])('[TYP-16] %j', (options, name, message) => {
    expect(check(options)).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        message: `options.${name}${message}`,
        facts: { option: name },
      }),
    );
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

describe('[K51] a name that is one slip away from a known one', () => {
  test.each([
    ['modle', 'model'],
    ['max_turns', 'maxTurns'],
    ['PermissionMode', 'permissionMode'],
    ['mcpServer', 'mcpServers'],
  ])('option: %s', (name, meant) => {
    expect(check({ [name]: 1 })).toThrow(`There is no option '${name}'; did you mean '${meant}'?`);
  });

  const guard = [{ hooks: [async () => ({})] }];
  const agent = { description: 'd', prompt: 'p' };
  test.each<[Record<string, unknown>, string, string]>([
    [{ hooks: { PreTooluse: guard } }, 'hooks', "options.hooks has 'PreTooluse'; did you mean 'PreToolUse'?"],
    [{ hooks: { PreToolUze: guard } }, 'hooks', "options.hooks has 'PreToolUze'; did you mean 'PreToolUse'?"],
    [{ hooks: { pre_tool_use: guard } }, 'hooks', "options.hooks has 'pre_tool_use'; did you mean 'PreToolUse'?"],
    [
      { hooks: { PreToolUse: [{ ...guard[0], matcher: 'Bsh' }] } },
      'hooks',
      "options.hooks.PreToolUse[0].matcher names the tool 'Bsh'; did you mean 'Bash'?",
    ],
    [
      { hooks: { PostToolUse: [{ ...guard[0], matcher: 'Edit|Wirte' }] } },
      'hooks',
      "options.hooks.PostToolUse[0].matcher names the tool 'Wirte'; did you mean 'Write'?",
    ],
    [
      { hooks: { Stop: [{ ...guard[0], matchr: 'x' }] } },
      'hooks',
      "options.hooks.Stop[0] has 'matchr'; did you mean 'matcher'?",
    ],
    [{ tools: ['Bsh'] }, 'tools', "options.tools[0] names the tool 'Bsh'; did you mean 'Bash'?"],
    [
      { allowedTools: ['Read', 'Bsh(ls)'] },
      'allowedTools',
      "options.allowedTools[1] names the tool 'Bsh'; did you mean 'Bash'?",
    ],
    [
      { disallowedTools: ['bash'] },
      'disallowedTools',
      "options.disallowedTools[0] names the tool 'bash'; did you mean 'Bash'?",
    ],
    [
      { agents: { a: { ...agent, tools: ['Reed'] } } },
      'agents',
      "options.agents.a.tools[0] names the tool 'Reed'; did you mean 'Read'?",
    ],
    [{ agents: { a: { ...agent, tool: ['Read'] } } }, 'agents', "options.agents.a has 'tool'; did you mean 'tools'?"],
    [
      { mcpServers: { s: { comand: 'x' } } },
      'mcpServers',
      "options.mcpServers.s has 'comand'; did you mean 'command'?",
    ],
  ])('%j', (options, name, message) => {
    expect(check(options)).toThrow(
      expect.objectContaining({ code: 'invalid_option', message, facts: { option: name } }),
    );
  });

  test.each<[string, Options]>([
    ['an event of a version that we do not know', { hooks: { HostWentAway: guard } as Options['hooks'] }],
    ['a tool that is near none', { tools: ['Terraform'], allowedTools: ['Terraform(plan)'] }],
    ['a tool of a server', { allowedTools: ['mcp__bash__Bsh', 'mcp__bash'] }],
    ['older names, and those of other versions', { disallowedTools: ['Agent', 'KillBash', 'LS', 'MultiEdit(src/**)'] }],
    [
      'a tool of this program',
      { tools: [{ name: 'Bsh', description: '', inputSchema: {}, handler: () => '' }], allowedTools: ['Bsh'] },
    ],
    ['another name that the options give', { toolAliases: { Bsh: 'Bash' }, allowedTools: ['Bsh'] }],
    ['a tool of an engine', { transport: FINE.transport, allowedTools: ['Bsh'] }],
    ['a pattern', { hooks: { PreToolUse: [{ matcher: '^Bas$|Ed.t', hooks: [async () => ({})] }] } }],
  ])('%s is let through', (_what, options) => {
    expect(check(options)).not.toThrow();
  });
});

test.each([
  ['zzzzzzzzzzzz', "There is no option 'zzzzzzzzzzzz' in this version; docs/sdk.md lists all of them"],
  ['signal', "There is no option 'signal': to cancel from outside, give an AbortController as abortController"],
])('a name that is none: %s', (name, message) => {
  expect(check({ [name]: 1 })).toThrow(message);
});

test.each([null, 'fast', 7, []])('%j is no object of options', (options) => {
  expect(check(options)).toThrow(/^options must be an object, got /);
});
