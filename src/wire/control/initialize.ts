import * as z from 'zod/mini';
import { AgentDefinition } from '../agent-definition.ts';
import { McpServerToolPolicy } from '../mcp.ts';
import { AnyObject, open } from '../schema.ts';

const text = z.optional(z.string());
const texts = z.optional(z.array(z.string()));
const flag = z.optional(z.boolean());

/** Callbacks of the host for one event, behind ids. */
export const HookCallbackMatcher = open(() => ({
  matcher: z.optional(z.nullable(z.string())),
  hookCallbackIds: z.array(z.string()),
  /** Seconds. */
  timeout: z.optional(z.number()),
  /** `block`: a callback that fails counts as a denial. */
  onFailure: text,
}));
export type HookCallbackMatcher = z.infer<typeof HookCallbackMatcher>;

/** Absent leaves the preset alone; an empty text means an empty prompt. Newer hosts send a list of blocks. */
const Prompt = z.optional(z.union([z.string(), z.array(z.string())]));

export const SlashCommand = open(() => ({ name: z.string(), description: z.string(), argumentHint: z.string() }));
export type SlashCommand = z.infer<typeof SlashCommand>;

export const ModelInfo = open(() => ({
  value: z.string(),
  displayName: z.string(),
  description: z.string(),
  resolvedModel: text,
  supportsEffort: flag,
  supportedEffortLevels: texts,
  supportsAdaptiveThinking: flag,
}));
export type ModelInfo = z.infer<typeof ModelInfo>;

export const AccountInfo = open(() => ({
  email: text,
  organization: text,
  subscriptionType: text,
  tokenSource: text,
  apiKeySource: text,
}));
export type AccountInfo = z.infer<typeof AccountInfo>;

export const AgentInfo = open(() => ({ name: z.string(), description: z.string(), model: text }));
export type AgentInfo = z.infer<typeof AgentInfo>;

export const InitializeResponse = open(() => ({
  commands: z.array(SlashCommand),
  output_style: z.string(),
  available_output_styles: z.array(z.string()),
  models: z.array(ModelInfo),
  account: AccountInfo,
  pid: z.optional(z.number()),
  agents: z.optional(z.array(AgentInfo)),
  claude_code_version: text,
  current_permission_mode: text,
  fast_mode_state: text,
  /** `idle` or `running`. */
  session_state: text,
  /** What this end can do beyond the reference: `end_input` and others (ruling K2). */
  capabilities: texts,
  heddle_version: text,
  protocol_version: z.optional(z.number()),
}));
export type InitializeResponse = z.infer<typeof InitializeResponse>;

/** The fields of an `initialize` request. */
export const initializeFields = () => ({
  /** By event name. Unknown events are kept and warned about, they never disable the rest (ruling K5). */
  hooks: z.optional(z.nullable(z.record(z.string(), z.array(HookCallbackMatcher)))),
  sdkMcpServers: texts,
  /** By name of an SDK server. */
  sdkMcpServerConfigs: z.optional(
    z.record(z.string(), open({ timeout: z.optional(z.number()), tools: z.optional(z.array(McpServerToolPolicy)) })),
  ),
  /** Handshake and tool list of each SDK server, so that they need not be asked for (ruling K45). */
  sdkMcpServerManifests: z.optional(
    z.record(z.string(), open({ initializeResult: z.optional(AnyObject), toolsListResult: z.optional(AnyObject) })),
  ),
  jsonSchema: z.optional(AnyObject),
  systemPrompt: Prompt,
  appendSystemPrompt: Prompt,
  agents: z.optional(z.record(z.string(), AgentDefinition)),
  skills: z.optional(z.union([z.string(), z.array(z.string())])),
  title: text,
  plugins: z.optional(z.array(z.unknown())),
  toolAliases: z.optional(z.record(z.string(), z.string())),
  planModeInstructions: text,
  forwardSubagentText: flag,
  agentProgressSummaries: flag,
  perTaskStopAffordance: flag,
  promptSuggestions: flag,
});
