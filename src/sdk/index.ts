/**
 * `heddle`: runs an agent and talks to it. Loads no engine code; the agent is a subprocess unless a transport is given.
 */
export {
  type AnyZodRawShape,
  type CallToolResult,
  type CustomTool,
  type InferShape,
  type ToolAnnotations,
  type ToolContent,
  type ToolExtra,
  type ToolExtras,
  type ToolHandler,
  type ToolSchema,
  tool,
} from '../define/tool.ts';
export type {
  AppendOptions,
  Damage,
  Lease,
  LeaseHolder,
  Loaded,
  RecentPart,
  SessionInfo,
  SessionKey as HeddleSessionKey,
  SessionStore as HeddleSessionStore,
  SessionSummaryEntry,
} from '../sessions/store.ts';
export { InMemorySessionStore } from '../sessions/stores/in-memory-store.ts';
export type {
  ReferenceSessionKey,
  ReferenceSessionKey as SessionKey,
  ReferenceSessionStore,
  ReferenceSessionStore as SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
} from '../sessions/stores/reference-store-types.ts';
export type { AgentDefinition } from '../wire/agent-definition.ts';
export type { ApiAnswer, ApiStreamEvent } from '../wire/api/api-answer.ts';
export type { ApiContentBlock } from '../wire/api/api-blocks.ts';
export type { ApiMessageParam, ApiUserContent } from '../wire/api/api-input.ts';
export type {
  AccountInfo,
  AgentInfo,
  CallPreview,
  ContextUsage,
  FlagSettingsResult,
  InitializeResponse,
  InitializeResponse as SDKControlInitializeResponse,
  McpResourceContents,
  McpResourceContents as SDKControlMcpReadResourceResponse,
  McpResourceList,
  McpSetServersResult,
  ModelInfo,
  PermissionExplanation,
  ReloadedPlugins,
  RewindFilesResult,
  SessionMessagesPage,
  SettingsInForce,
  SlashCommand,
} from '../wire/control/index.ts';
export type { Entry } from '../wire/entries.ts';
export * from '../wire/errors.ts';
export { HOOK_EVENTS } from '../wire/hooks/hook-events.ts';
export type * from '../wire/hooks/hook-inputs.ts';
export type {
  AsyncHookOutput,
  AsyncHookOutput as AsyncHookJSONOutput,
  HookOutput,
  HookOutput as HookJSONOutput,
  HookSpecificOutput,
  SyncHookOutput,
  SyncHookOutput as SyncHookJSONOutput,
} from '../wire/hooks/hooks.ts';
export { ProcessError, RunError } from '../wire/link/exit-errors.ts';
export type { ExitInfo, Transport } from '../wire/link/transport.ts';
export type {
  McpHttpServerConfig,
  McpSdkServerConfig,
  McpServerStatus,
  McpServerToolPolicy,
  McpSseServerConfig,
  McpSseServerConfig as McpSSEServerConfig,
  McpStdioServerConfig,
} from '../wire/mcp.ts';
export type * from '../wire/messages/index.ts';
export type {
  PermissionBehavior,
  PermissionMode,
  PermissionResult,
  PermissionRuleValue,
  PermissionUpdate,
} from '../wire/permissions.ts';
export { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../wire/prompt-boundary.ts';
export type { Connect, Launch, RunConfig } from '../wire/run-config.ts';
export type { SandboxSettings } from '../wire/sandbox-settings.ts';
export type { ThinkingDisplay } from '../wire/thinking-display.ts';
export { BUILTIN_TOOL_NAMES, type BuiltinToolName } from '../wire/tools/known-tool-names.ts';
export { LEGACY_TOOL_NAME_ALIASES } from '../wire/tools/tool-names.ts';
export { HEDDLE_VERSION, PROTOCOL_VERSION, WIRE_VERSION } from '../wire/version.ts';
export {
  type ClientOptions,
  HeddleClient,
  HeddleClient as ClaudeSDKClient,
  HeddleClient as ClaudeSdkClient,
} from './client.ts';
export type {
  ControlMethods,
  InterruptReceipt,
  MessagesPageOptions,
  ReadFileOptions,
  SettingsFile,
  SwitchOptions,
} from './controls.ts';
export { FailedResultError, type SuccessfulResult, successOf } from './failed-result.ts';
export type { SequencedMessage } from './message-log.ts';
export type * from './options/option-types.ts';
export type {
  EnvironmentOptions,
  ExtensionOptions,
  GivenOptions,
  ModelOptions,
  ObserverOptions,
  Options,
  Options as ClaudeAgentOptions,
  SessionStateOptions,
  ToolOptions,
} from './options/options.ts';
export type { EditOptions, SendOptions } from './options/send-options.ts';
export type {
  McpServerFilter,
  PolicySettingsOrigin,
  ProvenanceEntry,
  ResolvedSettingSource,
  ResolvedSettings,
  ResolveSettingsOptions,
  Settings,
} from './options/settings-types.ts';
export { type PromptStream, type Query, query, type TextRun } from './query.ts';
export * from './reference-names.ts';
export { type RemoteOptions, remote } from './remote/remote.ts';
export {
  type Answer,
  createSession,
  createSession as unstable_v2_createSession,
  type Edited,
  prompt,
  prompt as unstable_v2_prompt,
  resumeSession,
  resumeSession as unstable_v2_resumeSession,
  type Session,
  type Session as SDKSession,
  type SessionOptions,
  type SessionOptions as SDKSessionOptions,
  type SessionRun,
} from './session.ts';
export { type StartupParameters, startup, type WarmQuery } from './startup.ts';
export {
  archiveSession,
  deleteSession,
  foldSessionSummary,
  forkSession,
  getSessionBranches,
  getSessionInfo,
  getSessionMessages,
  getSessionTree,
  getSubagentMessages,
  type ImportedSession,
  importSessionToStore,
  listSessions,
  listSubagents,
  renameSession,
  type SDKSessionInfo,
  type SessionMessage,
  switchSession,
  tagSession,
  unarchiveSession,
} from './stored/sessions.ts';
export type {
  ForkSessionOptions,
  ImportSessionToStoreOptions,
  ListSessionsOptions,
  SessionMessagesOptions,
  SessionPlaceOptions,
} from './stored/stored-options.ts';
export type { Branch, SessionNode, SessionTree, SwitchLeafResult } from './stored/tree-types.ts';
export { filterEscalatingDefaultMode, resolveSettings } from './subprocess/settings-files.ts';
export { createSdkMcpServer, type SdkMcpToolDefinition } from './tools/sdk-mcp.ts';
export type { SdkMcpServerOptions } from './tools/serve-tools.ts';
