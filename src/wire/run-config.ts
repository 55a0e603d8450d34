import type { ThinkingDisplay } from './thinking-display.ts';
import type { Transport } from './transport.ts';

export type OutputFormat = 'text' | 'json' | 'stream-json';
export type InputFormat = 'text' | 'stream-json';

/**
 * How a run is configured, as plain data. The SDK makes one from its options; a subprocess gets it as flags
 * (`wire/flags.ts` is the codec), an in-process engine gets it as it is. One vocabulary, so that both behave the same.
 * Values are as given: nothing is resolved or defaulted here.
 */
export interface RunConfig {
  // the conversation
  model?: string;
  fallbackModel?: string;
  effort?: string;
  thinking?: string;
  maxThinkingTokens?: number;
  /** What of its thinking the model shows: `summarized` or `omitted`. Default: the provider's. */
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
  /** Seconds that work in the background is waited for when the input has ended. Default: 3600. */
  backgroundWait?: number;
  /** The project is made ready first: hooks of the event Setup run. */
  init?: boolean;
  /** The same, and nothing else. */
  initOnly?: boolean;
  /** The project is looked after first: the same event says so. */
  maintenance?: boolean;
  /** Whether the model may lead a team of agents (ruling K22). */
  teams?: boolean;
  /** What becomes of such work: `wait` (the default) for its end, or `stop` it. */
  onEnd?: 'wait' | 'stop';
  /** Lets commands outlive the session, where the model asks for it. */
  allowDetach?: boolean;
  /** `auto`, `off`, or the number of tokens at which the conversation is compacted. */
  autoCompact?: string;
  /** Adds a line that sums up each round of tool calls. */
  toolUseSummaries?: boolean;

  // what it may do
  tools?: string[];
  /** The names of the tools that the host brings with `initialize`, so that rules about them are understood before. */
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
  /** `true`: the flag without a value. */
  resume?: string | true;
  forkSession?: boolean;
  resumeSessionAt?: string;
  /** The prompt whose turn, and nothing else, that may leave behind. */
  resumeDropsTurn?: string;
  sessionId?: string;
  /** What to do when the session to go on with is not there: `error` (the default), or `fresh`, which starts anew. */
  onMissing?: string;
  /** What to do when another process writes to the session: `refuse` (the default), `wait` or `fork`. */
  onBusy?: string;
  /** `host`: the session is kept by whoever is at the other end of the connection (ruling K42). */
  sessionStore?: string;
  /** Prints every entry of the transcripts, too, when it is stored: for hosts that keep a copy. */
  sessionMirror?: boolean;
  noSessionPersistence?: boolean;
  /** Works in a git worktree of this name; `true`: of a made-up one. */
  worktree?: string | true;
  name?: string;
  /** Has no flag: a subprocess is told by CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING, as in the reference. */
  fileCheckpointing?: boolean;

  // where configuration comes from
  settings?: string;
  /** Believes the files of the project for this run (ruling G1). */
  trust?: boolean;
  managedSettings?: string;
  /** The same come with the `initialize` request, which must be the first line. */
  managedSettingsInInitialize?: boolean;
  settingSources?: string[];
  /** Reads nothing that lies around: no settings, memory, servers, skills, plugins; few tools. What the launch names counts. */
  bare?: boolean;
  /** Reads the rules, the model and the environment of settings, and nothing that changes how the agent works. */
  safeMode?: boolean;
  mcpConfig?: string[];
  strictMcpConfig?: boolean;
  agents?: string;
  agent?: string;
  pluginDir?: string[];
  /** The same, but for their MCP servers: the host has these itself. */
  pluginDirNoMcp?: string[];
  /** Nothing is opened before the first line, which is an `initialize` request: it brings the plugins. */
  awaitInitialize?: boolean;
  disableSlashCommands?: boolean;
  /** Takes prompts as they are: no slash commands, no `@path`. */
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
  /** `true`: everything; a text: only what it names. */
  debug?: string | true;
  debugFile?: string;
  debugToStderr?: boolean;
  /** No display of what goes on, where the command line would have one. */
  noProgress?: boolean;
  /** Where the traffic with the model is recorded; relative to the working directory. */
  record?: string;
  print?: boolean;
}

/** Everything that starts a run: its configuration, where it runs and with which environment. */
export interface Launch {
  config: RunConfig;
  /** Default: the engine's or this process's working directory. */
  cwd?: string;
  /** Replaces the environment instead of extending it (ruling K8). Default: the engine's or this process's. */
  env?: Record<string, string | undefined>;
  /** Receives what the far end writes to its stderr. */
  stderr?: (text: string) => void;
}

/** Opens a connection to an agent: a subprocess, an engine in this process, or what a host supplies. */
export type Connect = (launch: Launch) => Transport;
