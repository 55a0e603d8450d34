import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Options } from '../../src/sdk/index.ts';
import { sdk } from '../support/built.ts';
import { fakeAgent } from '../support/fake-agent.ts';
import { makePlace } from '../support/place.ts';
import { ROOT } from '../support/root.ts';

/**
 * What the reference SDK makes of its options: one recorded line per option. Those marked `from` are of the newer
 * version: only it knows the option, or a ruling follows it.
 */
interface Row {
  option: string;
  from?: string;
  argv: string[];
  execArgv?: string[];
  /** What is set besides the name and the version of the SDK. */
  env?: object;
  initialize?: object;
  first_user?: object;
}

const rows = readFileSync(join(ROOT, 'test/e2e/fixtures/sdk-argv.ndjson'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

const silent = async () => ({});
const resume = '11111111-1111-4111-8111-111111111111';
const options: Record<string, Options> = {
  none: {},
  _all_together: {
    maxThinkingTokens: 3,
    effort: 'low',
    maxTurns: 1,
    maxBudgetUsd: 2,
    model: 'M',
    agent: 'AG',
    betas: ['b'],
    outputFormat: { type: 'json_schema', schema: {} },
    debugFile: '/d',
    canUseTool: async () => ({ behavior: 'allow' }),
    continue: true,
    resume: 'R',
    allowedTools: ['A'],
    disallowedTools: ['D'],
    tools: ['T'],
    mcpServers: { s: { command: 'c' } },
    settingSources: ['user'],
    strictMcpConfig: true,
    permissionMode: 'plan',
    allowDangerouslySkipPermissions: true,
    fallbackModel: 'FM',
    includePartialMessages: true,
    additionalDirectories: ['/a'],
    plugins: [{ type: 'local', path: '/p' }],
    forkSession: true,
    resumeSessionAt: 'RA',
    sessionId: 'SI',
    persistSession: false,
    extraArgs: { x: 'y' },
    sandbox: { enabled: true },
  },
  additionalDirectories: { additionalDirectories: ['/tmp', '/var'] },
  agent: { agent: 'helper' },
  agentProgressSummaries: { agentProgressSummaries: true },
  agents: { agents: { helper: { description: 'd', prompt: 'p', tools: ['Read'], model: 'haiku' } } },
  allowedTools: { allowedTools: ['Read', 'Bash(git:*)'] },
  betas: { betas: ['context-1m-2025-08-07'] },
  canUseTool: { canUseTool: async () => ({ behavior: 'allow' }) },
  continue: { continue: true },
  cwd: { cwd: '/' },
  debug: { debug: true },
  debugFile: { debugFile: '/tmp/x.log' },
  disallowedTools: { disallowedTools: ['Write', 'Edit'] },
  effort: { effort: 'high' },
  enableFileCheckpointing: { enableFileCheckpointing: true },
  env: { env: { ONLY: 'this' } },
  executableArgs: { executableArgs: ['--no-warnings'] },
  extraArgs: { extraArgs: { 'foo-bar': 'baz', flag: null } },
  fallbackModel: { fallbackModel: 'haiku' },
  forkSession: { resume, forkSession: true },
  forwardSubagentText: { forwardSubagentText: true },
  hooks: {
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [silent, silent], timeout: 5 }], Stop: [{ hooks: [silent] }] },
  },
  includeHookEvents: { includeHookEvents: true },
  includePartialMessages: { includePartialMessages: true },
  maxBudgetUsd: { maxBudgetUsd: 1.5 },
  maxThinkingTokens: { maxThinkingTokens: 2000 },
  maxTurns: { maxTurns: 3 },
  managedSettings: { managedSettings: { permissions: {} } },
  mcpHttp: { mcpServers: { h: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { X: 'y' } } } },
  mcpSdk: { mcpServers: { calc: { type: 'sdk', name: 'calc', instance: { connect: async () => {} } } } },
  mcpSse: { mcpServers: { e: { type: 'sse', url: 'http://127.0.0.1:1/sse' } } },
  mcpStdio: { mcpServers: { s: { command: 'node', args: ['x.js'], env: { A: '1' } } } },
  model: { model: 'sonnet' },
  'permissionMode.bypass': { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
  permissionMode: { permissionMode: 'acceptEdits' },
  outputFormat: {
    outputFormat: { type: 'json_schema', schema: { type: 'object', properties: { a: { type: 'string' } } } },
  },
  perTaskStopAffordance: { perTaskStopAffordance: true },
  permissionPromptToolName: { permissionPromptToolName: 'mcp__x__y' },
  permissionPrompts: { permissionPrompts: 'none' },
  planModeInstructions: { planModeInstructions: 'PMI' },
  plugins: { plugins: [{ type: 'local', path: '/tmp/plug' }] },
  projectConfigRoot: { projectConfigRoot: '/tmp' },
  promptSuggestions: { promptSuggestions: true },
  persistSession: { persistSession: false },
  resume: { resume },
  resumeSessionAt: { resume, resumeSessionAt: '22222222-1111-4111-8111-111111111111' },
  sessionId: { sessionId: '33333333-1111-4111-8111-111111111111' },
  sandbox: { sandbox: { enabled: true } },
  'sandbox+settings': { settings: { a: 1 }, sandbox: { enabled: true } },
  settings: { settings: { permissions: { allow: ['Read'] } } },
  'settings.path': { settings: '/tmp/s.json' },
  'settingSources.empty': { settingSources: [] },
  settingSources: { settingSources: ['user', 'project'] },
  skills: { skills: ['a'] },
  'skills.all': { skills: 'all' },
  strictMcpConfig: { strictMcpConfig: true },
  stderr: { stderr: () => {} },
  'systemPrompt.append': { systemPrompt: { type: 'preset', preset: 'claude_code', append: 'APP' } },
  systemPrompt: { systemPrompt: 'SYS' },
  'systemPrompt.preset': { systemPrompt: { type: 'preset', preset: 'claude_code' } },
  'systemPrompt.array': { systemPrompt: ['A', 'B'] },
  taskBudget: { taskBudget: { total: 1000 } },
  'thinking.adaptive': { thinking: { type: 'adaptive' } },
  'thinking.disabled': { thinking: { type: 'disabled' } },
  'thinking.enabled': { thinking: { type: 'enabled', budgetTokens: 4000 } },
  'thinking.enabled.nobudget': { thinking: { type: 'enabled' } },
  title: { title: 'T' },
  toolAliases: { toolAliases: { Bash: 'x' } },
  toolConfig: { toolConfig: { askUserQuestion: { previewFormat: 'html' } } },
  verbatimPrompts: { verbatimPrompts: true },
  'tools.empty': { tools: [] },
  'tools.list': { tools: ['Read', 'Bash'] },
  'tools.preset': { tools: { type: 'preset', preset: 'claude_code' } },
};

/** By how it is set: whatever else is in the environment was inherited. */
const STANDARD = ['CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_AGENT_SDK_VERSION', 'CLAUDE_CODE_SDK_READS_SESSION_STATE'];

/** The rows of spec/ that an option is about; all others are about the fixed flags. */
const ABOUT: Record<string, string> = {
  agents: '[OPT-03]',
  debug: '[B-006]',
  debugFile: '[B-006]',
  executableArgs: '[B-005]',
  extraArgs: '[OPT-41, B-004]',
  settings: '[B-049]',
  'settings.path': '[B-049]',
  'systemPrompt.append': '[TYP-21]',
  'thinking.disabled': '[TYP-19]',
  'thinking.enabled': '[TYP-18]',
  'tools.preset': '[TYP-20]',
};

const cases = rows.map((row) => [row.option, ABOUT[row.option] ?? '[FLG-33, ARC-03]', row] as const);

test.each(cases)('%s %s', async (name, _about, row) => {
  const place = await makePlace();
  const given = options[name];
  expect(given).toBeDefined();
  const agent = fakeAgent(place);
  const run = sdk.query({ prompt: 'hello prompt', options: { pathToClaudeCodeExecutable: agent.path, ...given } });
  for await (const _message of run);
  const { argv, execArgv, env, lines } = agent.recorded();
  expect(argv).toEqual(row.argv);
  if (row.execArgv) expect(execArgv).toEqual(row.execArgv);
  const added = Object.entries(env).filter(([key]) => process.env[key] === undefined && !STANDARD.includes(key));
  expect(Object.fromEntries(added)).toEqual(given?.env ?? row.env ?? {});
  const { clientDialect, ...request } = (lines[0]?.request ?? {}) as Record<string, unknown>;
  expect(clientDialect).toBe('2.1.325'); // ours alone (ruling K46)
  if (row.initialize) expect(lines[0]).toMatchObject({ type: 'control_request', request: row.initialize });
  if (row.initialize) expect(Object.keys(request).sort()).toEqual(Object.keys(row.initialize).sort());
  if (row.first_user) expect(lines.filter(({ type }) => type === 'user')).toEqual([row.first_user]);
});

test('every option that is recorded is tried', () => {
  expect(Object.keys(options).sort()).toEqual(rows.map(({ option }) => option).sort());
});
