import { spawn } from 'node:child_process';
import {
  AbortError,
  type AgentDefinition,
  type Options,
  query,
  type SandboxSettings,
  type SettingSource,
  type SpawnedProcess,
  type SpawnOptions,
} from '@anthropic-ai/claude-agent-sdk';

const sandbox: SandboxSettings = {
  enabled: true,
  autoAllowBashIfSandboxed: true,
  network: { allowLocalBinding: true, allowUnixSockets: ['/run/docker.sock'] },
};
const sources: SettingSource[] = ['user', 'project', 'local'];
const reviewer: AgentDefinition = {
  description: 'Reviews code',
  prompt: 'You review code.',
  tools: ['Read', 'Grep'],
  model: 'haiku',
};

function inContainer({ command, args, cwd, env, signal }: SpawnOptions): SpawnedProcess {
  return spawn('docker', ['run', '-i', command, ...args], { cwd, env, signal, stdio: ['pipe', 'pipe', 'inherit'] });
}

const abortController = new AbortController();
const options: Options = {
  abortController,
  agents: { reviewer },
  betas: ['context-1m-2025-08-07'],
  cwd: '/srv/project',
  debug: true,
  debugFile: '/tmp/agent.log',
  effort: 'high',
  env: { ...process.env, CLAUDE_AGENT_SDK_CLIENT_APP: 'my-app/1.0.0' },
  executable: 'node',
  executableArgs: ['--max-old-space-size=512'],
  extraArgs: { verbose: null, name: 'nightly' },
  fallbackModel: 'sonnet',
  includePartialMessages: false,
  maxBudgetUsd: 1.5,
  maxTurns: 20,
  model: 'opus',
  pathToClaudeCodeExecutable: '/opt/agent/cli.js',
  persistSession: false,
  plugins: [{ type: 'local', path: './plugin' }],
  sandbox,
  settingSources: sources,
  spawnClaudeCodeProcess: inContainer,
  stderr: (data) => console.error(data.trimEnd()),
  strictMcpConfig: true,
  systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Answer in French.' },
  thinking: { type: 'enabled', budgetTokens: 8000 },
  tools: { type: 'preset', preset: 'claude_code' },
};

export async function nightly(prompt: string): Promise<void> {
  setTimeout(() => abortController.abort(), 60_000);
  try {
    for await (const { type } of query({ prompt, options })) console.log(type);
  } catch (error) {
    if (!(error instanceof AbortError)) throw error;
    console.log('aborted');
  }
}
