import type { Readable, Writable } from 'node:stream';
import type { CustomTool } from '../../define/tool.ts';
import type { JsonObject } from '../../util/json.ts';
import type { AgentDefinition } from '../../wire/agent-definition.ts';
import type { CallPreview } from '../../wire/control/index.ts';
import type { HookEvent, HookInput, HookOutput } from '../../wire/hooks/hooks.ts';
import type {
  McpHttpServerConfig,
  McpServerToolPolicy,
  McpSseServerConfig,
  McpStdioServerConfig,
} from '../../wire/mcp.ts';
import type { PermissionResult, PermissionUpdate } from '../../wire/permissions.ts';
import type { ThinkingDisplay } from '../../wire/thinking-display.ts';

/**
 * Decides a tool call that no rule decides. It may change the input; a throw counts as a denial. Null means that the
 * answer reaches the agent another way, under `requestId`: the SDK sends nothing, and the call waits.
 */
export type CanUseTool = (
  toolName: string,
  input: JsonObject,
  options: {
    /** Aborts when the agent withdraws the question, for example after an interrupt. */
    signal: AbortSignal;
    /** Changes of the rules that would answer this question for good. Return them as `updatedPermissions`. */
    suggestions?: PermissionUpdate[];
    /** The path that caused the question. */
    blockedPath?: string;
    decisionReason?: string;
    toolUseID: string;
    /** Set when a subagent asks. */
    agentID?: string;
    /** The question as a sentence, where the agent sends one. Text of the model comes after a colon, escaped. */
    title?: string;
    /** The kind of action in a word or two, for a button. */
    displayName?: string;
    /** Why the agent asks. */
    description?: string;
    /** A dialog should open on "no", and have no single key for "yes". */
    defaultToNo?: boolean;
    /** A dialog should not offer "always allow": no rule would answer this question the next time. */
    suppressAlwaysAllowRule?: boolean;
    /** The rule of `permissions.ask` that requires a person to decide. */
    matchedAskRule?: { source: string; toolName: string; ruleContent?: string };
    /**
     * For tools of MCP servers. The source `sdk` means a server of this program; any other server was configured
     * elsewhere, and its name is not trustworthy.
     */
    mcpServer?: { name: string; source: string };
    /** With `permissionPreviews`: what the call would change, computed from the file as it is now. */
    preview?: CallPreview;
    /** The id of the control request that asks. */
    requestId: string;
  },
) => Promise<PermissionResult | null>;

/**
 * A text replaces the prompt; an array has several blocks and may contain SYSTEM_PROMPT_DYNAMIC_BOUNDARY; the preset is
 * the agent's own prompt.
 */
export type SystemPromptOption =
  | string
  | string[]
  | {
      type: 'custom';
      prompt: string | string[];
      /** Whether a resume reuses the earlier prompt. Heddle always uses the options. */
      snapshot?: boolean;
    }
  | {
      type: 'preset';
      preset: 'claude_code';
      append?: string;
      /** Leaves text that changes with place and time out of the prompt. Heddle always does. */
      excludeDynamicSections?: boolean;
      snapshot?: boolean;
    };

/** How the model may think before it answers, and how the thinking is shown. Default: the provider decides. */
export type ThinkingConfig =
  | { type: 'adaptive'; display?: ThinkingDisplay }
  | { type: 'enabled'; budgetTokens?: number; display?: ThinkingDisplay }
  | { type: 'disabled' };

export type { EffortLevel } from '../../wire/effort-levels.ts';

/** The settings files of a user, of a project, and of this user in a project. */
export type SettingSource = 'user' | 'project' | 'local';

/** A beta feature of the model's API. Names other than the known one pass, too. */
export type SdkBeta = 'context-1m-2025-08-07' | (string & {});

/** A zod schema of any version and copy, by the type of its output. */
export type ZodSchemaOf<Output> = { _zod: { output: Output } } | { _output: Output; _def: { typeName?: unknown } };

/** The answer must match this JSON Schema, or this zod schema. */
export interface JsonSchemaOutputFormat<Output = unknown> {
  type: 'json_schema';
  schema: JsonObject | ZodSchemaOf<Output>;
}

/**
 * The shape that the answer must have; `result.structured_output` then holds it. A zod schema (4 or 3) also gives the
 * output its type, and the value is zod's result: defaults filled in, transforms applied.
 *
 * @example
 * import * as z from 'zod';
 *
 * const outputFormat = z.object({ tests: z.number().int() });
 * for await (const message of query({ prompt: 'How many tests are there?', options: { outputFormat } })) {
 *   if (message.type === 'result') console.log(successOf(message).structured_output.tests);
 * }
 */
export type OutputFormat<Output = unknown> = JsonSchemaOutputFormat<Output> | ZodSchemaOf<Output>;

/** Names of tools, and tools of this program, made with `tool`; or all tools of the agent. */
export type ToolsOption = (string | CustomTool)[] | { type: 'preset'; preset: 'claude_code' };

/** A directory that holds a plugin. */
export interface SdkPluginConfig {
  type: 'local';
  path: string;
  /** Leaves out the plugin's MCP servers, because the host runs them itself. */
  skipMcpDiscovery?: boolean;
}

/** A server of the official MCP SDK, or any object with the same `connect`. */
export interface McpServerInstance {
  /** The type of the transport belongs to the MCP SDK, whose version the program chooses. */
  connect(transport: unknown): Promise<void>;
  close?(): Promise<void>;
}

/** A server in this program; `createSdkMcpServer` makes one. */
export interface McpSdkServerConfigWithInstance {
  type: 'sdk';
  name: string;
  instance: McpServerInstance;
  /** The longest duration of a call, in milliseconds. */
  timeout?: number;
  /** The permission for calls, by tool; `always_allow` has no effect in Heddle. */
  tools?: McpServerToolPolicy[];
}

/** A server that the agent connects to by itself. */
export type McpServerConfigForProcess = McpStdioServerConfig | McpSseServerConfig | McpHttpServerConfig;

export type McpServerConfig = McpServerConfigForProcess | McpSdkServerConfigWithInstance;

/** Called when its event happens. Its return value is the hook's answer; `{}` has no effect. */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  /** The signal aborts when the agent no longer needs the answer. */
  options: { signal: AbortSignal },
) => Promise<HookOutput>;

/** The callbacks of an event for the tools (or other subjects) that match the pattern; without a pattern, for all. */
export interface HookCallbackMatcher {
  matcher?: string;
  hooks: HookCallback[];
  /** The longest duration of each callback, in seconds. */
  timeout?: number;
  /**
   * What happens when a callback fails or takes too long: `block` forbids the action, `continue` (or `ignore`) lets it
   * happen. Default: `block` for `PreToolUse`, `continue` for all other events.
   */
  onFailure?: 'block' | 'continue' | 'ignore';
}

export type HooksOption = Partial<Record<HookEvent, HookCallbackMatcher[]>>;

/** Subagents by name. */
export type AgentsOption = Record<string, AgentDefinition>;

/** A dialog that an agent asks the host to show; its kind determines the payload. Heddle's own agent asks for none. */
export interface UserDialogRequest {
  dialogKind: string;
  payload: JsonObject;
  /** The call that the dialog belongs to, if any. */
  toolUseID?: string;
}

/** The user's choice, in the form of the dialog's kind. Answer `cancelled` for an unknown kind. */
export type UserDialogResult = { behavior: 'completed'; result: unknown } | { behavior: 'cancelled' };

/** Shows a dialog. Null: the answer reaches the agent another way, as with `CanUseTool`. */
export type OnUserDialog = (
  request: UserDialogRequest,
  options: { signal: AbortSignal; requestId: string },
) => Promise<UserDialogResult | null>;

/** An MCP server asks for information. */
export interface ElicitationRequest {
  serverName: string;
  message: string;
  mode?: 'form' | 'url';
  url?: string;
  elicitationId?: string;
  requestedSchema?: JsonObject;
  /** A heading and a label for the question, where the server sends them. */
  title?: string;
  displayName?: string;
  description?: string;
}

/** The answer to an MCP server. */
export interface ElicitationResult {
  action: 'accept' | 'decline' | 'cancel';
  content?: JsonObject;
}

/**
 * Answers an MCP server on behalf of the user. Null: the answer reaches the agent another way, as with `CanUseTool`.
 */
export type OnElicitation = (
  request: ElicitationRequest,
  options: { signal: AbortSignal; requestId: string },
) => Promise<ElicitationResult | null>;

/** How to start a process. */
export interface SpawnOptions {
  command: string;
  args: string[];
  cwd?: string;
  env: Record<string, string | undefined>;
  /** Aborts when the process must end. */
  signal: AbortSignal;
}

/** A running process on any machine. A ChildProcess is one. */
export interface SpawnedProcess {
  stdin: Writable;
  stdout: Readable;
  stderr?: Readable | null;
  readonly pid?: number | undefined;
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly signalCode?: string | null;
  kill(signal: NodeJS.Signals): boolean;
  on(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}

/** Starts the agent process instead of this package: in a container, a virtual machine, on another host. */
export type SpawnProcess = (options: SpawnOptions) => SpawnedProcess;
