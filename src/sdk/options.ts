import type { JsonObject } from '../util/json.ts';
import type { HeddleError } from '../wire/errors.ts';
import type { PermissionModeName, PermissionResult, PermissionUpdate } from '../wire/permissions.ts';
import type { Connect } from '../wire/run-config.ts';
import type { SandboxSettings } from '../wire/sandbox-settings.ts';

/** Decides a tool call that no rule has decided. The input may be changed; a throw counts as a denial. */
export type CanUseTool = (
  toolName: string,
  input: JsonObject,
  options: {
    /** Aborts when the question is withdrawn: the turn was interrupted. */
    signal: AbortSignal;
    suggestions?: PermissionUpdate[];
    blockedPath?: string;
    decisionReason?: string;
    toolUseID: string;
    agentID?: string;
  },
) => Promise<PermissionResult>;

export type SystemPromptOption = string | { type: 'preset'; preset: string; append?: string };

export type ThinkingOption = { type: 'adaptive' } | { type: 'enabled'; budgetTokens?: number } | { type: 'disabled' };

/** Options of `query`. Names and meanings are the reference SDK's; docs/sdk.md explains each. */
export interface Options {
  // environment
  /** Cancels everything: the iterator rejects with AbortError. To end only the turn, use `interrupt()`. */
  abortController?: AbortController;
  cwd?: string;
  /** Replaces the environment of the agent process; it does not extend it. Default: this process's. */
  env?: Record<string, string | undefined>;
  executable?: 'node' | 'bun' | 'deno';
  executableArgs?: string[];
  /** The agent to run instead of the one in this package: a script or a binary. */
  pathToClaudeCodeExecutable?: string;
  /** Further flags; null for a flag without a value. */
  extraArgs?: Record<string, string | null>;
  stderr?: (text: string) => void;
  /** Where the agent runs. Default: a subprocess. `inProcess(engine)` of `heddle/engine` runs it here. */
  transport?: Connect;
  /** Called for each line that could not be read; the stream goes on. Default: a warning on stderr. */
  onError?: (error: HeddleError) => void;

  // model
  model?: string;
  fallbackModel?: string;
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  thinking?: ThinkingOption;
  maxThinkingTokens?: number;
  maxTurns?: number;
  maxBudgetUsd?: number;
  /** Ends a turn that takes longer with an error result. */
  maxDurationMs?: number;
  /** The answer must fit this schema; it is then in `result.structured_output`. */
  outputFormat?: { type: 'json_schema'; schema: JsonObject };
  betas?: string[];
  systemPrompt?: SystemPromptOption;

  // tools and permissions
  additionalDirectories?: string[];
  tools?: string[] | { type: 'preset'; preset: string };
  allowedTools?: string[];
  disallowedTools?: string[];
  permissionMode?: PermissionModeName;
  allowDangerouslySkipPermissions?: boolean;
  canUseTool?: CanUseTool;
  settings?: string | JsonObject;
  /** Confines the commands of the agent; docs/sandbox.md explains each key. */
  sandbox?: SandboxSettings;
  settingSources?: ('user' | 'project' | 'local')[];

  // session
  continue?: boolean;
  resume?: string;
  forkSession?: boolean;
  resumeSessionAt?: string;
  sessionId?: string;
  persistSession?: boolean;
  /** Keeps files as they were at each user message, for `rewindFiles`. */
  enableFileCheckpointing?: boolean;

  // output
  includePartialMessages?: boolean;
  /** Adds a `tool_use_summary` message after each round of tool calls. */
  toolUseSummaries?: boolean;
  debug?: boolean;
  debugFile?: string;
  /** Milliseconds to wait for the agent's first answer. Default 60,000. */
  initializeTimeoutMs?: number;
}
