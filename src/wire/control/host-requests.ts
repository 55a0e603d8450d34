import * as z from 'zod/mini';
import { JsonRpcMessage, McpServerConfig, McpServerStatus } from '../mcp.ts';
import { SlashCommand } from '../messages/slash-command.ts';
import { PermissionUpdate } from '../permissions.ts';
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
import { InitializeResponse, initializeFields, ModelInfo } from './initialize.ts';
import {
  AttachResult,
  FileSuggestions,
  McpResourceList,
  PermissionUpdatesResult,
  ProjectTrustReport,
  SessionMessagesPage,
  ShellCommandResult,
  StatusLineResult,
} from './interface-answers.ts';

const text = z.optional(z.string());
const flag = z.optional(z.boolean());

/** The requests that a host sends to the CLI. The wire mixes the casing of server names; the table follows it. */
export const hostRequests = exchanges({
  /** The first request: what the host brings, answered with the details of the session that the host needs. */
  initialize: () => [initializeFields(), InitializeResponse],
  /**
   * Ends the running turn with a result. The response names the messages that are answered next; `cancel_queued`
   * removes these messages.
   */
  interrupt: () => [{ cancel_queued: flag }, z.optional(InterruptReceipt)],
  /** Changes the model. No model, or `default`: the default model. */
  set_model: () => [{ model: z.optional(z.nullable(z.string())) }, z.optional(open({ model: text }))],
  /**
   * Changes the permission mode. `mode` is any text here, because a wrong mode has its own error code, `invalid_mode`.
   */
  set_permission_mode: () => [{ mode: z.string() }, z.optional(open({ mode: text }))],
  /**
   * Takes effect with the next turn; 0 or null removes the thinking budget. A field that is left out stays unchanged; a
   * display of null resets to the provider's default.
   */
  set_max_thinking_tokens: () => [
    { max_thinking_tokens: z.optional(z.nullable(z.number())), thinking_display: z.optional(z.nullable(z.string())) },
    Done,
  ],
  /**
   * Restores files to their state at a user message. Heddle's own `any_branch` also accepts a message of another
   * branch.
   */
  rewind_files: () => [{ user_message_id: z.string(), dry_run: flag, any_branch: flag }, RewindFilesResult],
  /** Ends a background command or agent. */
  stop_task: () => [{ task_id: z.string() }, Done],

  /** The status of the MCP servers. */
  mcp_status: () => [{ liveReply: flag }, open({ mcpServers: z.array(McpServerStatus) })],
  /** A message that an MCP server in the host sends by itself. */
  mcp_message: () => [
    { server_name: z.string(), message: JsonRpcMessage },
    z.optional(open({ mcp_response: z.optional(JsonRpcMessage) })),
  ],
  /** Replaces the servers that the host configured. */
  mcp_set_servers: () => [{ servers: z.record(z.string(), McpServerConfig) }, McpSetServersResult],
  /** Connects to a server again. */
  mcp_reconnect: () => [{ serverName: z.string() }, Done],
  /** Turns a server off or on. */
  mcp_toggle: () => [{ serverName: z.string(), enabled: z.boolean() }, Done],
  /** Calls a tool outside of a turn. Deny rules and hooks apply. With `check_permissions` the host is also asked. */
  mcp_call: () => [
    {
      tool: z.string(),
      arguments: z.optional(AnyObject),
      timeout_ms: z.optional(z.number()),
      expires_at: text,
      result_not_for_model: flag,
      check_permissions: flag,
      /** Files of the reference's cloud. Heddle refuses them. */
      input_files: z.optional(z.array(z.unknown())),
      output_files: z.optional(z.array(z.unknown())),
    },
    McpCallResult,
  ],
  /** The resources of the connected servers, for completion. Those that a rule denies are left out. */
  mcp_list_resources: () => [{}, McpResourceList],
  /** Reads a `ui://` resource of a server. */
  mcp_read_resource: () => [{ serverName: z.string(), uri: z.string() }, McpResourceContents],
  /**
   * Checks calls of a server in this mode in addition to the session's, so that it can only restrict. Null removes it.
   */
  set_mcp_permission_mode_override: () => [
    { serverName: z.string(), mode: z.nullable(word(['default', 'auto'])) },
    open({ warning: text }),
  ],

  /** The settings in force, each with its source. */
  get_settings: () => [{}, SettingsInForce],
  /** Sets settings by key; null resets a value that the launch or an earlier request set. */
  apply_flag_settings: () => [{ settings: AnyObject }, z.optional(FlagSettingsResult)],
  /** Changes a settings file; null removes a key. */
  update_settings: () => [{ source: z.string(), settings: z.optional(AnyObject) }, Done],
  /** The permission rules in force. */
  list_permission_rules: () => [{}, PermissionRules],
  /** The hooks in force, and all hook events. */
  get_hooks_listing: () => [{}, HooksListing],
  /** The models that a host can select. */
  list_models: () => [{}, open({ models: z.array(ModelInfo) })],
  /** The contents of the context window. */
  get_context_usage: () => [{ detail: text }, ContextUsage],
  /** The cost of the session, as text. */
  get_session_cost: () => [{}, open({ text: z.string() })],
  /** The cost of the session, as numbers. */
  get_usage: () => [{ skip_behaviors: flag }, SessionUsage],
  /** The versions of the wire protocol and of the agent. */
  get_binary_version: () => [{}, open({ version: z.string(), buildTime: text, heddle_version: text })],

  /** Moves running calls to the background. The response names the calls that the turn no longer waits for. */
  background_tasks: () => [{ tool_use_id: text }, z.optional(open({ backgrounded: z.optional(z.array(z.string())) }))],
  /** The status of a background task, and the end of its output. */
  get_task_output: () => [{ task_id: z.string() }, TaskOutput],
  /** Removes a message from the queue. False: its turn has begun, or there is no such message. */
  cancel_async_message: () => [{ message_uuid: z.string() }, z.optional(open({ cancelled: flag }))],
  /** Gives the session a title. */
  rename_session: () => [{ title: z.string(), source: text, session_id: text }, Done],
  /**
   * Writes a title for the description; `persist` sets it on a session without a title. Null: no model could be asked.
   */
  generate_session_title: () => [{ description: z.string(), persist: flag }, open({ title: z.nullable(z.string()) })],
  /** Heddle refuses this request as unsupported. */
  set_color: () => [{ color: text }, Done],
  /** Heddle refuses this request as unsupported. */
  set_has_subscribers: () => [{ has_subscribers: z.optional(z.nullable(z.boolean())) }, Done],
  /**
   * Adds a working directory, which must lie below those of the launch, and reads the files that the flags name again.
   */
  register_repo_root: () => [
    { directory: z.string(), reload_claude_md: flag, reload_plugins: flag, reload_skills: flag },
    z.optional(open({ directory: text })),
  ],
  /** Reads all extension files again. */
  reload_skills: () => [{}, open({ skills: z.optional(z.array(SlashCommand)) })],
  /**
   * Reads all extension files and the settings that enable plugins again; `add_plugins` adds plugins. With
   * `refuse_if_busy` Heddle refuses while the session works; with `hold_on_cache_impact` it changes nothing where the
   * tools would change.
   */
  reload_plugins: () => [
    { add_plugins: z.optional(z.array(z.unknown())), refuse_if_busy: flag, hold_on_cache_impact: flag },
    ReloadedPlugins,
  ],
  /** Reads all extension files again. The response names the output styles. */
  reload_output_styles: () => [{}, open({ available_output_styles: z.array(z.string()) })],
  /** Reads a file that the Read tool may read without a question. */
  read_file: () => [{ path: z.string(), max_bytes: z.optional(z.number()), encoding: text }, FileContents],
  /** Files and directories that fit a query, for completion. Files that a rule hides are left out. */
  file_suggestions: () => [{ query: z.string(), limit: z.optional(z.number()) }, FileSuggestions],
  /** Marks a file as seen by the model. `mtime`: milliseconds since 1970. False: the file has changed since. */
  seed_read_state: () => [{ path: z.string(), mtime: z.number() }, z.optional(open({ seeded: flag }))],

  // Heddle's own.
  /** No more user messages follow. Control requests continue until the CLI closes its output. */
  end_input: () => [{}, Done],
  /** Continues the unfinished turn without a new message; refused with `nothing_to_continue`. */
  continue_turn: () => [{}, Done],
  /** Turns `stream_event` lines on or off, from the next event of the model. */
  set_partial_messages: () => [{ enabled: z.boolean() }, Done],
  /**
   * Joins a session that several hosts share; refused as unsupported where the session has one host. The response
   * comes first, then the lines from `from_seq` on, then the open questions.
   */
  attach: () => [
    {
      role: z.optional(word(['drive', 'watch'])),
      /** The first line to send again. Absent: lines begin now. */
      from_seq: z.optional(z.number()),
      /** What the host calls itself, for the others. */
      name: text,
      /** Proof that the session has let the host in. */
      pass: text,
    },
    AttachResult,
  ],
  /** Leaves the session, which continues without this host. */
  detach: () => [{}, Done],
  /** The nodes and leaves of the session. */
  session_tree: () => [{ offset: z.optional(z.number()), limit: z.optional(z.number()) }, SessionTree],
  /** The branches of the session. */
  branches: () => [{}, open({ branches: z.array(Branch) })],
  /** Continues from another message. */
  switch_leaf: () => [{ leaf_uuid: z.string(), restore_files: flag, dry_run: flag }, SwitchLeafResult],
  /**
   * The messages of a branch, the newest page first: those of `leaf_uuid`, or of the active branch, before the message
   * `before`.
   */
  session_messages: () => [{ leaf_uuid: text, before: text, limit: z.optional(z.number()) }, SessionMessagesPage],
  /** Copies a branch into a new session. */
  fork_session: () => [{ at_uuid: text, title: text }, open({ session_id: z.string() })],
  /** Changes rules, directories or the mode, as the answer to a permission question can. All or nothing. */
  update_permissions: () => [{ updates: z.array(PermissionUpdate) }, PermissionUpdatesResult],
  /**
   * What of the project's files needs trust. `decision` is `trust`, for the files of `digest` and no others, or
   * `distrust`; without it nothing changes.
   */
  trust_project: () => [{ digest: text, decision: text }, ProjectTrustReport],
  /**
   * Runs a command of the person at the host. Deny rules, hooks and the sandbox hold; nobody is asked. The model reads its
   * output with the next prompt, or at once with `should_query`.
   */
  shell_command: () => [{ command: z.string(), should_query: flag }, ShellCommandResult],
  /**
   * Runs the command of the setting `statusLine` for a window of this size. It is ended after five seconds, and when the
   * host withdraws the request.
   */
  status_line: () => [
    { columns: z.optional(z.number()), rows: z.optional(z.number()), vim_mode: text },
    StatusLineResult,
  ],
  /**
   * The decision that a tool call would get now, and the rule that makes it; with `updates`, the decision that it would get
   * after them. Changes nothing.
   */
  explain_permission: () => [
    { tool_name: z.string(), input: AnyObject, updates: z.optional(z.array(PermissionUpdate)) },
    PermissionExplanation,
  ],
});
