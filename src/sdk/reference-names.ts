/**
 * Names under which programs written for the reference SDK, or for the SDKs in Python and Rust, know our types. Those of
 * the reference that are ours as well stand in `index.ts`; `test/sdk/seed-types.json` says where each comes from.
 */
import type { AgentDefinition } from '../wire/agent-definition.ts';
import type { ApiContentBlock } from '../wire/api-blocks.ts';
import type { ContentBlock as WireBlock } from '../wire/content.ts';
import type { HookSpecificOutput } from '../wire/hooks.ts';
import type { McpHttpServerConfig, McpSdkServerConfig, McpSseServerConfig, McpStdioServerConfig } from '../wire/mcp.ts';
import type { SDKMessage, StatusMessage } from '../wire/messages/index.ts';
import type { PermissionResult } from '../wire/permissions.ts';
import type { SandboxSettings } from '../wire/sandbox-settings.ts';
import type { CanUseTool, HookCallback } from './option-types.ts';
import type { GivenOptions } from './options.ts';
import type { PromptStream } from './query.ts';

// The reference SDK

export type {
  Content as UserContent,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '../wire/content.ts';
export type {
  ControlCancelFrame as SDKControlCancelRequest,
  ControlRequestFrame as SDKControlRequest,
  ControlResponseFrame as SDKControlResponse,
} from '../wire/control/index.ts';
export type {
  PermissionRequestHookOutput as PermissionRequestHookSpecificOutput,
  PostToolUseHookOutput as PostToolUseHookSpecificOutput,
  PreToolUseHookOutput as PreToolUseHookSpecificOutput,
} from '../wire/hooks.ts';
export type {
  AssistantMessageError as SDKAssistantMessageError,
  KeepAliveMessage as SDKKeepAliveMessage,
  StreamEventMessage as StreamEvent,
  StreamlinedTextMessage as SDKStreamlinedTextMessage,
  StreamlinedToolUseSummaryMessage as SDKStreamlinedToolUseSummaryMessage,
} from '../wire/messages/index.ts';
export type { PermissionUpdateDestination } from '../wire/permissions.ts';
export type { ModelUsage, NonNullableUsage, SDKPermissionDenial } from '../wire/usage.ts';

/** What a message consists of, whoever has said it. */
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

/** Why a session ended, as the SessionEnd hook is told. */
export const EXIT_REASONS = [
  ...(['clear', 'resume', 'logout', 'prompt_input_exit', 'other', 'bypass_permissions_disabled'] as const),
] as const;
export type ExitReason = (typeof EXIT_REASONS)[number];

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
} from './option-types.ts';

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
