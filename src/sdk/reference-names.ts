/**
 * Names under which programs written for the reference SDK, or for the SDKs in Python and Rust, know Heddle's types.
 * `index.ts` has the reference's names that Heddle also uses; `test/sdk/seed-types.json` lists the source of each.
 */
import type { AgentDefinition } from '../wire/agent-definition.ts';
import type { ApiContentBlock } from '../wire/api/api-blocks.ts';
import type { ContentBlock as WireBlock } from '../wire/api/content.ts';
import type {
  ContextUsage,
  FileContents,
  InterruptReceipt,
  ListedRule,
  PermissionRules,
  ReloadedPlugins,
  SessionUsage,
  SettingsParseError,
  SlashCommand,
} from '../wire/control/index.ts';
import type { HookSpecificOutput } from '../wire/hooks/hooks.ts';
import type { McpHttpServerConfig, McpSdkServerConfig, McpSseServerConfig, McpStdioServerConfig } from '../wire/mcp.ts';
import type { SDKMessage, StatusMessage } from '../wire/messages/index.ts';
import type { PermissionResult } from '../wire/permissions.ts';
import type { SandboxCredentials, SandboxSettings } from '../wire/sandbox-settings.ts';
import type { CanUseTool, HookCallback, ThinkingConfig } from './options/option-types.ts';
import type { GivenOptions } from './options/options.ts';
import type { PromptStream } from './query.ts';
import type { SessionMessagesOptions, SessionPlaceOptions } from './stored/stored-options.ts';

// The reference SDK

export type {
  Content as UserContent,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '../wire/api/content.ts';
export type { ModelUsage, NonNullableUsage, SDKPermissionDenial } from '../wire/api/usage.ts';
export type {
  ControlCancelFrame as SDKControlCancelRequest,
  ControlRequestFrame as SDKControlRequest,
  ControlResponseFrame as SDKControlResponse,
} from '../wire/control/index.ts';
export type {
  PermissionRequestHookOutput as PermissionRequestHookSpecificOutput,
  PostToolUseHookOutput as PostToolUseHookSpecificOutput,
  PreToolUseHookOutput as PreToolUseHookSpecificOutput,
} from '../wire/hooks/hooks.ts';
export type {
  AssistantMessageError as SDKAssistantMessageError,
  KeepAliveMessage as SDKKeepAliveMessage,
  StreamEventMessage as StreamEvent,
  StreamlinedTextMessage as SDKStreamlinedTextMessage,
  StreamlinedToolUseSummaryMessage as SDKStreamlinedToolUseSummaryMessage,
} from '../wire/messages/index.ts';
export type { PermissionUpdateDestination } from '../wire/permissions.ts';

/** A block of a message of any sender. */
export type ContentBlock = WireBlock | ApiContentBlock;
/** The input of any tool; `heddle/sdk-tools` has the types of each. */
export type ToolInput = Record<string, unknown>;
export type SDKStatus = StatusMessage['status'];
export type ConfigScope = 'local' | 'user' | 'project';
export type OutputFormatType = 'json_schema';
export interface BaseOutputFormat {
  type: OutputFormatType;
}
export type SandboxNetworkConfig = NonNullable<SandboxSettings['network']>;
export type SandboxIgnoreViolations = NonNullable<SandboxSettings['ignoreViolations']>;
export type McpServerConfigForProcessTransport =
  | McpStdioServerConfig
  | McpSseServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfig;
/** An MCP server of a subagent: a name, or configurations by name. */
export type AgentMcpServerSpec = NonNullable<AgentDefinition['mcpServers']>[number];

type OutputFor<Event extends string> = Extract<HookSpecificOutput, { hookEventName: Event }>;
export type NotificationHookSpecificOutput = OutputFor<'Notification'>;
export type PostToolUseFailureHookSpecificOutput = OutputFor<'PostToolUseFailure'>;
export type PostModelSwitchHookSpecificOutput = OutputFor<'PostModelSwitch'>;
export type PreModelSwitchHookSpecificOutput = OutputFor<'PreModelSwitch'>;
export type SessionStartHookSpecificOutput = OutputFor<'SessionStart'>;
export type SetupHookSpecificOutput = OutputFor<'Setup'>;
export type SubagentStartHookSpecificOutput = OutputFor<'SubagentStart'>;
export type UserPromptSubmitHookSpecificOutput = OutputFor<'UserPromptSubmit'>;

/** Why a session ended, as the SessionEnd hook gets it. */
export const EXIT_REASONS = [
  ...(['clear', 'resume', 'logout', 'prompt_input_exit', 'other', 'bypass_permissions_disabled'] as const),
] as const;
export type ExitReason = (typeof EXIT_REASONS)[number];

// The reference SDK since its version 0.3. Names that `index.ts` exports are not repeated here;
// `test/types/reference-names.json` lists where each name is, or why it is missing.

export type { FastModeDisabledReason, FastModeState } from '../wire/fast-mode.ts';
export type { HookPermissionDecision } from '../wire/hooks/hooks.ts';
export type { McpClaudeAIProxyServerConfig, McpServerStatusConfig } from '../wire/mcp.ts';
export type { MessageOrigin as SDKMessageOrigin } from '../wire/messages/common.ts';
export type {
  ContextReport as SDKContextUsage,
  ContextReportCategory as SDKContextUsageCategory,
  UsageReport as SDKUsageReport,
} from '../wire/messages/reports.ts';
export type {
  DeferredToolUse as SDKDeferredToolUse,
  StartupFailureReason as SDKStartupFailureReason,
} from '../wire/messages/result.ts';
export type { ResourceLink as SDKMcpResourceLink } from '../wire/messages/tasks.ts';

// The output fields of one event

export type CwdChangedHookSpecificOutput = OutputFor<'CwdChanged'>;
export type ElicitationHookSpecificOutput = OutputFor<'Elicitation'>;
export type ElicitationResultHookSpecificOutput = OutputFor<'ElicitationResult'>;
export type FileChangedHookSpecificOutput = OutputFor<'FileChanged'>;
export type MessageDisplayHookSpecificOutput = OutputFor<'MessageDisplay'>;
export type PermissionDeniedHookSpecificOutput = OutputFor<'PermissionDenied'>;
export type PostToolBatchHookSpecificOutput = OutputFor<'PostToolBatch'>;
export type StopHookSpecificOutput = OutputFor<'Stop'>;
export type SubagentStopHookSpecificOutput = OutputFor<'SubagentStop'>;
export type UserPromptExpansionHookSpecificOutput = OutputFor<'UserPromptExpansion'>;
export type WorktreeCreateHookSpecificOutput = OutputFor<'WorktreeCreate'>;

// Answers to control requests

export type SDKControlGetContextUsageResponse = ContextUsage;
export type SDKControlGetUsageResponse = SessionUsage;
export type SDKControlInterruptResponse = InterruptReceipt;
export type SDKControlListPermissionRulesResponse = PermissionRules;
export type SDKControlPermissionRulesState = PermissionRules['state'];
export type SDKPermissionRuleEntry = ListedRule;
export type SDKPermissionRuleDescription = NonNullable<ListedRule['description']>;
export type SDKPermissionWorkspaceDirectory = PermissionRules['state']['workspaceDirectories'][number];
export type SDKSettingsParseError = SettingsParseError;
export type SDKControlReadFileResponse = FileContents;
export type SDKControlReloadPluginsResponse = ReloadedPlugins;
export interface SDKControlReloadSkillsResponse {
  skills: SlashCommand[];
}
export interface SDKControlReloadOutputStylesResponse {
  available_output_styles: string[];
}

// Options

export type ThinkingAdaptive = Extract<ThinkingConfig, { type: 'adaptive' }>;
export type ThinkingEnabled = Extract<ThinkingConfig, { type: 'enabled' }>;
export type ThinkingDisabled = Extract<ThinkingConfig, { type: 'disabled' }>;
/** The configuration of the agent's tools for this host. */
export interface ToolConfig {
  /** The format of previews in questions to the user. */
  askUserQuestion?: { previewFormat?: 'markdown' | 'html' };
}
export type PermissionDecisionClassification = NonNullable<PermissionResult['decisionClassification']>;
export type SandboxCredentialsConfig = SandboxCredentials;
export type SandboxFilesystemConfig = NonNullable<SandboxSettings['filesystem']>;

// Stored sessions

export type SessionMutationOptions = SessionPlaceOptions;
export type GetSessionInfoOptions = SessionPlaceOptions;
export type ListSubagentsOptions = SessionPlaceOptions;
export type GetSessionMessagesOptions = SessionMessagesOptions;
export type GetSubagentMessagesOptions = SessionMessagesOptions;
export interface ForkSessionResult {
  sessionId: string;
}

/**
 * The beginnings of texts about the limits of a plan. Empty: Heddle has no plans and prints no such text.
 *
 * @example
 * ```ts
 * const isLimit = (text: string) => USAGE_LIMIT_ERROR_PREFIXES.some((prefix) => text.startsWith(prefix));
 * ```
 */
export const USAGE_LIMIT_ERROR_PREFIXES: readonly string[] = [];
/**
 * The beginnings of texts about a plan that is nearly used up. Empty.
 *
 * @example
 * ```ts
 * const isWarning = (text: string) => USAGE_WARNING_PREFIXES.some((prefix) => text.startsWith(prefix));
 * ```
 */
export const USAGE_WARNING_PREFIXES: readonly string[] = [];
/**
 * The beginnings of texts about a change to another way of paying. Empty.
 *
 * @example
 * ```ts
 * const isChange = (text: string) => USAGE_TRANSITION_PREFIXES.some((prefix) => text.startsWith(prefix));
 * ```
 */
export const USAGE_TRANSITION_PREFIXES: readonly string[] = [];
/**
 * The beginnings of texts about limits of an organisation. Empty.
 *
 * @example
 * ```ts
 * const isPolicy = (text: string) => ORG_POLICY_LIMIT_PREFIXES.some((prefix) => text.startsWith(prefix));
 * ```
 */
export const ORG_POLICY_LIMIT_PREFIXES: readonly string[] = [];

// The SDKs in Python and Rust

export type { CustomTool as SdkMcpTool, ToolHandler as SdkMcpToolHandler } from '../define/tool.ts';
export type {
  McpHttpServerConfig as McpHttpConfig,
  McpSseServerConfig as McpSseConfig,
  McpStdioServerConfig as McpStdioConfig,
} from '../wire/mcp.ts';
export type {
  CanUseTool as CanUseToolCallback,
  EffortLevel as Effort,
  HookCallbackMatcher as HookMatcher,
  McpSdkServerConfigWithInstance as McpSdkConfig,
  SystemPromptOption as SystemPromptConfig,
  ToolsOption as ToolsConfig,
} from './options/option-types.ts';

export type Prompt = string | PromptStream;
export type SystemMessage = Extract<SDKMessage, { type: 'system' }>;
/** `sonnet`, `opus`, `haiku`, `inherit`, or the name of a model. */
export type AgentModel = NonNullable<AgentDefinition['model']>;
export type McpServersConfig = NonNullable<GivenOptions['mcpServers']>;
export type HookContext = Parameters<HookCallback>[2];
export type ToolPermissionContext = Parameters<CanUseTool>[2];
export type PermissionResultAllow = Extract<PermissionResult, { behavior: 'allow' }>;
export type PermissionResultDeny = Extract<PermissionResult, { behavior: 'deny' }>;
export type StderrCallback = NonNullable<GivenOptions['stderr']>;
