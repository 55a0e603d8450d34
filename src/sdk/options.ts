import type { ReferenceSessionStore, SessionStoreFlush } from '../sessions/reference-store-types.ts';
import type { SessionStore } from '../sessions/store.ts';
import type { JsonObject } from '../util/json.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { HeddleError } from '../wire/errors.ts';
import type { PermissionModeName } from '../wire/permissions.ts';
import type { Connect } from '../wire/run-config.ts';
import type { SandboxSettings } from '../wire/sandbox-settings.ts';
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
 * How an agent is to run: the options of `query`, of sessions and of the client. Names and meanings are the reference
 * SDK's; docs/sdk.md has them in one table. What is wrong with a value is said before anything starts
 * (`invalid_option`).
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

/** The same as functions take it, which in a place or two is more than programs that read options back expect. */
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

/** Where and as what the agent runs. */
export interface EnvironmentOptions {
  /** Cancels everything: the iterator rejects with AbortError. To end only the turn, use `interrupt()`. */
  abortController?: AbortController;
  /** The working directory. Default: this process's. */
  cwd?: string;
  /** Replaces the environment of the agent process; it does not extend it. Default: this process's. */
  env?: Record<string, string | undefined>;
  /** What runs an agent that is a script. Default: what runs this program. */
  executable?: 'node' | 'bun' | 'deno';
  /** Arguments of the executable, before the script. */
  executableArgs?: string[];
  /** The agent to run instead of the one in this package: a script or a binary. */
  pathToHeddleExecutable?: string;
  /** The same under the name of the reference. */
  pathToClaudeCodeExecutable?: string;
  /** Further flags; null for a flag without a value. */
  extraArgs?: Record<string, string | null>;
  /** The user that the agent process runs as, by name or id. Needs the right to become that user. */
  user?: string | number;
  /** Starts the agent process in place of this package: in a container, on another machine. */
  spawn?: SpawnProcess;
  /** The same under the name of the reference. */
  spawnClaudeCodeProcess?: SpawnProcess;
  /** The longest line of the agent that is read, in bytes; a longer one ends the stream. Default: 256 MB. */
  maxBufferSize?: number;
  /** Where the agent runs. Default: a subprocess. `inProcess(engine)` of `heddle/engine` runs it here. */
  transport?: Connect;
  /** Milliseconds to wait for the agent's first answer. Default: 60,000. */
  initializeTimeoutMs?: number;
  /** Diagnostics of the agent on its stderr. */
  debug?: boolean;
  /** Diagnostics of the agent in a file. */
  debugFile?: string;
}

/** Which model answers, how hard it thinks, and where it stops. */
export interface ModelOptions<Output = unknown> {
  /** A name or an alias. Default: the agent's. */
  model?: string;
  /** The model to use when the first one is overloaded or missing; several are separated by commas. */
  fallbackModel?: string;
  /** How much work the model puts into an answer. */
  effort?: EffortLevel;
  thinking?: ThinkingConfig;
  /** The most tokens for thinking. `thinking` says it better. */
  maxThinkingTokens?: number;
  /** The most rounds of tool calls in a turn. */
  maxTurns?: number;
  /** US dollars that the session may cost. */
  maxBudgetUsd?: number;
  /** Ends a turn that takes longer with an error result. */
  maxDurationMs?: number;
  /** Commands in the background may outlive the session, where the model asks for it. */
  allowDetach?: boolean;
  /** The model may lead a team: agents that go on between their turns and send messages to each other. */
  teams?: boolean;
  /** Seconds that work in the background is waited for when the input has ended. Default: 3600. */
  backgroundWait?: number;
  /** What becomes of work in the background when the input has ended. Default: it is waited for. */
  onEnd?: 'wait' | 'stop';
  /** Tokens that the model is told it may spend on its task. */
  taskBudget?: { total: number };
  /** The answer must fit this schema, of zod or JSON Schema; it is then in `result.structured_output`. */
  outputFormat?: OutputFormat<Output>;
  /** Beta features of the model's API. */
  betas?: SdkBeta[];
  /** Left out: no system prompt at all, as in the reference. */
  systemPrompt?: SystemPromptOption;
  /** How to work in plan mode, instead of the agent's own words. */
  planModeInstructions?: string;
}

/** Which tools there are, and which may run without asking. */
export interface ToolOptions {
  /**
   * The tools that exist: names, and tools of this program made with `tool`, which have their own names. `'default'` among
   * them stands for all that the agent has. Default: all of these.
   */
  tools?: ToolsOption;
  /** Rules for calls that run without asking: `Read`, `Bash(git:*)`. */
  allowedTools?: string[];
  /** Rules for calls that are denied in every mode; a bare name takes the tool away. */
  disallowedTools?: string[];
  /** Other names for tools: what the model calls, and what it gets. */
  toolAliases?: Record<string, string>;
  /** How single tools behave. */
  toolConfig?: { askUserQuestion?: { previewFormat?: 'markdown' | 'html' } };
  /** Directories to work in besides `cwd`. */
  additionalDirectories?: string[];
  /** What happens to calls that no rule has decided. Default: `default`, which asks. */
  permissionMode?: PermissionModeName;
  /** Needed for the mode `bypassPermissions`. */
  allowDangerouslySkipPermissions?: boolean;
  /** Decides what rules and mode leave open. */
  canUseTool?: CanUseTool;
  /** An MCP tool that decides in place of `canUseTool`: `mcp__server__tool`. */
  permissionPromptToolName?: string;
  /** `none`: what would have to be asked is denied at once. */
  permissionPrompts?: 'host' | 'none';
  /** Confines the commands of the agent; docs/sandbox.md explains each key. */
  sandbox?: SandboxSettings;
}

/** What the agent can use beside its own tools. */
export interface ExtensionOptions {
  /** MCP servers by name. Functions also take the path of a file that configures them. */
  mcpServers?: Record<string, McpServerConfig>;
  /** Uses these MCP servers only, none of the settings. */
  strictMcpConfig?: boolean;
  /** Subagents by name. */
  agents?: AgentsOption;
  /** The agent that the main thread runs as, by name. */
  agent?: string;
  /** Plugins in directories of this machine. */
  plugins?: SdkPluginConfig[];
  /** How they reach the agent: as flags, or with its first request, however many they are. Default: `argv`. */
  pluginDelivery?: 'argv' | 'initialize';
  /** Skills that may be used without asking: all, or those that are named. */
  skills?: 'all' | string[];
  /** Callbacks by event. */
  hooks?: HooksOption;
}

/** Which conversation it is, what is kept of it, and which settings hold. */
export interface SessionStateOptions {
  /** Goes on with the last session of this directory. */
  continue?: boolean;
  /** Goes on with this session. */
  resume?: string;
  /** Goes on with a copy of the session and leaves the original alone. */
  forkSession?: boolean;
  /** Goes on from this message of the session. */
  resumeSessionAt?: string;
  /**
   * With `resumeSessionAt`: the uuid of the prompt whose turn it means to leave behind. When anything else would be left
   * behind, the result is an error that begins with `Resume rejected by --resume-drops-turn:`.
   */
  resumeDropsTurn?: string;
  /** The id of the new session. Default: chosen by the agent. */
  sessionId?: string;
  /** The title of the session. */
  title?: string;
  /** What to do when the session to go on with is not there. Default: `error`. */
  onMissing?: 'error' | 'fresh';
  /** What to do when another process writes to the session. Default: `refuse`. */
  onBusy?: 'refuse' | 'wait' | 'fork';
  /** False: nothing is stored. */
  persistSession?: boolean;
  /** Where the session is kept: entries come here instead of to the agent's disk. One written for the reference will do. */
  sessionStore?: SessionStore | ReferenceSessionStore;
  /** Of a `sessionStore` that was written for the reference: how entries are handed to it. Default: `batched`. */
  sessionStoreFlush?: SessionStoreFlush;
  /**
   * How long each `load` and each `list` of `sessionStore` may take. Then the run ends with an error that says so, instead
   * of waiting for ever. Default: 60000.
   */
  loadTimeoutMs?: number;
  /** Keeps files as they were at each user message, for `rewindFiles`. */
  enableFileCheckpointing?: boolean;
  /** An object, JSON text or the path of a file; stronger than all settings files. */
  settings?: string | JsonObject;
  /** Which settings files are read. Left out: none. */
  settingSources?: SettingSource[];
  /** Settings that can only forbid, above all others. */
  managedSettings?: JsonObject;
  /** A directory whose project settings hold in place of those of `cwd`. */
  projectConfigRoot?: string;
}

/** What the host is told and asked. */
export interface ObserverOptions {
  /** Adds `stream_event` messages. */
  includePartialMessages?: boolean;
  /** Adds messages for every hook that runs. */
  includeHookEvents?: boolean;
  /** Adds a `tool_use_summary` message after each round of tool calls. */
  toolUseSummaries?: boolean;
  /** Adds the whole text of subagents, with the id of the call that started them. */
  forwardSubagentText?: boolean;
  /** Adds a line now and then on what a subagent is doing. */
  agentProgressSummaries?: boolean;
  /** Adds a guess at the next prompt after each turn. */
  promptSuggestions?: boolean;
  /** Begins a resumed session with the messages that it holds. */
  replayHistory?: boolean;
  /** The host can stop each background task, so an interrupt leaves them alone. */
  perTaskStopAffordance?: boolean;
  /** Prompts are taken as they are: no `@path`, no slash commands. */
  verbatimPrompts?: boolean;
  /**
   * The version of the reference in whose forms the agent speaks, where versions differ: the output of slash commands, a
   * word behind a slash that is no command, `stop_reason` of results. Default: `2.1.325`; `2.1.44` for hosts that were
   * written for the SDK 0.2.
   */
  clientDialect?: Dialect;
  /** Answers MCP servers that ask for input. Without it they are declined. */
  onElicitation?: OnElicitation;
  /** Shows dialogs of the kinds in `supportedDialogKinds`. Without it they stay without an answer. */
  onUserDialog?: OnUserDialog;
  /** The kinds of dialogs that `onUserDialog` can show. An agent asks for no others; Heddle's own for none at all. */
  supportedDialogKinds?: string[];
  /**
   * Receives what the agent process writes to stderr, and the warnings of an engine in this one. Without it, warnings are
   * those of this process (`HeddleWarning`), and the rest is dropped.
   */
  stderr?: (text: string) => void;
  /**
   * Called for each line that could not be read, and for each function of this program (`canUseTool`, hooks, tools, stores)
   * that threw or gave no answer (`callback_failed`, with the error as `cause`). The stream goes on. Default: a warning, as
   * with `stderr`.
   */
  onError?: (error: HeddleError) => void;
}
