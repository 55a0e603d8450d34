import {
  type AccountInfo,
  type AgentInfo,
  filterEscalatingDefaultMode,
  type McpServerStatus,
  type McpServerStatusConfig,
  type ModelInfo,
  type PermissionMode,
  type ProvenanceEntry,
  type Query,
  query,
  type ResolvedSettings,
  type RewindFilesResult,
  resolveSettings,
  type SDKControlGetContextUsageResponse,
  type SDKControlGetUsageResponse,
  type SDKControlInitializeResponse,
  type SDKControlInterruptResponse,
  type SDKControlMcpReadResourceResponse,
  type SDKControlReadFileResponse,
  type SDKControlReloadOutputStylesResponse,
  type SDKControlReloadPluginsResponse,
  type SDKControlReloadSkillsResponse,
  type Settings,
  type SlashCommand,
} from '@anthropic-ai/claude-agent-sdk';

export async function look(prompt: string): Promise<string[]> {
  const run: Query = query({ prompt, options: { settings: appearance() } });
  const ready: SDKControlInitializeResponse = await run.initializationResult();
  const commands: SlashCommand[] = ready.commands;
  const models: ModelInfo[] = await run.supportedModels();
  const agents: AgentInfo[] = await run.supportedAgents();
  const account: AccountInfo = await run.accountInfo();
  const context: SDKControlGetContextUsageResponse = await run.getContextUsage({ detail: 'summary' });
  const plugins: SDKControlReloadPluginsResponse = await run.reloadPlugins({ refuseIfBusy: true });
  const skills: SDKControlReloadSkillsResponse = await run.reloadSkills();
  const styles: SDKControlReloadOutputStylesResponse = await run.reloadOutputStyles();
  const file: SDKControlReadFileResponse | null = await run.readFile('README.md', { maxBytes: 1000 });
  const page: SDKControlMcpReadResourceResponse = await run.readMcpResource('ui', 'ui://page');
  const servers: McpServerStatus[] = await run.mcpServerStatus();
  const files: RewindFilesResult = await run.rewindFiles('uuid', { dryRun: true });
  const used: SDKControlGetUsageResponse = await run.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET();
  const receipt: SDKControlInterruptResponse | undefined = await run.interrupt();
  await run.applyFlagSettings({ effortLevel: 'high', model: null });
  await run.seedReadState('/srv/a.ts', Date.now());
  return [
    ...commands.map(({ name, argumentHint, description }) => `/${name} ${argumentHint}: ${description}`),
    ...models.map(({ value, displayName, supportedEffortLevels = [] }) =>
      [value, displayName, ...supportedEffortLevels].join(),
    ),
    ...agents.map(({ name, model }) => `${name} ${model ?? 'inherit'}`),
    account.apiProvider ?? account.tokenSource ?? 'nobody',
    ...context.categories.map(({ name, tokens, kind }) => `${name} ${tokens} ${kind}`),
    ...context.memoryFiles.map(({ path, tokens }) => `${path} ${tokens}`),
    ...plugins.plugins.map(({ name, version }) => `${name} ${version ?? ''}`),
    ...skills.skills.map(({ name }) => name),
    ...styles.available_output_styles,
    file === null ? '' : `${file.absPath} ${file.contents.length} ${file.truncated ?? false}`,
    ...page.contents.map(({ uri }) => uri),
    ...servers.map(({ name, status, config }) => `${name} ${status} ${address(config)}`),
    `${files.canRewind} ${files.filesChanged?.join() ?? ''} ${files.skippedLinks ?? 0}`,
    `${used.session.total_cost_usd} ${used.session.total_lines_added + used.session.total_lines_removed}`,
    receipt?.still_queued.join() ?? '',
    `${ready.hook_on_failure_supported ?? false} ${ready.plugins_applied ?? false} ${ready.fast_mode_state ?? ''}`,
  ];
}

function address(config: McpServerStatusConfig | undefined): string {
  if (config === undefined) return '';
  if (config.type === 'http' || config.type === 'sse' || config.type === 'claudeai-proxy') return config.url;
  return config.type === 'sdk' ? config.name : config.command;
}

function appearance(): Settings {
  return {
    model: 'sonnet',
    permissions: { allow: ['Read'], deny: ['Bash(rm:*)'], defaultMode: 'acceptEdits' },
    env: { LANG: 'C' },
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] },
    statusLine: { type: 'command', command: 'date' },
    sandbox: { enabled: true, network: { allowedDomains: ['example.com'] } },
  };
}

export async function settingsOf(cwd: string): Promise<[PermissionMode | undefined, ProvenanceEntry | undefined]> {
  const resolved: ResolvedSettings = await resolveSettings({ cwd, settingSources: ['user', 'project'] });
  const { permissions } = filterEscalatingDefaultMode(resolved);
  for (const { source, path, settings } of resolved.sources) console.log(source, path, Object.keys(settings));
  return [permissions?.defaultMode, resolved.provenance.model];
}
