import type { Readable, Writable } from 'node:stream';
import type { CustomTool } from '../define/tool.ts';
import type { JsonObject } from '../util/json.ts';
import type { AgentDefinition } from '../wire/agent-definition.ts';
import type { HookEvent, HookInput, HookOutput } from '../wire/hooks.ts';
import type {
  McpHttpServerConfig,
  McpServerToolPolicy,
  McpSseServerConfig,
  McpStdioServerConfig,
} from '../wire/mcp.ts';
import type { PermissionResult, PermissionUpdate } from '../wire/permissions.ts';
import type { ThinkingDisplay } from '../wire/thinking-display.ts';

/**
 * Decides a tool call that no rule has decided. The input may be changed; a throw counts as a denial. Null says that the
 * answer goes to the agent another way, under `requestId`: nothing is sent from here, and the call waits for it.
 */
export type CanUseTool = (
  toolName: string,
  input: JsonObject,
  options: {
    /** Aborts when the question is withdrawn: the turn was interrupted. */
    signal: AbortSignal;
    /** Changes of the rules that would answer this question for good; to be handed back as `updatedPermissions`. */
    suggestions?: PermissionUpdate[];
    /** The path that made it a question. */
    blockedPath?: string;
    decisionReason?: string;
    toolUseID: string;
    /** Set when a subagent asks. */
    agentID?: string;
    /** The question as a sentence, where the agent sends one. What the model wrote stands behind a colon, escaped. */
    title?: string;
    /** What kind of thing it is, in a word or two: for a button. */
    displayName?: string;
    /** Why it is asked. */
    description?: string;
    /** A dialog should open on "no", and have no single key for "yes". */
    defaultToNo?: boolean;
    /** A dialog should not offer "always allow": no rule would answer this question the next time. */
    suppressAlwaysAllowRule?: boolean;
    /** The rule of `permissions.ask` that wants a person to decide. */
    matchedAskRule?: { source: string; toolName: string; ruleContent?: string };
    /**
     * For tools of MCP servers. `sdk` as the source means a server of this program; any other was configured somewhere
     * else, and its name is not to be trusted.
     */
    mcpServer?: { name: string; source: string };
    /** Of the control request that asks. */
    requestId: string;
  },
) => Promise<PermissionResult | null>;

/**
 * A text replaces the prompt, an array is one of several blocks, SYSTEM_PROMPT_DYNAMIC_BOUNDARY may be among them; the
 * preset is the agent's own prompt.
 */
export type SystemPromptOption =
  | string
  | string[]
  | {
      type: 'custom';
      prompt: string | string[];
      /** Whether a resume sends what was sent before. Here it sends what the options say. */
      snapshot?: boolean;
    }
  | {
      type: 'preset';
      preset: 'claude_code';
      append?: string;
      /** What changes with place and time is kept out of the prompt. That is always so here. */
      excludeDynamicSections?: boolean;
      snapshot?: boolean;
    };

/** How the model may think before it answers, and what of that is shown; the provider decides where nothing is said. */
export type ThinkingConfig =
  | { type: 'adaptive'; display?: ThinkingDisplay }
  | { type: 'enabled'; budgetTokens?: number; display?: ThinkingDisplay }
  | { type: 'disabled' };

export type { EffortLevel } from '../wire/effort-levels.ts';

/** The settings files of a user, of a project, and of this user in a project. */
export type SettingSource = 'user' | 'project' | 'local';

/** A beta feature of the model's API. Others than the known one pass, too. */
export type SdkBeta = 'context-1m-2025-08-07' | (string & {});

/** A schema of zod, of whichever version and copy, by what its values are in the end. */
export type ZodSchemaOf<Output> = { _zod: { output: Output } } | { _output: Output; _def: { typeName?: unknown } };

/** The answer must fit this JSON Schema, or this schema of zod. */
export interface JsonSchemaOutputFormat<Output = unknown> {
  type: 'json_schema';
  schema: JsonObject | ZodSchemaOf<Output>;
}

/**
 * The shape that the answer must have; it is then in `result.structured_output`. A schema of zod (4 or 3) gives that its
 * type, and what it holds is what zod has made of the answer: defaults filled in, transforms applied.
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

/** Names of tools, and tools of this program, made with `tool`; or all that the agent has. */
export type ToolsOption = (string | CustomTool)[] | { type: 'preset'; preset: 'claude_code' };

/** A directory that holds a plugin. */
export interface SdkPluginConfig {
  type: 'local';
  path: string;
  /** Its MCP servers are left out: the host has them itself. */
  skipMcpDiscovery?: boolean;
}

/** A server of the official MCP SDK, or anything else that can be connected like one. */
export interface McpServerInstance {
  /** The type of the transport belongs to the MCP SDK, whose version is the user's. */
  connect(transport: unknown): Promise<void>;
  close?(): Promise<void>;
}

/** A server that lives in this program; `createSdkMcpServer` makes one. */
export interface McpSdkServerConfigWithInstance {
  type: 'sdk';
  name: string;
  instance: McpServerInstance;
  /** Milliseconds that a call may take. */
  timeout?: number;
  /** What is to become of calls, by tool; `always_allow` has no effect here. */
  tools?: McpServerToolPolicy[];
}

/** A server that the agent reaches by itself. */
export type McpServerConfigForProcess = McpStdioServerConfig | McpSseServerConfig | McpHttpServerConfig;

export type McpServerConfig = McpServerConfigForProcess | McpSdkServerConfigWithInstance;

/** Called when its event happens. What it returns is the hook's answer; `{}` is none. */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  /** The signal aborts when the answer is not needed any more. */
  options: { signal: AbortSignal },
) => Promise<HookOutput>;

/** The callbacks of an event for the tools (or other subjects) that fit the pattern; without one, for all. */
export interface HookCallbackMatcher {
  matcher?: string;
  hooks: HookCallback[];
  /** Seconds that each of them may take. */
  timeout?: number;
  /**
   * What becomes of what a callback was to judge when it fails or takes too long: `block` forbids it, `continue` (or
   * `ignore`) lets it happen. Default: `block` for `PreToolUse`, `continue` for all others.
   */
  onFailure?: 'block' | 'continue' | 'ignore';
}

export type HooksOption = Partial<Record<HookEvent, HookCallbackMatcher[]>>;

/** Subagents by name. */
export type AgentsOption = Record<string, AgentDefinition>;

/** A dialog that an agent wants to be shown; what is in it depends on its kind. Heddle's own agent asks for none. */
export interface UserDialogRequest {
  dialogKind: string;
  payload: JsonObject;
  /** The call that it belongs to, if any. */
  toolUseID?: string;
}

/** What the user has chosen, in the form of that kind of dialog. A kind that is not known is to be cancelled. */
export type UserDialogResult = { behavior: 'completed'; result: unknown } | { behavior: 'cancelled' };

/** Shows a dialog. Null: the answer goes another way, as with `CanUseTool`. */
export type OnUserDialog = (
  request: UserDialogRequest,
  options: { signal: AbortSignal; requestId: string },
) => Promise<UserDialogResult | null>;

/** An MCP server wants to know something. */
export interface ElicitationRequest {
  serverName: string;
  message: string;
  mode?: 'form' | 'url';
  url?: string;
  elicitationId?: string;
  requestedSchema?: JsonObject;
  /** How the question may be headed and labelled, where the server says so. */
  title?: string;
  displayName?: string;
  description?: string;
}

/** What an MCP server is answered. */
export interface ElicitationResult {
  action: 'accept' | 'decline' | 'cancel';
  content?: JsonObject;
}

/** Answers an MCP server on behalf of the user. Null: the answer goes another way, as with `CanUseTool`. */
export type OnElicitation = (
  request: ElicitationRequest,
  options: { signal: AbortSignal; requestId: string },
) => Promise<ElicitationResult | null>;

/** How a process is to be started. */
export interface SpawnOptions {
  command: string;
  args: string[];
  cwd?: string;
  env: Record<string, string | undefined>;
  /** Aborts when the process is to end. */
  signal: AbortSignal;
}

/** A running process, wherever it runs. A ChildProcess is one. */
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

/** Starts the agent process in place of this package: in a container, a virtual machine, on another host. */
export type SpawnProcess = (options: SpawnOptions) => SpawnedProcess;
