import type { SessionStore } from '../../sessions/store.ts';
import type { ReferenceSessionStore, SessionStoreFlush } from '../../sessions/stores/reference-store-types.ts';
import type { JsonObject } from '../../util/json.ts';
import type { Dialect } from '../../wire/dialect.ts';
import type { HeddleError } from '../../wire/errors.ts';
import type { PermissionModeName } from '../../wire/permissions.ts';
import type { Connect } from '../../wire/run-config.ts';
import type { SandboxSettings } from '../../wire/sandbox-settings.ts';
import type {
  AgentsOption,
  CanUseTool,
  EffortLevel,
  HooksOption,
  McpServerConfig,
  OnElicitation,
  OnUserDialog,
  OutputFormat,
  SdkBeta,
  SdkPluginConfig,
  SettingSource,
  SpawnProcess,
  SystemPromptOption,
  ThinkingConfig,
  ToolsOption,
} from './option-types.ts';

/**
 * The options of `query`, of sessions and of the client. Names and meanings are those of the reference SDK; docs/sdk.md
 * has them in one table. A wrong value throws `invalid_option` before anything starts.
 *
 * @example
 * ```ts
 * const options: Options = { model: 'sonnet', cwd: '/srv/project', allowedTools: ['Read', 'Bash(git:*)'] };
 * ```
 */
export interface Options<Output = unknown>
  extends EnvironmentOptions,
    ModelOptions<Output>,
    ToolOptions,
    ExtensionOptions,
    SessionStateOptions,
    ObserverOptions {}

/** The options as functions accept them: some accept more than programs that read options back expect. */
export interface GivenOptions<Output = unknown>
  extends EnvironmentOptions,
    ModelOptions<Output>,
    ToolOptions,
    Omit<ExtensionOptions, 'mcpServers'>,
    SessionStateOptions,
    ObserverOptions {
  /** MCP servers by name, or the path of a file that configures them. */
  mcpServers?: Record<string, McpServerConfig> | string;
}

/** Where the agent runs, and as which program and user. */
export interface EnvironmentOptions {
  /** Cancels everything: the iterator rejects with AbortError. To end only the turn, use `interrupt()`. */
  abortController?: AbortController;
  /** The working directory. Default: this process's. */
  cwd?: string;
  /** Replaces the environment of the agent process; it does not extend it. Default: this process's. */
  env?: Record<string, string | undefined>;
  /** The runtime for an agent that is a script. Default: the runtime of this program. */
  executable?: 'node' | 'bun' | 'deno';
  /** Arguments of the executable, before the script. */
  executableArgs?: string[];
  /** The agent to run instead of the one in this package: a script or a binary. */
  pathToHeddleExecutable?: string;
  /** `pathToHeddleExecutable` under the name of the reference. */
  pathToClaudeCodeExecutable?: string;
  /** Further flags; null for a flag without a value. */
  extraArgs?: Record<string, string | null>;
  /** The user that the agent process runs as, by name or id. The program needs the right to become that user. */
  user?: string | number;
  /** Starts the agent process instead of this package: in a container, on another machine. */
  spawn?: SpawnProcess;
  /** `spawn` under the name of the reference. */
  spawnClaudeCodeProcess?: SpawnProcess;
  /** The longest line that the agent may send, in bytes; a longer one ends the stream. Default: 256 MB. */
  maxBufferSize?: number;
  /** Where the agent runs. Default: a subprocess. `inProcess(engine)` of `heddle/engine` runs it here. */
  transport?: Connect;
  /** Milliseconds to wait for the agent's first answer. Default: 60,000. */
  initializeTimeoutMs?: number;
  /** The agent writes diagnostics to its stderr. */
  debug?: boolean;
  /** The agent writes diagnostics to this file. */
  debugFile?: string;
}

/** The model, its thinking, and its limits. */
export interface ModelOptions<Output = unknown> {
  /** A name or an alias. Default: the agent's. */
  model?: string;
  /** The models to use when the first one is overloaded or missing, separated by commas. */
  fallbackModel?: string;
  /** How much work the model puts into an answer. */
  effort?: EffortLevel;
  thinking?: ThinkingConfig;
  /** The maximum number of thinking tokens. Prefer `thinking`. */
  maxThinkingTokens?: number;
  /** The maximum number of rounds of tool calls in a turn. */
  maxTurns?: number;
  /** The maximum cost of the session, in US dollars. */
  maxBudgetUsd?: number;
  /** Ends a turn that takes longer with an error result. In milliseconds. */
  maxDurationMs?: number;
  /** Background commands may outlive the session, where the model asks for it. */
  allowDetach?: boolean;
  /** The model may lead a team: agents that keep running between their turns and send messages to each other. */
  teams?: boolean;
  /** How many seconds the agent waits for background work when the input has ended. Default: 3600. */
  backgroundWait?: number;
  /** What the agent does with background work when the input has ended. Default: `wait`. */
  onEnd?: 'wait' | 'stop';
  /** The number of tokens that the model may spend on its task. The model sees it. */
  taskBudget?: { total: number };
  /** The answer must match this schema, of zod or JSON Schema; `result.structured_output` then holds it. */
  outputFormat?: OutputFormat<Output>;
  /** Beta features of the model's API. */
  betas?: SdkBeta[];
  /** The system prompt. Left out: no system prompt at all, as in the reference. */
  systemPrompt?: SystemPromptOption;
  /** Instructions for plan mode, instead of the agent's own. */
  planModeInstructions?: string;
  /** Questions to `canUseTool` about Edit, Write and NotebookEdit carry a `preview` of the change. */
  permissionPreviews?: boolean;
}

/** The tools of the agent, and the calls that run without a question. */
export interface ToolOptions {
  /**
   * The tools that exist: names, and tools of this program made with `tool`, which have their own names. `'default'` in
   * the list means all tools of the agent. Default: all tools of the agent.
   */
  tools?: ToolsOption;
  /** Rules for calls that run without a question: `Read`, `Bash(git:*)`. */
  allowedTools?: string[];
  /** Rules for calls that are denied in every mode; a bare name removes the tool. */
  disallowedTools?: string[];
  /** Other names of tools: from the name that the model calls to the tool that runs. */
  toolAliases?: Record<string, string>;
  /** Options of single tools. */
  toolConfig?: { askUserQuestion?: { previewFormat?: 'markdown' | 'html' } };
  /** Working directories in addition to `cwd`. */
  additionalDirectories?: string[];
  /** The decision for calls that no rule decides. Default: `default`, which asks. */
  permissionMode?: PermissionModeName;
  /** Needed for the mode `bypassPermissions`. */
  allowDangerouslySkipPermissions?: boolean;
  /** Decides the calls that rules and mode leave open. */
  canUseTool?: CanUseTool;
  /** An MCP tool that decides instead of `canUseTool`: `mcp__server__tool`. */
  permissionPromptToolName?: string;
  /** `none`: denies at once every call that needs a question. */
  permissionPrompts?: 'host' | 'none';
  /** Confines the commands of the agent; docs/sandbox.md explains each key. */
  sandbox?: SandboxSettings;
}

/** Extensions in addition to the agent's own tools. */
export interface ExtensionOptions {
  /** MCP servers by name. Functions also take the path of a file that configures them. */
  mcpServers?: Record<string, McpServerConfig>;
  /** Uses only these MCP servers, none of the settings. */
  strictMcpConfig?: boolean;
  /** Subagents by name. */
  agents?: AgentsOption;
  /** The name of the agent that the main thread runs as. */
  agent?: string;
  /** Plugins in directories of this machine. */
  plugins?: SdkPluginConfig[];
  /** How plugins reach the agent: as flags, or with its first request, which has no length limit. Default: `argv`. */
  pluginDelivery?: 'argv' | 'initialize';
  /** Skills that the model may use without a question: all, or the named ones. */
  skills?: 'all' | string[];
  /** Callbacks by event. */
  hooks?: HooksOption;
}

/** The conversation to run, how it is stored, and the settings that apply. */
export interface SessionStateOptions {
  /** Resumes the last session of this directory. */
  continue?: boolean;
  /** Resumes this session. */
  resume?: string;
  /** Resumes a copy of the session and leaves the original unchanged. */
  forkSession?: boolean;
  /** Continues from this message of the session. */
  resumeSessionAt?: string;
  /**
   * With `resumeSessionAt`: the uuid of the prompt whose turn the resume drops. When the resume would drop anything
   * else, the result is an error that begins with `Resume rejected by --resume-drops-turn:`.
   */
  resumeDropsTurn?: string;
  /**
   * Continues the unfinished turn of the session that `resume` or `continue` names, before any prompt. The prompt may be
   * an empty text then. Without an unfinished turn the query rejects with `control_error`, and `errorCode` is
   * `nothing_to_continue`.
   */
  continueTurn?: boolean;
  /** The id of the new session. Default: the agent generates one. */
  sessionId?: string;
  /** The title of the session. */
  title?: string;
  /** What to do when the session to resume does not exist. Default: `error`. */
  onMissing?: 'error' | 'fresh';
  /** What to do when another process writes to the session. Default: `refuse`. */
  onBusy?: 'refuse' | 'wait' | 'fork';
  /** False: the agent stores nothing. */
  persistSession?: boolean;
  /** Stores the session: entries come here instead of to the agent's disk. A store for the reference works, too. */
  sessionStore?: SessionStore | ReferenceSessionStore;
  /** For a `sessionStore` that was written for the reference: how entries are passed to it. Default: `batched`. */
  sessionStoreFlush?: SessionStoreFlush;
  /**
   * How long each `load` and each `list` of `sessionStore` may take, in milliseconds. After that the run ends with an
   * error. Default: 60000.
   */
  loadTimeoutMs?: number;
  /** Saves files as they are at each user message, for `rewindFiles`. */
  enableFileCheckpointing?: boolean;
  /** An object, JSON text or the path of a file; stronger than all settings files. */
  settings?: string | JsonObject;
  /** The settings files that the agent reads. Left out: none. */
  settingSources?: SettingSource[];
  /** Settings that can only restrict, above all others. */
  managedSettings?: JsonObject;
  /** A directory whose project settings apply instead of those of `cwd`. */
  projectConfigRoot?: string;
}

/** What the host receives, and the questions that it answers. */
export interface ObserverOptions {
  /** Adds `stream_event` messages. */
  includePartialMessages?: boolean;
  /** Adds messages for every hook that runs. */
  includeHookEvents?: boolean;
  /** Adds a `tool_use_summary` message after each round of tool calls. */
  toolUseSummaries?: boolean;
  /** Adds the whole text of subagents, with the id of the call that started them. */
  forwardSubagentText?: boolean;
  /** Adds a line now and then about the work of a subagent. */
  agentProgressSummaries?: boolean;
  /** Adds a guess at the next prompt after each turn. */
  promptSuggestions?: boolean;
  /** Begins a resumed session with its stored messages. */
  replayHistory?: boolean;
  /** The host can stop each background task, so an interrupt leaves them alone. */
  perTaskStopAffordance?: boolean;
  /** Takes prompts literally: no `@path`, no slash commands. */
  verbatimPrompts?: boolean;
  /**
   * The version of the reference whose line formats the agent uses, where versions differ: the output of slash
   * commands, an unknown slash command, `stop_reason` of results. Default: `2.1.325`; use `2.1.44` for hosts that were
   * written for the SDK 0.2.
   */
  clientDialect?: Dialect;
  /** Answers MCP servers that ask for input. Without it their requests are declined. */
  onElicitation?: OnElicitation;
  /** Shows dialogs of the kinds in `supportedDialogKinds`. Without it they stay unanswered. */
  onUserDialog?: OnUserDialog;
  /**
   * The kinds of dialogs that `onUserDialog` can show. An agent asks for no other kinds; Heddle's own agent asks for
   * none.
   */
  supportedDialogKinds?: string[];
  /**
   * Receives the stderr of the agent process, and the warnings of an engine in this process. Without it, warnings
   * become warnings of this process (`HeddleWarning`), and the rest is dropped.
   */
  stderr?: (text: string) => void;
  /**
   * Called for each line that could not be read, and for each function of this program (`canUseTool`, hooks, tools,
   * stores) that threw or gave no answer (`callback_failed`, with the error as `cause`). The stream continues. Default:
   * a warning, as with `stderr`.
   */
  onError?: (error: HeddleError) => void;
}
