import { defined, type JsonObject } from '../../util/json.ts';
import type { Dialect } from '../../wire/dialect.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import type { Launch, RunConfig } from '../../wire/run-config.ts';
import { instancesOf, mcpConfig, sdkServerConfigs } from './mcp-servers.ts';
import type { GivenOptions } from './options.ts';
import { jsonSchemaIn } from './output-schema.ts';
import { settingsText } from './settings-text.ts';
import { programTools } from './tools-of-program.ts';

/** Adaptive thinking as a number, for a command line that only accepts a number. */
const ADAPTIVE_TOKENS = 32_000;

/** The types of this SDK are those of the current reference, so it uses the same line formats. */
const DIALECT: Dialect = '2.1.325';

/** The parts of the options that take time to convert before the agent starts. */
export interface Prepared {
  /** From a zod schema. */
  jsonSchema?: JsonObject;
  /** The descriptions of this program's tools. */
  tools?: JsonObject[];
}

/**
 * The launch for a set of options: data only. Callbacks stay in this program; the agent calls them by control requests.
 */
export function toLaunch(options: GivenOptions, prepared: Prepared = {}): Launch {
  return {
    config: defined(toConfig(options, prepared)),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.stderr === undefined ? {} : { stderr: options.stderr }),
  };
}

function toConfig(options: GivenOptions, { jsonSchema = jsonSchemaIn(options.outputFormat) }: Prepared): RunConfig {
  return {
    outputFormat: 'stream-json',
    verbose: true,
    inputFormat: 'stream-json',
    maxThinkingTokens: thinkingTokens(options),
    thinkingDisplay: options.thinking?.type === 'disabled' ? undefined : options.thinking?.display,
    effort: options.effort,
    maxTurns: options.maxTurns,
    maxBudgetUsd: options.maxBudgetUsd,
    maxDurationMs: options.maxDurationMs,
    allowDetach: options.allowDetach,
    teams: options.teams,
    backgroundWait: options.backgroundWait,
    onEnd: options.onEnd,
    jsonSchema: jsonSchema && JSON.stringify(jsonSchema),
    model: options.model,
    agent: options.agent,
    betas: filled(options.betas),
    debug: options.debug === true ? true : undefined,
    debugFile: options.debugFile,
    permissionPromptTool: options.canUseTool ? 'stdio' : options.permissionPromptToolName,
    permissionPrompts: options.permissionPrompts,
    continue: options.continue,
    resume: options.resume,
    allowedTools: filled([...(options.allowedTools ?? []), ...skillRules(options)]),
    disallowedTools: filled(options.disallowedTools),
    tools: toolList(options.tools),
    hostTools: filled(programTools(options.tools).map(({ name }) => name)),
    mcpConfig: mcpConfig(options),
    // An SDK run loads no settings files unless it names the sources.
    settingSources: options.settingSources ?? [],
    strictMcpConfig: options.strictMcpConfig,
    permissionMode: options.permissionMode ?? 'default',
    allowDangerouslySkipPermissions: options.allowDangerouslySkipPermissions,
    fallbackModel: options.fallbackModel,
    includePartialMessages: options.includePartialMessages,
    includeHookEvents: options.includeHookEvents,
    replayHistory: options.replayHistory,
    toolUseSummaries: options.toolUseSummaries,
    addDir: filled(options.additionalDirectories),
    ...pluginFlags(options),
    forkSession: options.forkSession,
    resumeSessionAt: options.resumeSessionAt,
    resumeDropsTurn: options.resumeDropsTurn,
    sessionId: options.sessionId,
    onMissing: options.onMissing,
    onBusy: options.onBusy,
    sessionStore: options.sessionStore && 'host',
    noSessionPersistence: options.persistSession === false ? true : undefined,
    fileCheckpointing: options.enableFileCheckpointing === true ? true : undefined,
    managedSettings: options.managedSettings && JSON.stringify(options.managedSettings),
    settings: settingsText(options),
  } as RunConfig;
}

/** The body of the initialize request; `announced` names the callbacks. */
export function initializeBody(options: GivenOptions, announced: JsonObject, prepared: Prepared = {}): ControlBody {
  return defined({
    subtype: 'initialize',
    ...announced,
    sdkMcpServers: filled([...instancesOf(options.mcpServers).keys()]),
    sdkMcpServerConfigs: sdkServerConfigs(options.mcpServers),
    hostTools: prepared.tools,
    jsonSchema: prepared.jsonSchema ?? jsonSchemaIn(options.outputFormat),
    ...prompts(options),
    agents: options.agents,
    skills: Array.isArray(options.skills) ? options.skills : undefined,
    title: options.title,
    toolAliases: options.toolAliases,
    planModeInstructions: options.planModeInstructions,
    permissionPreviews: options.permissionPreviews,
    forwardSubagentText: options.forwardSubagentText,
    agentProgressSummaries: options.agentProgressSummaries,
    perTaskStopAffordance: options.perTaskStopAffordance,
    promptSuggestions: options.promptSuggestions,
    clientDialect: options.clientDialect ?? DIALECT,
    supportedDialogKinds: options.supportedDialogKinds,
    plugins: options.pluginDelivery === 'initialize' ? filled(options.plugins) : undefined,
  });
}

/** Without a `systemPrompt` key the agent uses its own prompt; an empty text means no prompt. */
function prompts({ systemPrompt = '' }: GivenOptions): JsonObject {
  if (typeof systemPrompt === 'string' || Array.isArray(systemPrompt)) return { systemPrompt };
  const snapshot = systemPrompt.snapshot === undefined ? {} : { systemPromptSnapshot: systemPrompt.snapshot };
  if (systemPrompt.type === 'custom') return { systemPrompt: systemPrompt.prompt, ...snapshot };
  return {
    ...(systemPrompt.append && { appendSystemPrompt: systemPrompt.append }),
    ...(systemPrompt.excludeDynamicSections && { excludeDynamicSections: true }),
    ...snapshot,
  };
}

/** Plugins as flags, unless they come with the first request. */
function pluginFlags({ plugins = [], pluginDelivery }: GivenOptions): Partial<RunConfig> {
  if (plugins.length === 0) return {};
  if (pluginDelivery === 'initialize') return { awaitInitialize: true };
  const paths = (skips: boolean) =>
    filled(plugins.flatMap(({ path, skipMcpDiscovery = false }) => (skipMcpDiscovery === skips ? path : [])));
  const [pluginDir, pluginDirNoMcp] = [paths(false), paths(true)];
  return { ...(pluginDir && { pluginDir }), ...(pluginDirNoMcp && { pluginDirNoMcp }) };
}

function thinkingTokens({ thinking, maxThinkingTokens }: GivenOptions): number | undefined {
  switch (thinking?.type) {
    case undefined:
      return maxThinkingTokens;
    case 'adaptive':
      return maxThinkingTokens ?? ADAPTIVE_TOKENS;
    case 'enabled':
      return thinking.budgetTokens;
    case 'disabled':
      return 0;
    default:
      return thinking satisfies never;
  }
}

function toolList(tools: GivenOptions['tools']): string[] | undefined {
  if (tools === undefined) return undefined;
  return Array.isArray(tools) ? tools.filter((tool) => typeof tool === 'string') : ['default'];
}

function skillRules({ skills }: GivenOptions): string[] {
  if (skills === undefined) return [];
  return skills === 'all' ? ['Skill'] : skills.map((name) => `Skill(${name})`);
}

/** Undefined for an empty list: an empty flag would have a meaning. */
function filled<T>(list: T[] | undefined): T[] | undefined {
  return list && list.length > 0 ? list : undefined;
}
