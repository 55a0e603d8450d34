import * as z from 'zod/mini';
import { AgentDefinition } from '../agent-definition.ts';
import { EFFORT_LEVELS } from '../effort-levels.ts';
import { FastModeDisabledReason, FastModeState } from '../fast-mode.ts';
import { McpServerToolPolicy } from '../mcp.ts';
import { SlashCommand } from '../messages/slash-command.ts';
import { AnyObject, open, type Schema, word } from '../schema.ts';

const text = z.optional(z.string());
const texts = z.optional(z.array(z.string()));
const flag = z.optional(z.boolean());

/** The host's callbacks for one event. The host sends an id for each. */
export const HookCallbackMatcher = open(() => ({
  matcher: z.optional(z.nullable(z.string())),
  hookCallbackIds: z.array(z.string()),
  /** Seconds. */
  timeout: z.optional(z.number()),
  /** `block`: a callback that fails counts as a denial. */
  onFailure: text,
}));
export type HookCallbackMatcher = z.infer<typeof HookCallbackMatcher>;

/** Absent keeps the preset; an empty text means an empty prompt. Newer hosts send a list of blocks. */
const Prompt = z.optional(z.union([z.string(), z.array(z.string())]));

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
  /** Heddle's own: why every request to the model will fail, such as a key that is missing, and what to do. */
  problem: text,
  /** The provider whose API Heddle uses; `firstParty` is Anthropic's. */
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
  /** Absent in the responses of old versions. */
  agents: z.optional(z.array(AgentInfo)) as unknown as Schema<AgentInfo[]>,
  claude_code_version: text,
  current_permission_mode: text,
  fast_mode_state: z.optional(FastModeState),
  /** `idle` or `running`. */
  session_state: text,
  /** The features of this end that the reference lacks: `end_input` and others. */
  capabilities: texts,
  heddle_version: text,
  protocol_version: z.optional(z.number()),
  /** True where the hooks of the request are in force. Absent where the request has none. */
  hooks_applied: flag,
  /** Heddle honours `onFailure` of hook matchers. */
  hook_on_failure_supported: flag,
  /** True where all plugins of the request are loaded. Absent where the request names none. */
  plugins_applied: flag,
  /** What happened to the manifest of each SDK server, by server name. */
  sdk_mcp_manifests_parked: z.optional(
    z.record(
      z.string(),
      word(['parked', 'already_connected', 'protocol_version_mismatch', 'malformed', 'not_honoured']),
    ),
  ),
  fast_mode_disabled_reason: z.optional(FastModeDisabledReason),
}));
export type InitializeResponse = z.infer<typeof InitializeResponse>;

/** A tool that the host runs. The agent sends `call_tool` for each call. */
export const HostTool = open(() => ({
  name: z.string(),
  description: z.string(),
  /** A JSON Schema that describes an object. */
  inputSchema: AnyObject,
  /** As in MCP; only `readOnlyHint` has an effect. */
  annotations: z.optional(AnyObject),
  /** True: the tool is part of every request to the model, however many tools there are. */
  alwaysLoad: flag,
}));
export type HostTool = z.infer<typeof HostTool>;

/** The fields of an `initialize` request. */
export const initializeFields = () => ({
  /** By event name. Heddle stores unknown events and warns about them; they never disable the others. */
  hooks: z.optional(z.nullable(z.record(z.string(), z.array(HookCallbackMatcher)))),
  sdkMcpServers: texts,
  /** By the name of the SDK server. */
  sdkMcpServerConfigs: z.optional(
    z.record(z.string(), open({ timeout: z.optional(z.number()), tools: z.optional(z.array(McpServerToolPolicy)) })),
  ),
  /** The handshake and tool list of each SDK server, so that Heddle need not ask for them. */
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
  /** Loaded only where the launch has `--await-initialize`. */
  plugins: z.optional(z.array(z.unknown())),
  /** With `--managed-settings-in-initialize`: settings that can only restrict. */
  managedSettings: z.optional(AnyObject),
  /** The dialogs that the host can show. Heddle asks for none. */
  supportedDialogKinds: texts,
  /**
   * Both fields concern parts of the system prompt that change with time and place. Heddle's prompt has no such parts.
   */
  excludeDynamicSections: flag,
  systemPromptSnapshot: flag,
  sdkMcpServerManifestsOrigin: text,
  toolAliases: z.optional(z.record(z.string(), z.string())),
  planModeInstructions: text,
  forwardSubagentText: flag,
  /** Heddle's own: permission questions about Edit, Write and NotebookEdit carry a `preview` of the change. */
  permissionPreviews: flag,
  agentProgressSummaries: flag,
  perTaskStopAffordance: flag,
  promptSuggestions: flag,
  /** Heddle's own: the version whose line formats the host expects, where versions differ: `2.1.44` or `2.1.325`. */
  clientDialect: text,
});
