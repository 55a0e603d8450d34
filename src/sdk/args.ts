import type { JsonObject } from '../util/json.ts';
import type { Launch, RunConfig } from '../wire/run-config.ts';
import type { Options } from './options.ts';
import { settingsText } from './settings.ts';

/** What adaptive thinking means on a command line that only knows a number (ruling K9). */
const ADAPTIVE_TOKENS = 32_000;

/** The launch for a set of options: data only. Callbacks stay behind; the far end asks for them by control requests. */
export function toLaunch(options: Options): Launch {
  return {
    config: defined(toConfig(options)),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.stderr === undefined ? {} : { stderr: options.stderr }),
  };
}

function toConfig(options: Options): RunConfig {
  const thinking = thinkingTokens(options);
  return {
    outputFormat: 'stream-json',
    verbose: true,
    inputFormat: 'stream-json',
    maxThinkingTokens: thinking,
    effort: options.effort,
    maxTurns: options.maxTurns,
    maxBudgetUsd: options.maxBudgetUsd,
    maxDurationMs: options.maxDurationMs,
    jsonSchema: options.outputFormat && JSON.stringify(options.outputFormat.schema),
    model: options.model,
    betas: options.betas?.length ? options.betas : undefined,
    debug: options.debug === true ? true : undefined,
    debugFile: options.debugFile,
    permissionPromptTool: options.canUseTool ? 'stdio' : undefined,
    continue: options.continue,
    resume: options.resume,
    allowedTools: options.allowedTools?.length ? options.allowedTools : undefined,
    disallowedTools: options.disallowedTools?.length ? options.disallowedTools : undefined,
    tools: toolList(options.tools),
    // An SDK run loads no settings files unless it names the sources (ruling K1).
    settingSources: options.settingSources ?? [],
    permissionMode: options.permissionMode ?? 'default',
    allowDangerouslySkipPermissions: options.allowDangerouslySkipPermissions,
    fallbackModel: options.fallbackModel,
    includePartialMessages: options.includePartialMessages,
    toolUseSummaries: options.toolUseSummaries,
    addDir: options.additionalDirectories?.length ? options.additionalDirectories : undefined,
    forkSession: options.forkSession,
    resumeSessionAt: options.resumeSessionAt,
    sessionId: options.sessionId,
    noSessionPersistence: options.persistSession === false ? true : undefined,
    fileCheckpointing: options.enableFileCheckpointing === true ? true : undefined,
    settings: settingsText(options),
  } as RunConfig;
}

/** The body of the initialize request. No `systemPrompt` key asks for the default prompt; an empty one for none. */
export function initializeBody(options: Options): JsonObject & { subtype: string } {
  const { systemPrompt, outputFormat } = options;
  const schema = outputFormat && { jsonSchema: outputFormat.schema };
  if (typeof systemPrompt === 'object') {
    const append = systemPrompt.append ? { appendSystemPrompt: systemPrompt.append } : {};
    return { subtype: 'initialize', ...append, ...schema };
  }
  return { subtype: 'initialize', systemPrompt: systemPrompt ?? '', ...schema };
}

/** Further flags as words, for subprocesses only. */
export function extraWords(options: Options): string[] {
  return Object.entries(options.extraArgs ?? {}).flatMap(([name, value]) => {
    if (value === null) return [`--${name}`];
    return value.startsWith('-') ? [`--${name}=${value}`] : [`--${name}`, value];
  });
}

function thinkingTokens({ thinking, maxThinkingTokens }: Options): number | undefined {
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

function toolList(tools: Options['tools']): string[] | undefined {
  if (tools === undefined) return undefined;
  return Array.isArray(tools) ? tools : ['default'];
}

function defined(config: RunConfig): RunConfig {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)) as RunConfig;
}
