import * as z from 'zod/mini';
import { JsonRpcMessage, McpServerConfig, McpServerStatus } from '../mcp.ts';
import { PermissionBehavior } from '../permissions.ts';
import { AnyObject, open, word } from '../schema.ts';
import { ModelUsage } from '../usage.ts';
import { Done, exchanges } from './exchange.ts';
import { AgentInfo, InitializeResponse, initializeFields, ModelInfo, SlashCommand } from './initialize.ts';

const text = z.optional(z.string());
const flag = z.optional(z.boolean());

const McpSetServersResult = open(() => ({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  errors: z.record(z.string(), z.string()),
}));
export type McpSetServersResult = z.infer<typeof McpSetServersResult>;

/** What an MCP tool has answered. */
const McpCallResult = open(() => ({
  /** As the model would read it; with `result_not_for_model` as the server sent it. */
  content: z.union([z.string(), z.array(z.unknown())]),
  structuredContent: z.optional(AnyObject),
  isError: flag,
  _meta: z.optional(AnyObject),
}));
export type McpCallResult = z.infer<typeof McpCallResult>;

const McpResourceContents = open(() => ({
  contents: z.array(
    open({ uri: z.string(), mimeType: text, text, /** Base64. */ blob: text, _meta: z.optional(AnyObject) }),
  ),
}));
export type McpResourceContents = z.infer<typeof McpResourceContents>;

const RewindFilesResult = open(() => ({
  canRewind: z.boolean(),
  error: text,
  filesChanged: z.optional(z.array(z.string())),
  insertions: z.optional(z.number()),
  deletions: z.optional(z.number()),
}));
export type RewindFilesResult = z.infer<typeof RewindFilesResult>;

/** One entry of the session's tree. */
const SessionNode = open(() => ({
  uuid: z.string(),
  parent_uuid: z.nullable(z.string()),
  type: z.string(),
  timestamp: text,
  /** The first words of it. */
  preview: text,
  is_sidechain: flag,
}));
export type SessionNode = z.infer<typeof SessionNode>;

const Branch = open(() => ({
  leaf_uuid: z.string(),
  /** True for the branch that the next message continues. */
  active: z.boolean(),
  /** Messages from the root to the leaf. */
  length: z.number(),
  /** How many of them a person has written. */
  turns: z.optional(z.number()),
  timestamp: text,
  /** The first words of the last prompt. */
  preview: text,
  /** Where the file holds a summary of exactly this branch. */
  summary: text,
}));
export type Branch = z.infer<typeof Branch>;

/** All that a session holds, of every branch, in the order of the file. */
const SessionTree = open(() => ({
  /** Where the next message goes on; null in a session without messages. */
  leaf_uuid: z.nullable(z.string()),
  nodes: z.array(SessionNode),
  /** The ends of the branches. */
  leaves: z.array(z.string()),
  /** How many nodes there are, when these are not all: `offset` and `limit` ask for the others. */
  total: z.optional(z.number()),
}));
export type SessionTree = z.infer<typeof SessionTree>;

const SwitchLeafResult = open(() => ({
  leaf_uuid: z.string(),
  /** What became of the files, or would with `dry_run`; only with `restore_files`. */
  files: z.optional(RewindFilesResult),
}));
export type SwitchLeafResult = z.infer<typeof SwitchLeafResult>;

const PermissionExplanation = open(() => ({
  behavior: PermissionBehavior,
  /** Which layer decided: `deny-rule`, `mode`, `default` … */
  layer: z.string(),
  /** The rule that decided, as it is written. */
  rule: text,
  /** The file or the flag in which that rule stands. */
  where: text,
  reason: text,
}));
export type PermissionExplanation = z.infer<typeof PermissionExplanation>;

/** The settings in force. The values of credentials are masked. */
const SettingsInForce = open(() => ({
  /** Merged from all sources. */
  effective: AnyObject,
  /** The strongest first. */
  sources: z.array(open({ source: text, path: text, settings: z.optional(AnyObject) })),
  /** What the session uses at the moment, wherever it comes from. */
  applied: z.optional(AnyObject),
  /** Heddle's own: one by one, the items of lists too, each with where it stands. */
  provenance: z.optional(
    z.array(open({ key: z.string(), value: z.optional(z.unknown()), scope: z.string(), source: z.string() })),
  ),
  /** Heddle's own: what of the project's settings is left out. */
  ignored: z.optional(z.array(open({ file: z.string(), keys: z.array(z.string()), reason: z.string() }))),
  trust: text,
}));
export type SettingsInForce = z.infer<typeof SettingsInForce>;

/** What fills the context window, in tokens. */
const ContextUsage = open(() => ({
  /** `kind` is `used`, `buffer` or `free`. */
  categories: z.array(open({ id: text, name: z.string(), tokens: z.number(), kind: text })),
  totalTokens: z.optional(z.number()),
  maxTokens: z.optional(z.number()),
  rawMaxTokens: z.optional(z.number()),
  percentage: z.optional(z.number()),
  model: text,
  /** For drawing; empty here. */
  gridRows: z.optional(z.array(z.unknown())),
  memoryFiles: z.optional(z.array(z.unknown())),
  mcpTools: z.optional(z.array(open({ name: z.string(), tokens: z.number() }))),
  agents: z.optional(z.array(z.unknown())),
  isAutoCompactEnabled: flag,
  autoCompactThreshold: z.optional(z.number()),
  /** Not with `detail: 'summary'`. */
  messageBreakdown: z.optional(
    open({
      toolCallTokens: z.number(),
      toolResultTokens: z.number(),
      assistantMessageTokens: z.number(),
      userMessageTokens: z.number(),
      toolCallsByType: z.array(open({ name: z.string(), callTokens: z.number(), resultTokens: z.number() })),
    }),
  ),
}));
export type ContextUsage = z.infer<typeof ContextUsage>;

/** What of a change an open session cannot take over. */
const FlagSettingsResult = open(() => ({ without_effect: z.optional(z.array(z.string())) }));
export type FlagSettingsResult = z.infer<typeof FlagSettingsResult>;

/** What the session has used since it began, as far as its file tells. */
const SessionUsage = open(() => ({
  session: open({
    total_cost_usd: z.number(),
    total_api_duration_ms: z.number(),
    total_duration_ms: z.number(),
    model_usage: z.record(z.string(), ModelUsage),
  }),
  subscription_type: z.nullable(z.string()),
  rate_limits_available: z.boolean(),
  rate_limits: z.optional(z.nullable(AnyObject)),
}));
export type SessionUsage = z.infer<typeof SessionUsage>;

const ListedRule = open(() => ({
  behavior: PermissionBehavior,
  toolName: z.string(),
  ruleContent: text,
  /** As it is written. */
  rule: z.string(),
  /** `userSettings`, `cliArg`, `session` … */
  source: text,
  /** The file or the flag in which it stands. */
  where: text,
}));
export type ListedRule = z.infer<typeof ListedRule>;

const PermissionRules = open(() => ({
  state: open({
    /** Deny rules first, then ask, then allow: the order in which they decide. */
    rules: z.array(ListedRule),
    workspaceDirectories: z.array(z.string()),
    originalCwd: z.string(),
    managedOnly: z.boolean(),
  }),
}));
export type PermissionRules = z.infer<typeof PermissionRules>;

const HooksListing = open(() => ({
  events: z.array(z.unknown()),
  hooks: z.array(z.unknown()),
  eventCatalog: z.array(open({ name: z.string(), summary: text, supportsMatcher: flag })),
}));
export type HooksListing = z.infer<typeof HooksListing>;

const FileContents = open(() => ({
  contents: z.string(),
  absPath: z.string(),
  requested_path: z.string(),
  /** Not all bytes of the file are text; those that are not are replaced. */
  lossy: z.boolean(),
  /** These are not the whole contents; then `size` says how many bytes the file has. */
  truncated: flag,
  size: z.optional(z.number()),
}));
export type FileContents = z.infer<typeof FileContents>;

const TaskOutput = open(() => ({
  task: open({
    task_id: z.string(),
    task_type: z.string(),
    status: z.string(),
    description: z.string(),
    output: z.string(),
    exitCode: z.nullable(z.number()),
  }),
  output_file: z.string(),
  /** `output` is only the end of what was printed. */
  truncated: flag,
}));
export type TaskOutput = z.infer<typeof TaskOutput>;

/** What there is after the extension files were read again. */
const ReloadedPlugins = open(() => ({
  commands: z.array(SlashCommand),
  agents: z.array(AgentInfo),
  /** `source` is `name@marketplace`, for those that settings name. */
  plugins: z.array(open({ name: z.string(), path: z.string(), source: text })),
  mcpServers: z.array(McpServerStatus),
  /** How many plugins could not be found or read. */
  error_count: z.number(),
}));
export type ReloadedPlugins = z.infer<typeof ReloadedPlugins>;

/** What a host may ask of the CLI. Mind the mixed casing of server names: it is the wire's. */
export const hostRequests = exchanges({
  /** The first request: what the host brings along, and the facts that it needs. */
  initialize: () => [initializeFields(), InitializeResponse],
  /** Ends the running turn with a result; the answer names the messages that are answered next. */
  interrupt: () => [{}, z.optional(open({ still_queued: z.optional(z.array(z.string())) }))],
  /** No model, or `default`: back to the default. */
  set_model: () => [{ model: z.optional(z.nullable(z.string())) }, z.optional(open({ model: text }))],
  /** `mode` is any text here: the answer to a wrong one has its own error code, `invalid_mode`. */
  set_permission_mode: () => [{ mode: z.string() }, z.optional(open({ mode: text }))],
  /** From the next turn on; 0 or null for none. What is left out stays as it is; a display of null is the provider's. */
  set_max_thinking_tokens: () => [
    { max_thinking_tokens: z.optional(z.nullable(z.number())), thinking_display: z.optional(z.nullable(z.string())) },
    Done,
  ],
  /** Brings files back to how they were at a user message. */
  rewind_files: () => [{ user_message_id: z.string(), dry_run: flag }, RewindFilesResult],
  /** Ends a command or an agent in the background. */
  stop_task: () => [{ task_id: z.string() }, Done],

  /** How it stands with the MCP servers. */
  mcp_status: () => [{}, open({ mcpServers: z.array(McpServerStatus) })],
  /** What a server in the host says by itself. */
  mcp_message: () => [
    { server_name: z.string(), message: JsonRpcMessage },
    z.optional(open({ mcp_response: z.optional(JsonRpcMessage) })),
  ],
  /** Replaces the servers that a host has given. */
  mcp_set_servers: () => [{ servers: z.record(z.string(), McpServerConfig) }, McpSetServersResult],
  /** Connects to a server anew. */
  mcp_reconnect: () => [{ serverName: z.string() }, Done],
  /** Turns a server off and on. */
  mcp_toggle: () => [{ serverName: z.string(), enabled: z.boolean() }, Done],
  /** Calls a tool without a turn. Deny rules and hooks apply; `check_permissions`: what is to be asked is asked, too. */
  mcp_call: () => [
    {
      tool: z.string(),
      arguments: z.optional(AnyObject),
      timeout_ms: z.optional(z.number()),
      expires_at: text,
      result_not_for_model: flag,
      check_permissions: flag,
    },
    McpCallResult,
  ],
  /** Reads a `ui://` resource of a server. */
  mcp_read_resource: () => [{ serverName: z.string(), uri: z.string() }, McpResourceContents],
  /** Has calls of a server pass in this mode, too; null: in the session's alone. */
  set_mcp_permission_mode_override: () => [
    { serverName: z.string(), mode: z.nullable(word(['default', 'auto'])) },
    open({ warning: text }),
  ],

  /** The settings in force, and where each stands. */
  get_settings: () => [{}, SettingsInForce],
  /** By key; null takes back what the launch or an earlier request gave. */
  apply_flag_settings: () => [{ settings: AnyObject }, z.optional(FlagSettingsResult)],
  /** Changes a settings file; null takes a key away. */
  update_settings: () => [{ source: z.string(), settings: z.optional(AnyObject) }, Done],
  /** The permission rules in force. */
  list_permission_rules: () => [{}, PermissionRules],
  /** The hooks in force, and the events there are. */
  get_hooks_listing: () => [{}, HooksListing],
  /** The models that can be chosen. */
  list_models: () => [{}, open({ models: z.array(ModelInfo) })],
  /** What the context window is filled with. */
  get_context_usage: () => [{ detail: text }, ContextUsage],
  /** What the session has cost, as a text. */
  get_session_cost: () => [{}, open({ text: z.string() })],
  /** What the session has cost, as numbers. */
  get_usage: () => [{}, SessionUsage],
  /** The versions of wire and agent. */
  get_binary_version: () => [{}, open({ version: z.string(), buildTime: text, heddle_version: text })],

  /** Answered with the calls that are not waited for any more. */
  background_tasks: () => [{ tool_use_id: text }, z.optional(open({ backgrounded: z.optional(z.array(z.string())) }))],
  /** How a task in the background stands, and the end of its output. */
  get_task_output: () => [{ task_id: z.string() }, TaskOutput],
  /** False: its turn has begun, or there is no such message. */
  cancel_async_message: () => [{ message_uuid: z.string() }, z.optional(open({ cancelled: flag }))],
  /** Gives the session a title. */
  rename_session: () => [{ title: z.string(), source: text }, Done],
  /** Refused as unsupported. */
  set_color: () => [{}, Done],
  /** Refused as unsupported. */
  set_has_subscribers: () => [{}, Done],
  /** Works in one more directory, which lies below those of the launch; and reads again what the flags name. */
  register_repo_root: () => [
    { directory: z.string(), reload_claude_md: flag, reload_plugins: flag, reload_skills: flag },
    z.optional(open({ directory: text })),
  ],
  /** Reads all extension files again. */
  reload_skills: () => [{}, open({ skills: z.optional(z.array(SlashCommand)) })],
  /** The same, and the settings that enable plugins. */
  reload_plugins: () => [{}, ReloadedPlugins],
  /** The same; the answer names the styles. */
  reload_output_styles: () => [{}, open({ available_output_styles: z.array(z.string()) })],
  /** What the Read tool could read without a question. */
  read_file: () => [{ path: z.string(), max_bytes: z.optional(z.number()), encoding: text }, FileContents],
  /** Refused as unsupported. */
  file_suggestions: () => [{ query: z.string() }, open({ suggestions: z.array(z.unknown()) })],
  /** `mtime`: milliseconds since 1970. False: the file is another one by now. */
  seed_read_state: () => [{ path: z.string(), mtime: z.number() }, z.optional(open({ seeded: flag }))],

  // Heddle's own.
  /** No more user messages follow; control goes on until the CLI closes its output (ruling K2). */
  end_input: () => [{}, Done],
  /** The nodes and leaves of the session. */
  session_tree: () => [{ offset: z.optional(z.number()), limit: z.optional(z.number()) }, SessionTree],
  /** The branches of the session. */
  branches: () => [{}, open({ branches: z.array(Branch) })],
  /** Goes on from another message. */
  switch_leaf: () => [{ leaf_uuid: z.string(), restore_files: flag, dry_run: flag }, SwitchLeafResult],
  /** Copies a branch into a new session. */
  fork_session: () => [{ at_uuid: text, title: text }, open({ session_id: z.string() })],
  /** What would become of a tool call now, and which rule decides. */
  explain_permission: () => [{ tool_name: z.string(), input: AnyObject }, PermissionExplanation],
});
