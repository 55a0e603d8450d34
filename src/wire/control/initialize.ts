import * as z from 'zod/mini';
import { AgentDefinition } from '../agent-definition.ts';
import { EFFORT_LEVELS } from '../effort-levels.ts';
import { FastModeDisabledReason, FastModeState } from '../fast-mode.ts';
import { McpServerToolPolicy } from '../mcp.ts';
import { AnyObject, open, type Schema, word } from '../schema.ts';

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

export const SlashCommand = open(() => ({
  name: z.string(),
  description: z.string(),
  argumentHint: z.string(),
  /** Other names for it. */
  aliases: texts,
  /** One of the program's own, not of a file or a server. */
  builtin: flag,
}));
export type SlashCommand = z.infer<typeof SlashCommand>;

export const ModelInfo = open(() => ({
  value: z.string(),
  displayName: z.string(),
  description: z.string(),
  resolvedModel: text,
  supportsEffort: flag,
  supportedEffortLevels: z.optional(z.array(word(EFFORT_LEVELS))),
  supportsAdaptiveThinking: flag,
  supportsFastMode: flag,
  supportsAutoMode: flag,
}));
export type ModelInfo = z.infer<typeof ModelInfo>;

export const AccountInfo = open(() => ({
  email: text,
  organization: text,
  subscriptionType: text,
  tokenSource: text,
  apiKeySource: text,
  /** Whose API is asked; `firstParty` is Anthropic's. */
  apiProvider: z.optional(
    word([
      ...(['firstParty', 'bedrock', 'vertex', 'foundry'] as const),
      ...(['anthropicAws', 'anthropicGoogleCloud', 'mantle', 'gateway'] as const),
    ]),
  ),
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
  /** Absent in answers of old versions. */
  agents: z.optional(z.array(AgentInfo)) as unknown as Schema<AgentInfo[]>,
  claude_code_version: text,
  current_permission_mode: text,
  fast_mode_state: z.optional(FastModeState),
  /** `idle` or `running`. */
  session_state: text,
  /** What this end can do beyond the reference: `end_input` and others (ruling K2). */
  capabilities: texts,
  heddle_version: text,
  protocol_version: z.optional(z.number()),
  /** Whether the hooks of the request are those in force. Absent where it has none. */
  hooks_applied: flag,
  /** `onFailure` of hook matchers is honoured. */
  hook_on_failure_supported: flag,
  /** Whether all plugins of the request are loaded. Absent where it names none. */
  plugins_applied: flag,
  /** By name of an SDK server, what became of its manifest. */
  sdk_mcp_manifests_parked: z.optional(
    z.record(
      z.string(),
      word(['parked', 'already_connected', 'protocol_version_mismatch', 'malformed', 'not_honoured']),
    ),
  ),
  fast_mode_disabled_reason: z.optional(FastModeDisabledReason),
}));
export type InitializeResponse = z.infer<typeof InitializeResponse>;

/** A tool that the host runs: the agent asks for each call with `call_tool`. */
export const HostTool = open(() => ({
  name: z.string(),
  description: z.string(),
  /** A JSON Schema that describes an object. */
  inputSchema: AnyObject,
  /** As MCP has them; only `readOnlyHint` has an effect. */
  annotations: z.optional(AnyObject),
  /** Part of every request to the model, however many tools there are. */
  alwaysLoad: flag,
}));
export type HostTool = z.infer<typeof HostTool>;

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
  /** Heddle's own: tools of the host's program, under their own names. */
  hostTools: z.optional(z.array(HostTool)),
  jsonSchema: z.optional(AnyObject),
  systemPrompt: Prompt,
  appendSystemPrompt: Prompt,
  agents: z.optional(z.record(z.string(), AgentDefinition)),
  skills: z.optional(z.union([z.string(), z.array(z.string())])),
  title: text,
  /** Loaded where the launch says `--await-initialize`. */
  plugins: z.optional(z.array(z.unknown())),
  /** With `--managed-settings-in-initialize`: the settings that can only forbid. */
  managedSettings: z.optional(AnyObject),
  /** Which dialogs the host can show. Heddle asks for none. */
  supportedDialogKinds: texts,
  /** Both about a system prompt that changes with time and place. Ours does not. */
  excludeDynamicSections: flag,
  systemPromptSnapshot: flag,
  sdkMcpServerManifestsOrigin: text,
  toolAliases: z.optional(z.record(z.string(), z.string())),
  planModeInstructions: text,
  forwardSubagentText: flag,
  agentProgressSummaries: flag,
  perTaskStopAffordance: flag,
  promptSuggestions: flag,
  /** Heddle's own: the version in whose forms the host wants to hear, where versions differ: `2.1.44` or `2.1.325`. */
  clientDialect: text,
});
