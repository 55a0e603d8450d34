import { defined, isObject, type JsonObject } from '../util/json.ts';
import type {
  AccountInfo,
  AgentInfo,
  ContextUsage,
  FileContents,
  FileSuggestions,
  FlagSettingsResult,
  InitializeResponse,
  InterruptReceipt,
  McpResourceContents,
  McpResourceList,
  McpSetServersResult,
  ModelInfo,
  PermissionExplanation,
  PermissionRules,
  ProjectTrustReport,
  ReloadedPlugins,
  RewindFilesResult,
  SessionMessagesPage,
  SessionUsage,
  SettingsInForce,
  ShellCommandResult,
  SlashCommand,
  SwitchLeafResult as WireSwitch,
  SessionTree as WireTree,
} from '../wire/control/index.ts';
import type { ControlBody } from '../wire/link/peer.ts';
import type { McpServerStatus } from '../wire/mcp.ts';
import type { PermissionModeName, PermissionUpdate } from '../wire/permissions.ts';
import type { ThinkingDisplay } from '../wire/thinking-display.ts';
import type { Connection } from './connection.ts';
import { type McpServers, serversOnWire } from './options/mcp-servers.ts';
import type { SdkPluginConfig } from './options/option-types.ts';
import {
  type Branch,
  type SessionTree,
  type SwitchLeafResult,
  toBranches,
  toTree,
  withLeaf,
} from './stored/tree-types.ts';

export type { InterruptReceipt };

export interface InterruptOptions {
  /** Also removes messages that wait for their turn. Default: they are answered next. */
  cancelQueued?: boolean;
}

export interface ReloadPluginsOptions {
  /** Also loads these plugins, as if they were in `plugins`; their paths must be absolute. */
  addPlugins?: SdkPluginConfig[];
  /** Rejects with `reload_plugins_busy` while the session works. */
  refuseIfBusy?: boolean;
  /** Reads nothing, and says so, when servers of plugins would come or go: that costs the model its cache. */
  holdOnCacheImpact?: boolean;
}

export interface MessagesPageOptions {
  /** The branch up to this message. Default: the active branch. */
  leafUuid?: string;
  /** Only messages before this one. */
  before?: string;
  /** At most 500. Default: 100. */
  limit?: number;
}

/** The settings files that a host may change. */
export type SettingsFile = 'userSettings' | 'projectSettings' | 'localSettings';

export interface ReadFileOptions {
  /** Reads at most this number of bytes of the file. */
  maxBytes?: number;
  encoding?: 'utf-8' | 'base64';
}

/**
 * The requests that a host can send to a running agent: the methods that `query`, sessions and the client share. They
 * work at any time, also during a turn and after the input has ended. They reject with ControlError when the agent does
 * not know or refuses the request, and with ProcessError or `closed` when the agent ends.
 */
export abstract class Controls {
  /** The connection to the agent; may throw where there is none. */
  protected abstract connection(): Connection;

  /** The whole answer to `initialize`, stored since the start. */
  initializationResult(): Promise<InitializeResponse> {
    return this.connection().initialized;
  }

  /**
   * Initializes again, after lines may have been lost. The agent's open requests go to `canUseTool` and `onElicitation`
   * again, except those that they are answering. Nothing else changes in the session.
   */
  reinitialize(): Promise<InitializeResponse> {
    return this.connection().reinitialize();
  }

  /** Ends the running turn with an ordinary result. The session stays usable. */
  async interrupt({ cancelQueued }: InterruptOptions = {}): Promise<InterruptReceipt | undefined> {
    const answer = await this.#request({ subtype: 'interrupt', ...defined({ cancel_queued: cancelQueued }) });
    return isObject(answer) && Array.isArray(answer.still_queued) ? (answer as unknown as InterruptReceipt) : undefined;
  }

  /**
   * Continues the unfinished turn of a resumed session, or repeats the model call that ended the last turn with an error,
   * without a new message. Rejects with `nothing_to_continue` when the last turn is complete.
   */
  async continueTurn(): Promise<void> {
    await this.connection().continueTurn();
  }

  /** Changes the permission mode at once. */
  async setPermissionMode(mode: PermissionModeName): Promise<void> {
    await this.#request({ subtype: 'set_permission_mode', mode });
  }

  /** Changes the model with the next turn. Without a name: the model of the start. */
  async setModel(model?: string): Promise<void> {
    await this.#request({ subtype: 'set_model', ...defined({ model }) });
  }

  /**
   * Takes effect with the next turn; 0 or null removes the thinking budget. A display changes how thinking is shown,
   * and a display of null resets to the provider's default; without one it stays unchanged.
   */
  async setMaxThinkingTokens(tokens: number | null, thinkingDisplay?: ThinkingDisplay | null): Promise<void> {
    const display = defined({ thinking_display: thinkingDisplay });
    await this.#request({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: tokens, ...display });
  }

  /**
   * Restores files to their state when a user message was sent; needs `enableFileCheckpointing`. With `dryRun` nothing
   * changes, and the answer describes what would.
   */
  async rewindFiles(userMessageId: string, { dryRun }: { dryRun?: boolean } = {}): Promise<RewindFilesResult> {
    const body = { subtype: 'rewind_files', user_message_id: userMessageId, ...defined({ dry_run: dryRun }) };
    return (await this.#request(body)) as RewindFilesResult;
  }

  /** The decision that a tool call would get now, and the rule and file that make it. It runs and asks nothing. */
  async explainPermission(
    toolName: string,
    input: JsonObject,
    { updates }: { updates?: readonly PermissionUpdate[] } = {},
  ): Promise<PermissionExplanation> {
    return (await this.#request({
      subtype: 'explain_permission',
      tool_name: toolName,
      input,
      ...defined({ updates }),
    })) as PermissionExplanation;
  }

  /** What of the project's files needs trust. With a decision for the files of `digest` it is stored, as by `heddle trust`. */
  async trustProject(decided: { digest?: string; decision?: 'trust' | 'distrust' } = {}): Promise<ProjectTrustReport> {
    return (await this.#request({ subtype: 'trust_project', ...defined(decided) })) as ProjectTrustReport;
  }

  /** Changes rules, directories or the mode. Rejects with `invalid_settings` if one cannot be applied: nothing has changed. */
  async updatePermissions(updates: readonly PermissionUpdate[]): Promise<void> {
    await this.#request({ subtype: 'update_permissions', updates });
  }

  /** Runs a command of the person: nobody is asked, but deny rules and hooks hold. `shouldQuery`: the model answers at once. */
  async shellCommand(command: string, { shouldQuery }: { shouldQuery?: boolean } = {}): Promise<ShellCommandResult> {
    const body = { subtype: 'shell_command', command, ...defined({ should_query: shouldQuery }) };
    return (await this.#request(body)) as ShellCommandResult;
  }

  /** Files and directories whose names fit the query, the best first. Files that a rule hides are left out. */
  async fileSuggestions(query: string, { limit }: { limit?: number } = {}): Promise<FileSuggestions> {
    return (await this.#request({ subtype: 'file_suggestions', query, ...defined({ limit }) })) as FileSuggestions;
  }

  /** The messages of a branch (default: the active one), oldest first, in pages from its end: `before` gets earlier ones. */
  async sessionMessages(options: MessagesPageOptions = {}): Promise<SessionMessagesPage> {
    const { leafUuid, before, limit } = options;
    const page = defined({ leaf_uuid: leafUuid, before, limit });
    return (await this.#request({ subtype: 'session_messages', ...page })) as SessionMessagesPage;
  }

  /** The settings in force, each with its source. The values of credentials are masked. */
  async getSettings(): Promise<SettingsInForce> {
    return (await this.#request({ subtype: 'get_settings' })) as SettingsInForce;
  }

  /**
   * Changes the `settings` of the start, key by key; null resets a key. Rules and the model take effect with the next
   * turn, `permissions.defaultMode` at once. `without_effect` in the answer lists keys that an open session cannot
   * adopt.
   */
  async applyFlagSettings(settings: JsonObject): Promise<FlagSettingsResult> {
    return ((await this.#request({ subtype: 'apply_flag_settings', settings })) ?? {}) as FlagSettingsResult;
  }

  /**
   * Changes a settings file, key by key within objects; null removes a key. The new contents take effect with the next
   * turn, as far as the project is trusted.
   */
  async updateSettings(source: SettingsFile, settings: JsonObject): Promise<void> {
    await this.#request({ subtype: 'update_settings', source, settings });
  }

  /** The contents of the context window, by category. `detail: 'summary'` leaves out what is costly to count. */
  async getContextUsage({ detail }: { detail?: 'full' | 'summary' } = {}): Promise<ContextUsage> {
    return (await this.#request({ subtype: 'get_context_usage', ...defined({ detail }) })) as ContextUsage;
  }

  /** The cost of the session, in tokens and money. Heddle knows no limits of plans. */
  async getUsage({ skipBehaviors }: { skipBehaviors?: boolean } = {}): Promise<SessionUsage> {
    return (await this.#request({
      subtype: 'get_usage',
      ...defined({ skip_behaviors: skipBehaviors }),
    })) as SessionUsage;
  }

  /** `getUsage` under the name of the reference. */
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(
    options: { skipBehaviors?: boolean } = {},
  ): Promise<SessionUsage> {
    return this.getUsage(options);
  }

  /** The permission rules and the directories in force. */
  async listPermissionRules(): Promise<PermissionRules> {
    return (await this.#request({ subtype: 'list_permission_rules' })) as PermissionRules;
  }

  /** Reads the skills and commands of files again; resolves with the current ones. */
  async reloadSkills(): Promise<{ skills: SlashCommand[] }> {
    const answer = await this.#request({ subtype: 'reload_skills' });
    return { skills: list(isObject(answer) ? (answer.skills as SlashCommand[]) : undefined) };
  }

  /** Reads plugins and the settings that name them again; resolves with the current ones. */
  async reloadPlugins(options: ReloadPluginsOptions = {}): Promise<ReloadedPlugins> {
    const { addPlugins, refuseIfBusy, holdOnCacheImpact } = options;
    const asked = { add_plugins: addPlugins, refuse_if_busy: refuseIfBusy, hold_on_cache_impact: holdOnCacheImpact };
    return (await this.#request({ subtype: 'reload_plugins', ...defined(asked) })) as ReloadedPlugins;
  }

  /** Reads output styles again; resolves with the current names. */
  async reloadOutputStyles(): Promise<{ available_output_styles: string[] }> {
    return (await this.#request({ subtype: 'reload_output_styles' })) as { available_output_styles: string[] };
  }

  /** The slash commands, including changes since the start. */
  async supportedCommands(): Promise<SlashCommand[]> {
    const { commands } = await this.initializationResult();
    return [...(this.connection().commands ?? list(commands))];
  }

  async supportedModels(): Promise<ModelInfo[]> {
    return list((await this.initializationResult()).models);
  }

  /** The subagents. */
  async supportedAgents(): Promise<AgentInfo[]> {
    return list((await this.initializationResult()).agents);
  }

  /** The account that pays for the model calls. */
  async accountInfo(): Promise<AccountInfo> {
    const { account } = await this.initializationResult();
    return isObject(account) ? account : {};
  }

  /** The MCP servers, each with its status. */
  async mcpServerStatus(): Promise<McpServerStatus[]> {
    const answer = await this.#request({ subtype: 'mcp_status' });
    return list(isObject(answer) ? (answer.mcpServers as McpServerStatus[]) : undefined);
  }

  /** Replaces the servers that earlier calls set; the servers of the start and of settings stay. */
  async setMcpServers(servers: McpServers): Promise<McpSetServersResult> {
    await this.connection().addServers(servers);
    const body = { subtype: 'mcp_set_servers', servers: serversOnWire(servers) };
    return (await this.#request(body)) as McpSetServersResult;
  }

  async reconnectMcpServer(serverName: string): Promise<void> {
    await this.#request({ subtype: 'mcp_reconnect', serverName });
  }

  async toggleMcpServer(serverName: string, enabled: boolean): Promise<void> {
    await this.#request({ subtype: 'mcp_toggle', serverName, enabled });
  }

  /** What the connected servers have to read, without what a rule denies. A prompt mentions one as `@server:uri`. */
  async mcpResources(): Promise<McpResourceList> {
    return (await this.#request({ subtype: 'mcp_list_resources' })) as McpResourceList;
  }

  /** Reads a `ui://` resource of a server: a page that a tool wants to show. Who shows it must not trust it. */
  async readMcpResource(serverName: string, uri: string): Promise<McpResourceContents> {
    return (await this.#request({ subtype: 'mcp_read_resource', serverName, uri })) as McpResourceContents;
  }

  /**
   * Checks calls of a server's tools in this mode, too, which can only restrict: `default` asks for them even in
   * bypassPermissions. Null removes the override. `warning`: the server does not exist yet.
   */
  async setMcpPermissionModeOverride(
    serverName: string,
    mode: 'default' | 'auto' | null,
  ): Promise<{ warning?: string }> {
    const answer = await this.#request({ subtype: 'set_mcp_permission_mode_override', serverName, mode });
    return (answer ?? {}) as { warning?: string };
  }

  /** Stops a background task; a `task_notification` message confirms it. */
  async stopTask(taskId: string): Promise<void> {
    await this.#request({ subtype: 'stop_task', task_id: taskId });
  }

  /** Moves foreground work to the background: one tool call, or all. */
  async backgroundTasks(toolUseId?: string): Promise<boolean> {
    const answer = await this.#request({ subtype: 'background_tasks', ...defined({ tool_use_id: toolUseId }) });
    return isObject(answer) && Array.isArray(answer.backgrounded) && answer.backgrounded.length > 0;
  }

  /** A file as the agent's tools would see it, by the rules of the session. */
  async readFile(path: string, { maxBytes, encoding }: ReadFileOptions = {}): Promise<FileContents> {
    const options = defined({ max_bytes: maxBytes, encoding });
    return (await this.#request({ subtype: 'read_file', path, ...options })) as FileContents;
  }

  /**
   * Marks a file as seen by the model as it was at `mtime` (milliseconds since 1970), so that the model may edit it
   * without a Read in the conversation. A file that has changed since must be read again.
   */
  async seedReadState(path: string, mtime: number): Promise<void> {
    await this.#request({ subtype: 'seed_read_state', path, mtime });
  }

  /** Removes a message from the queue. */
  async cancelAsyncMessage(messageUuid: string): Promise<void> {
    await this.#request({ subtype: 'cancel_async_message', message_uuid: messageUuid });
  }

  /** Sets the title of the session. */
  async renameSession(title: string): Promise<void> {
    await this.#request({ subtype: 'rename_session', title, source: 'host' });
  }

  /**
   * A small model writes a title for the description; `persist` sets it on a session without a title. Null: no model
   * could be asked.
   */
  async generateSessionTitle(description: string, { persist }: { persist?: boolean } = {}): Promise<string | null> {
    const answer = await this.#request({ subtype: 'generate_session_title', description, ...defined({ persist }) });
    return isObject(answer) && typeof answer.title === 'string' ? answer.title : null;
  }

  /** All messages of the session, of every branch. */
  async tree(): Promise<SessionTree> {
    return toTree((await this.#request({ subtype: 'session_tree' })) as WireTree);
  }

  /** The branches of the session, the active one among them. */
  async branches(): Promise<Branch[]> {
    const answer = await this.#request({ subtype: 'branches' });
    return toBranches(list(isObject(answer) ? (answer.branches as Branch[]) : undefined));
  }

  /**
   * Makes another branch the active one: the next message continues it. `restoreFiles` also restores the files to their
   * state there; with `dryRun` nothing changes, and the answer describes what would.
   */
  async switch(leaf: string, { restoreFiles, dryRun }: SwitchOptions = {}): Promise<SwitchLeafResult> {
    const options = defined({ restore_files: restoreFiles, dry_run: dryRun });
    return withLeaf((await this.#request({ subtype: 'switch_leaf', leaf_uuid: leaf, ...options })) as WireSwitch);
  }

  /** Copies the session up to a message, by default up to the active one; resolves with the id of the copy. */
  async fork({ at, title }: { at?: string; title?: string } = {}): Promise<string> {
    const answer = await this.#request({ subtype: 'fork_session', ...defined({ at_uuid: at, title }) });
    return isObject(answer) ? String(answer.session_id) : '';
  }

  #request(body: ControlBody): Promise<unknown> {
    return this.connection().call(body);
  }
}

/** The control methods, for the interfaces that offer them. */
export type ControlMethods = Pick<Controls, keyof Controls>;

export interface SwitchOptions {
  restoreFiles?: boolean;
  dryRun?: boolean;
}

function list<T>(value: T[] | undefined): T[] {
  return Array.isArray(value) ? (value.filter(isObject) as T[]) : [];
}
