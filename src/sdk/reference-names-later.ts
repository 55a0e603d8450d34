/**
 * Names that the reference SDK has since its version 0.3, for programs that import them. What `index.ts` exports under the
 * same name is not repeated here; `test/types/reference-names.json` says of each name where it is, or why it is not.
 */
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
import type { HookSpecificOutput } from '../wire/hooks.ts';
import type { PermissionResult } from '../wire/permissions.ts';
import type { SandboxCredentials, SandboxSettings } from '../wire/sandbox-settings.ts';
import type { ThinkingConfig } from './option-types.ts';
import type { SessionMessagesOptions, SessionPlaceOptions } from './sessions.ts';

export type { FastModeDisabledReason, FastModeState } from '../wire/fast-mode.ts';
export type { HookPermissionDecision } from '../wire/hooks.ts';
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

// What is said on behalf of one event

type OutputFor<Event extends string> = Extract<HookSpecificOutput, { hookEventName: Event }>;
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
/** How a tool of the agent works for this host. */
export interface ToolConfig {
  /** How previews in questions to the user are written. */
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
 * How texts about the limits of a plan begin. Heddle has no plans and says none of them, so that no text begins so.
 *
 * @example
 * ```ts
 * const isLimit = (text: string) => USAGE_LIMIT_ERROR_PREFIXES.some((prefix) => text.startsWith(prefix));
 * ```
 */
export const USAGE_LIMIT_ERROR_PREFIXES: readonly string[] = [];
/**
 * How texts about a plan that is nearly used up begin: none does.
 *
 * @example
 * ```ts
 * const isWarning = (text: string) => USAGE_WARNING_PREFIXES.some((prefix) => text.startsWith(prefix));
 * ```
 */
export const USAGE_WARNING_PREFIXES: readonly string[] = [];
/**
 * How texts about a change to another way of paying begin: none does.
 *
 * @example
 * ```ts
 * const isChange = (text: string) => USAGE_TRANSITION_PREFIXES.some((prefix) => text.startsWith(prefix));
 * ```
 */
export const USAGE_TRANSITION_PREFIXES: readonly string[] = [];
/**
 * How texts about limits of an organisation begin: none does.
 *
 * @example
 * ```ts
 * const isPolicy = (text: string) => ORG_POLICY_LIMIT_PREFIXES.some((prefix) => text.startsWith(prefix));
 * ```
 */
export const ORG_POLICY_LIMIT_PREFIXES: readonly string[] = [];
