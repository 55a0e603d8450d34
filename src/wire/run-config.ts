import type { Transport } from './link/transport.ts';
import type { ThinkingDisplay } from './thinking-display.ts';

export type OutputFormat = 'text' | 'json' | 'stream-json';
export type InputFormat = 'text' | 'stream-json';

/**
 * The configuration of a run, as plain data. The SDK makes one from its options; a subprocess gets it as flags
 * (`wire/flags.ts` converts it), an engine in this process gets it directly. Values are unchanged: nothing is resolved
 * or defaulted here.
 */
export interface RunConfig {
  // the conversation
  model?: string;
  fallbackModel?: string;
  effort?: string;
  thinking?: string;
  maxThinkingTokens?: number;
  /** How much of its thinking the model shows: `summarized` or `omitted`. Default: the provider's. */
  thinkingDisplay?: ThinkingDisplay;
  betas?: string[];
  systemPrompt?: string;
  systemPromptFile?: string;
  appendSystemPrompt?: string;
  appendSystemPromptFile?: string;
  jsonSchema?: string;
  maxTurns?: number;
  maxBudgetUsd?: number;
  maxDurationMs?: number;
  /** How many seconds Heddle waits for background work when the input has ended. Default: 3600. */
  backgroundWait?: number;
  /** Runs the Setup hooks with the trigger `init` first. */
  init?: boolean;
  /** Runs the Setup hooks with the trigger `init`, then ends. */
  initOnly?: boolean;
  /** Runs the Setup hooks with the trigger `maintenance` first. */
  maintenance?: boolean;
  /** Whether the model may lead a team of agents. */
  teams?: boolean;
  /** What Heddle does with background work when the input has ended: `wait` (the default), or `stop`. */
  onEnd?: 'wait' | 'stop';
  /** Lets commands outlive the session, where the model asks for it. */
  allowDetach?: boolean;
  /** `auto`, `off`, or the number of tokens at which the conversation is compacted. */
  autoCompact?: string;
  /** Adds a line that sums up each round of tool calls. */
  toolUseSummaries?: boolean;

  // what it may do
  tools?: string[];
  /**
   * The names of the tools that the host declares in `initialize`, so that Heddle understands rules about them earlier.
   */
  hostTools?: string[];
  allowedTools?: string[];
  disallowedTools?: string[];
  permissionMode?: string;
  permissionPromptTool?: string;
  permissionPrompts?: string;
  dangerouslySkipPermissions?: boolean;
  allowDangerouslySkipPermissions?: boolean;
  addDir?: string[];

  // the session
  continue?: boolean;
  /** A session id; `true`: the flag without a value. */
  resume?: string | true;
  forkSession?: boolean;
  resumeSessionAt?: string;
  /** Only the turn of this prompt may be dropped by `resumeSessionAt`. */
  resumeDropsTurn?: string;
  /** Continues the unfinished turn of the resumed session, without a new message. */
  continueTurn?: boolean;
  sessionId?: string;
  /**
   * What to do when the session to resume does not exist: `error` (the default), or `fresh`, which starts a new
   * session.
   */
  onMissing?: string;
  /** What to do when another process writes to the session: `refuse` (the default), `wait` or `fork`. */
  onBusy?: string;
  /** `host`: the host stores the session. */
  sessionStore?: string;
  /** Also prints each entry of the transcripts when it is stored, for hosts that keep a copy. */
  sessionMirror?: boolean;
  noSessionPersistence?: boolean;
  /** Works in a git worktree of this name; `true`: with a generated name. */
  worktree?: string | true;
  name?: string;
  /** Has no flag: a subprocess reads CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING, as in the reference. */
  fileCheckpointing?: boolean;

  // where configuration comes from
  settings?: string;
  /** Trusts the files of the project for this run. */
  trust?: boolean;
  managedSettings?: string;
  /** The `initialize` request, which must be the first line, brings the managed settings. */
  managedSettingsInInitialize?: boolean;
  settingSources?: string[];
  /** Reads no settings, memory, servers, skills or plugins unless the launch names them, and has few tools. */
  bare?: boolean;
  /** Reads only the rules, the model and the environment of settings, and nothing that changes how the agent works. */
  safeMode?: boolean;
  mcpConfig?: string[];
  strictMcpConfig?: boolean;
  agents?: string;
  agent?: string;
  pluginDir?: string[];
  /** Plugin directories whose MCP servers are left out, because the host runs these itself. */
  pluginDirNoMcp?: string[];
  /** Addresses of archives with plugins, which are fetched for this run. */
  pluginUrl?: string[];
  /** Opens nothing before the first line, an `initialize` request that brings the plugins. */
  awaitInitialize?: boolean;
  disableSlashCommands?: boolean;
  /** Takes prompts literally: no slash commands, no `@path`. */
  verbatimPrompts?: boolean;

  // what is printed
  verbose?: boolean;
  outputFormat?: OutputFormat;
  inputFormat?: InputFormat;
  includePartialMessages?: boolean;
  includeHookEvents?: boolean;
  forwardSubagentText?: boolean;
  replayUserMessages?: boolean;
  /** Prints the conversation so far after the first init line of a resumed session. */
  replayHistory?: boolean;
  /** `true`: everything; a text: only the named categories. */
  debug?: string | true;
  debugFile?: string;
  debugToStderr?: boolean;
  /** Turns off the progress display of the command line. */
  noProgress?: boolean;
  /** The terminal stores no prompts and no draft. */
  noHistory?: boolean;
  /** The file that records the traffic with the model; relative to the working directory. */
  record?: string;
  print?: boolean;
}

/** Everything that starts a run: its configuration, its directory and its environment. */
export interface Launch {
  config: RunConfig;
  /** Default: the engine's or this process's working directory. */
  cwd?: string;
  /** Replaces the environment instead of extending it. Default: the engine's or this process's. */
  env?: Record<string, string | undefined>;
  /** Receives what the far end writes to its stderr. */
  stderr?: (text: string) => void;
}

/** Opens a connection to an agent: a subprocess, an engine in this process, or a transport of the host. */
export type Connect = (launch: Launch) => Transport;
