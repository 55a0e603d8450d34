import * as z from 'zod/mini';
import { JsonRpcMessage, McpServerConfig, McpServerStatus } from '../mcp.ts';
import { PermissionBehavior } from '../permissions.ts';
import { AnyObject, open } from '../schema.ts';
import { Done, exchanges } from './exchange.ts';
import { InitializeResponse, initializeFields, ModelInfo, SlashCommand } from './initialize.ts';

const text = z.optional(z.string());

const McpSetServersResult = open(() => ({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  errors: z.record(z.string(), z.string()),
}));
export type McpSetServersResult = z.infer<typeof McpSetServersResult>;

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
  is_sidechain: z.optional(z.boolean()),
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

/** What fills the context window. */
const ContextUsage = open(() => ({
  categories: z.array(open({ name: z.string(), tokens: z.number() })),
  totalTokens: z.optional(z.number()),
  maxTokens: z.optional(z.number()),
  percentage: z.optional(z.number()),
  model: text,
}));
export type ContextUsage = z.infer<typeof ContextUsage>;

/** What of a change an open session cannot take over. */
const FlagSettingsResult = open(() => ({ without_effect: z.optional(z.array(z.string())) }));
export type FlagSettingsResult = z.infer<typeof FlagSettingsResult>;

/** What a host may ask of the CLI. Mind the mixed casing of server names: it is the wire's. */
export const hostRequests = exchanges({
  initialize: () => [initializeFields(), InitializeResponse],
  interrupt: () => [{}, z.optional(open({ still_queued: z.optional(z.array(z.string())) }))],
  /** No model, or `default`: back to the default. */
  set_model: () => [{ model: z.optional(z.nullable(z.string())) }, z.optional(open({ model: text }))],
  /** `mode` is any text here: the answer to a wrong one has its own error code, `invalid_mode`. */
  set_permission_mode: () => [{ mode: z.string() }, z.optional(open({ mode: text }))],
  set_max_thinking_tokens: () => [{ max_thinking_tokens: z.nullable(z.number()) }, Done],
  rewind_files: () => [{ user_message_id: z.string(), dry_run: z.optional(z.boolean()) }, RewindFilesResult],
  stop_task: () => [{ task_id: z.string() }, Done],

  mcp_status: () => [{}, open({ mcpServers: z.array(McpServerStatus) })],
  mcp_message: () => [
    { server_name: z.string(), message: JsonRpcMessage },
    z.optional(open({ mcp_response: z.optional(JsonRpcMessage) })),
  ],
  mcp_set_servers: () => [{ servers: z.record(z.string(), McpServerConfig) }, McpSetServersResult],
  mcp_reconnect: () => [{ serverName: z.string() }, Done],
  mcp_toggle: () => [{ serverName: z.string(), enabled: z.boolean() }, Done],
  mcp_call: () => [{}, Done],
  mcp_read_resource: () => [{}, Done],

  get_settings: () => [{}, SettingsInForce],
  /** By key; null takes back what the launch or an earlier request gave. */
  apply_flag_settings: () => [{ settings: AnyObject }, z.optional(FlagSettingsResult)],
  update_settings: () => [{ source: z.string(), settings: z.optional(AnyObject) }, Done],
  list_permission_rules: () => [{}, open({ state: open({ rules: z.array(z.unknown()) }) })],
  get_hooks_listing: () => [{}, open({ events: z.array(z.unknown()), hooks: z.array(z.unknown()) })],
  list_models: () => [{}, open({ models: z.array(ModelInfo) })],
  get_context_usage: () => [{ detail: text }, ContextUsage],
  get_session_cost: () => [{}, open({ text: z.string() })],
  get_usage: () => [{}, open({ session: z.optional(AnyObject) })],
  get_binary_version: () => [{}, open({ version: z.string(), buildTime: text })],

  background_tasks: () => [{ tool_use_id: text }, Done],
  get_task_output: () => [{ task_id: z.string() }, Done],
  cancel_async_message: () => [{ message_uuid: z.string() }, Done],
  rename_session: () => [{ title: z.string(), source: text }, Done],
  set_color: () => [{}, Done],
  set_has_subscribers: () => [{}, Done],
  register_repo_root: () => [{}, Done],
  reload_skills: () => [{}, open({ skills: z.optional(z.array(SlashCommand)) })],
  reload_plugins: () => [{}, open({ commands: z.optional(z.array(SlashCommand)) })],
  reload_output_styles: () => [{}, open({ available_output_styles: z.array(z.string()) })],
  read_file: () => [{ path: z.string() }, open({ contents: z.string(), absPath: z.string() })],
  file_suggestions: () => [{ query: z.string() }, open({ suggestions: z.array(z.unknown()) })],
  seed_read_state: () => [{ path: z.string(), mtime: z.number() }, Done],

  // Heddle's own.
  /** No more user messages follow; control goes on until the CLI closes its output (ruling K2). */
  end_input: () => [{}, Done],
  session_tree: () => [{ offset: z.optional(z.number()), limit: z.optional(z.number()) }, SessionTree],
  branches: () => [{}, open({ branches: z.array(Branch) })],
  switch_leaf: () => [
    { leaf_uuid: z.string(), restore_files: z.optional(z.boolean()), dry_run: z.optional(z.boolean()) },
    SwitchLeafResult,
  ],
  fork_session: () => [{ at_uuid: text, title: text }, open({ session_id: z.string() })],
  explain_permission: () => [{ tool_name: z.string(), input: AnyObject }, PermissionExplanation],
});
