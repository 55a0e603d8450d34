import * as z from 'zod/mini';
import { JsonRpcMessage, McpServerConfig, McpServerStatus } from '../mcp.ts';
import { AnyObject, open, word } from '../schema.ts';
import {
  Branch,
  ContextUsage,
  FileContents,
  FlagSettingsResult,
  HooksListing,
  InterruptReceipt,
  McpCallResult,
  McpResourceContents,
  McpSetServersResult,
  PermissionExplanation,
  PermissionRules,
  ReloadedPlugins,
  RewindFilesResult,
  SessionTree,
  SessionUsage,
  SettingsInForce,
  SwitchLeafResult,
  TaskOutput,
} from './answers.ts';
import { Done, exchanges } from './exchange.ts';
import { InitializeResponse, initializeFields, ModelInfo, SlashCommand } from './initialize.ts';

const text = z.optional(z.string());
const flag = z.optional(z.boolean());

/** What a host may ask of the CLI. Mind the mixed casing of server names: it is the wire's. */
export const hostRequests = exchanges({
  /** The first request: what the host brings along, and the facts that it needs. */
  initialize: () => [initializeFields(), InitializeResponse],
  /** Ends the running turn with a result; the answer names the messages that are answered next. `cancel_queued`: none is. */
  interrupt: () => [{ cancel_queued: flag }, z.optional(InterruptReceipt)],
  /** No model, or `default`: back to the default. */
  set_model: () => [{ model: z.optional(z.nullable(z.string())) }, z.optional(open({ model: text }))],
  /** `mode` is any text here: the answer to a wrong one has its own error code, `invalid_mode`. */
  set_permission_mode: () => [{ mode: z.string() }, z.optional(open({ mode: text }))],
  /** From the next turn on; 0 or null for none. What is left out stays as it is; a display of null is the provider's. */
  set_max_thinking_tokens: () => [
    { max_thinking_tokens: z.optional(z.nullable(z.number())), thinking_display: z.optional(z.nullable(z.string())) },
    Done,
  ],
  /** Brings files back to how they were at a user message; Heddle's own `any_branch`: also at one of another branch. */
  rewind_files: () => [{ user_message_id: z.string(), dry_run: flag, any_branch: flag }, RewindFilesResult],
  /** Ends a command or an agent in the background. */
  stop_task: () => [{ task_id: z.string() }, Done],

  /** How it stands with the MCP servers. */
  mcp_status: () => [{ liveReply: flag }, open({ mcpServers: z.array(McpServerStatus) })],
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
      /** Files of the reference's cloud. Refused. */
      input_files: z.optional(z.array(z.unknown())),
      output_files: z.optional(z.array(z.unknown())),
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
  get_usage: () => [{ skip_behaviors: flag }, SessionUsage],
  /** The versions of wire and agent. */
  get_binary_version: () => [{}, open({ version: z.string(), buildTime: text, heddle_version: text })],

  /** Answered with the calls that are not waited for any more. */
  background_tasks: () => [{ tool_use_id: text }, z.optional(open({ backgrounded: z.optional(z.array(z.string())) }))],
  /** How a task in the background stands, and the end of its output. */
  get_task_output: () => [{ task_id: z.string() }, TaskOutput],
  /** False: its turn has begun, or there is no such message. */
  cancel_async_message: () => [{ message_uuid: z.string() }, z.optional(open({ cancelled: flag }))],
  /** Gives the session a title. */
  rename_session: () => [{ title: z.string(), source: text, session_id: text }, Done],
  /** A title for what is said of the session; `persist` gives it to one that has none. Null: no model could be asked. */
  generate_session_title: () => [{ description: z.string(), persist: flag }, open({ title: z.nullable(z.string()) })],
  /** Refused as unsupported. */
  set_color: () => [{ color: text }, Done],
  /** Refused as unsupported. */
  set_has_subscribers: () => [{ has_subscribers: z.optional(z.nullable(z.boolean())) }, Done],
  /** Works in one more directory, which lies below those of the launch; and reads again what the flags name. */
  register_repo_root: () => [
    { directory: z.string(), reload_claude_md: flag, reload_plugins: flag, reload_skills: flag },
    z.optional(open({ directory: text })),
  ],
  /** Reads all extension files again. */
  reload_skills: () => [{}, open({ skills: z.optional(z.array(SlashCommand)) })],
  /**
   * The same, and the settings that enable plugins; `add_plugins` brings more. Refused while the session works with
   * `refuse_if_busy`; held where the tools would change with `hold_on_cache_impact`.
   */
  reload_plugins: () => [
    { add_plugins: z.optional(z.array(z.unknown())), refuse_if_busy: flag, hold_on_cache_impact: flag },
    ReloadedPlugins,
  ],
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
  /** Adds or leaves out `stream_event` lines, from the next event of the model on. */
  set_partial_messages: () => [{ enabled: z.boolean() }, Done],
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
