import { isObject, type JsonObject } from '../util/json.ts';
import type {
  AccountInfo,
  AgentInfo,
  ContextUsage,
  FileContents,
  FlagSettingsResult,
  InitializeResponse,
  InterruptReceipt,
  McpResourceContents,
  McpSetServersResult,
  ModelInfo,
  PermissionExplanation,
  PermissionRules,
  ReloadedPlugins,
  RewindFilesResult,
  SessionUsage,
  SettingsInForce,
  SlashCommand,
  SwitchLeafResult as WireSwitch,
  SessionTree as WireTree,
} from '../wire/control/index.ts';
import type { McpServerStatus } from '../wire/mcp.ts';
import type { ControlBody } from '../wire/peer.ts';
import type { PermissionModeName } from '../wire/permissions.ts';
import type { ThinkingDisplay } from '../wire/thinking-display.ts';
import type { Connection } from './connection.ts';
import { type McpServers, serversOnWire } from './mcp-servers.ts';
import type { SdkPluginConfig } from './option-types.ts';
import { type Branch, type SessionTree, type SwitchLeafResult, toBranches, toTree, withLeaf } from './tree-types.ts';

export type { InterruptReceipt };

export interface InterruptOptions {
  /** Messages that wait for their turn are taken back, too. Default: they are answered next. */
  cancelQueued?: boolean;
}

export interface ReloadPluginsOptions {
  /** Loads these as well, as if they had been in `plugins`; their paths must be absolute. */
  addPlugins?: SdkPluginConfig[];
  /** Rejects with `reload_plugins_busy` while the session works. */
  refuseIfBusy?: boolean;
  /** Reads nothing when servers of plugins would come or go, which costs the model its cache: the answer says so. */
  holdOnCacheImpact?: boolean;
}

/** The settings files that a host may change. */
export type SettingsFile = 'userSettings' | 'projectSettings' | 'localSettings';

export interface ReadFileOptions {
  /** No more than this many bytes of the file. */
  maxBytes?: number;
  encoding?: 'utf-8' | 'base64';
}

/**
 * What a host can ask of a running agent: the methods that `query`, sessions and the client share. They work at any
 * time, also during a turn and after the input has ended. An agent that does not know a request, or refuses it, rejects
 * with ControlError; one that ends, with ProcessError or `closed`.
 */
export abstract class Controls {
  /** To the agent that is asked; may throw where there is none. */
  protected abstract connection(): Connection;

  /** The whole answer to `initialize`, kept from the start. */
  initializationResult(): Promise<InitializeResponse> {
    return this.connection().initialized;
  }

  /**
   * Initializes once more, after lines may have been lost on the way: what the agent still waits for is asked again of
   * `canUseTool` and `onElicitation`, but for what they are answering. Nothing else changes in the session.
   */
  reinitialize(): Promise<InitializeResponse> {
    return this.connection().reinitialize();
  }

  /** Ends the running turn with an ordinary result. The session stays usable. */
  async interrupt({ cancelQueued }: InterruptOptions = {}): Promise<InterruptReceipt | undefined> {
    const answer = await this.#request({ subtype: 'interrupt', ...given({ cancel_queued: cancelQueued }) });
    return isObject(answer) && Array.isArray(answer.still_queued) ? (answer as unknown as InterruptReceipt) : undefined;
  }

  /** Holds at once. */
  async setPermissionMode(mode: PermissionModeName): Promise<void> {
    await this.#request({ subtype: 'set_permission_mode', mode });
  }

  /** From the next turn on. Without a name: back to the model of the start. */
  async setModel(model?: string): Promise<void> {
    await this.#request({ subtype: 'set_model', ...given({ model }) });
  }

  /**
   * From the next turn on; null for no limit of its own. A display changes what is shown of the thinking, null leaves
   * that to the provider again; without one it stays as it is.
   */
  async setMaxThinkingTokens(tokens: number | null, thinkingDisplay?: ThinkingDisplay | null): Promise<void> {
    const display = given({ thinking_display: thinkingDisplay });
    await this.#request({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: tokens, ...display });
  }

  /**
   * Brings files back to how they were when a user message was sent; needs `enableFileCheckpointing`. With `dryRun`
   * nothing is changed, and the answer says what would be.
   */
  async rewindFiles(userMessageId: string, { dryRun }: { dryRun?: boolean } = {}): Promise<RewindFilesResult> {
    const body = { subtype: 'rewind_files', user_message_id: userMessageId, ...given({ dry_run: dryRun }) };
    return (await this.#request(body)) as RewindFilesResult;
  }

  /** What would become of a tool call now, and which rule of which file decides. Nothing is run, nobody is asked. */
  async explainPermission(toolName: string, input: JsonObject): Promise<PermissionExplanation> {
    return (await this.#request({
      subtype: 'explain_permission',
      tool_name: toolName,
      input,
    })) as PermissionExplanation;
  }

  /** The settings in force, each with where it stands. The values of credentials are masked. */
  async getSettings(): Promise<SettingsInForce> {
    return (await this.#request({ subtype: 'get_settings' })) as SettingsInForce;
  }

  /**
   * Changes what `settings` gave at the start, key by key; null takes a key back. Rules and the model hold from the next
   * turn on, `permissions.defaultMode` at once; keys that an open session cannot take over come back in `without_effect`.
   */
  async applyFlagSettings(settings: JsonObject): Promise<FlagSettingsResult> {
    return ((await this.#request({ subtype: 'apply_flag_settings', settings })) ?? {}) as FlagSettingsResult;
  }

  /**
   * Changes a settings file, objects key by key; null takes a key away. What the file says then holds from the next turn
   * on, as far as the project is trusted.
   */
  async updateSettings(source: SettingsFile, settings: JsonObject): Promise<void> {
    await this.#request({ subtype: 'update_settings', source, settings });
  }

  /** What fills the context window, by category. `detail: 'summary'` leaves out what is costly to count. */
  async getContextUsage({ detail }: { detail?: 'full' | 'summary' } = {}): Promise<ContextUsage> {
    return (await this.#request({ subtype: 'get_context_usage', ...given({ detail }) })) as ContextUsage;
  }

  /** What the session has cost, in tokens and money. There are no limits of plans to be told. */
  async getUsage({ skipBehaviors }: { skipBehaviors?: boolean } = {}): Promise<SessionUsage> {
    return (await this.#request({ subtype: 'get_usage', ...given({ skip_behaviors: skipBehaviors }) })) as SessionUsage;
  }

  /** The same under the name of the reference. */
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(
    options: { skipBehaviors?: boolean } = {},
  ): Promise<SessionUsage> {
    return this.getUsage(options);
  }

  /** The permission rules and the directories in force. */
  async listPermissionRules(): Promise<PermissionRules> {
    return (await this.#request({ subtype: 'list_permission_rules' })) as PermissionRules;
  }

  /** Reads skills and commands of files again; resolves with those that there are now. */
  async reloadSkills(): Promise<{ skills: SlashCommand[] }> {
    const answer = await this.#request({ subtype: 'reload_skills' });
    return { skills: list(isObject(answer) ? (answer.skills as SlashCommand[]) : undefined) };
  }

  /** Reads plugins again, and the settings that name them; resolves with what there is now. */
  async reloadPlugins(options: ReloadPluginsOptions = {}): Promise<ReloadedPlugins> {
    const { addPlugins, refuseIfBusy, holdOnCacheImpact } = options;
    const asked = { add_plugins: addPlugins, refuse_if_busy: refuseIfBusy, hold_on_cache_impact: holdOnCacheImpact };
    return (await this.#request({ subtype: 'reload_plugins', ...given(asked) })) as ReloadedPlugins;
  }

  /** Reads output styles again; resolves with the names of those that there are now. */
  async reloadOutputStyles(): Promise<{ available_output_styles: string[] }> {
    return (await this.#request({ subtype: 'reload_output_styles' })) as { available_output_styles: string[] };
  }

  /** Slash commands, those that have changed since the start included. */
  async supportedCommands(): Promise<SlashCommand[]> {
    const { commands } = await this.initializationResult();
    return [...(this.connection().commands ?? list(commands))];
  }

  async supportedModels(): Promise<ModelInfo[]> {
    return list((await this.initializationResult()).models);
  }

  /** Subagents. */
  async supportedAgents(): Promise<AgentInfo[]> {
    return list((await this.initializationResult()).agents);
  }

  /** With whose account the model is called. */
  async accountInfo(): Promise<AccountInfo> {
    const { account } = await this.initializationResult();
    return isObject(account) ? account : {};
  }

  /** The MCP servers, and how they are. */
  async mcpServerStatus(): Promise<McpServerStatus[]> {
    const answer = await this.#request({ subtype: 'mcp_status' });
    return list(isObject(answer) ? (answer.mcpServers as McpServerStatus[]) : undefined);
  }

  /** Replaces the servers that earlier calls have set; those of the start and of settings stay. */
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

  /**
   * Reads a `ui://` resource of a server that the agent has connected: a page that a tool wants to be shown. Whoever shows
   * it must not trust it.
   */
  async readMcpResource(serverName: string, uri: string): Promise<McpResourceContents> {
    return (await this.#request({ subtype: 'mcp_read_resource', serverName, uri })) as McpResourceContents;
  }

  /**
   * Has calls of a server's tools pass in this mode, too, which only narrows: `default` asks for them also in
   * bypassPermissions. Null takes it back. `warning`: there is no such server yet.
   */
  async setMcpPermissionModeOverride(
    serverName: string,
    mode: 'default' | 'auto' | null,
  ): Promise<{ warning?: string }> {
    const answer = await this.#request({ subtype: 'set_mcp_permission_mode_override', serverName, mode });
    return (answer ?? {}) as { warning?: string };
  }

  /** Stops a background task; a `task_notification` message says that it was. */
  async stopTask(taskId: string): Promise<void> {
    await this.#request({ subtype: 'stop_task', task_id: taskId });
  }

  /** Moves what runs in the foreground to the background: one tool call, or all. */
  async backgroundTasks(toolUseId?: string): Promise<boolean> {
    const answer = await this.#request({ subtype: 'background_tasks', ...given({ tool_use_id: toolUseId }) });
    return isObject(answer) && Array.isArray(answer.backgrounded) && answer.backgrounded.length > 0;
  }

  /** A file as the agent's tools would see it, by the rules of the session. */
  async readFile(path: string, { maxBytes, encoding }: ReadFileOptions = {}): Promise<FileContents> {
    const options = given({ max_bytes: maxBytes, encoding });
    return (await this.#request({ subtype: 'read_file', path, ...options })) as FileContents;
  }

  /**
   * Tells that the model has seen a file as it was at `mtime` (milliseconds since 1970), so that it may edit it; for a Read
   * that the conversation does not hold any more. A file that has changed since has to be read again.
   */
  async seedReadState(path: string, mtime: number): Promise<void> {
    await this.#request({ subtype: 'seed_read_state', path, mtime });
  }

  /** Takes back a message that waits for its turn. */
  async cancelAsyncMessage(messageUuid: string): Promise<void> {
    await this.#request({ subtype: 'cancel_async_message', message_uuid: messageUuid });
  }

  /** Gives the session a title. */
  async renameSession(title: string): Promise<void> {
    await this.#request({ subtype: 'rename_session', title, source: 'host' });
  }

  /**
   * Has a small model make a title of what the session is about; `persist` gives it to a session that has none. Null: no
   * model could be asked.
   */
  async generateSessionTitle(description: string, { persist }: { persist?: boolean } = {}): Promise<string | null> {
    const body = { subtype: 'generate_session_title', description, ...given({ persist }) };
    const answer = await this.#request(body);
    return isObject(answer) && typeof answer.title === 'string' ? answer.title : null;
  }

  /** All messages that the session holds, of every branch. */
  async tree(): Promise<SessionTree> {
    return toTree((await this.#request({ subtype: 'session_tree' })) as WireTree);
  }

  /** The branches of the session, the active one among them. */
  async branches(): Promise<Branch[]> {
    const answer = await this.#request({ subtype: 'branches' });
    return toBranches(list(isObject(answer) ? (answer.branches as Branch[]) : undefined));
  }

  /**
   * Makes another branch the active one: the next message continues it. `restoreFiles` also brings the files back to
   * what they were there; with `dryRun` nothing is changed, and the answer says what would be.
   */
  async switch(leaf: string, { restoreFiles, dryRun }: SwitchOptions = {}): Promise<SwitchLeafResult> {
    const options = given({ restore_files: restoreFiles, dry_run: dryRun });
    return withLeaf((await this.#request({ subtype: 'switch_leaf', leaf_uuid: leaf, ...options })) as WireSwitch);
  }

  /** Copies the session up to a message, or to where it stands; resolves with the id of the copy. */
  async fork({ at, title }: { at?: string; title?: string } = {}): Promise<string> {
    const answer = await this.#request({ subtype: 'fork_session', ...given({ at_uuid: at, title }) });
    return isObject(answer) ? String(answer.session_id) : '';
  }

  #request(body: ControlBody): Promise<unknown> {
    return this.connection().call(body);
  }
}

/** The control methods, for the faces that offer them. */
export type ControlMethods = Pick<Controls, keyof Controls>;

export interface SwitchOptions {
  restoreFiles?: boolean;
  dryRun?: boolean;
}

/** Without what was not given: on the wire that is something else than null. */
function given(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function list<T>(value: T[] | undefined): T[] {
  return Array.isArray(value) ? (value.filter(isObject) as T[]) : [];
}
