import * as z from 'zod/mini';
import { SessionTotals } from '../api/session-totals.ts';
import { McpServerStatus } from '../mcp.ts';
import { SlashCommand } from '../messages/slash-command.ts';
import { PermissionBehavior } from '../permissions.ts';
import { AnyObject, open, type Schema, word } from '../schema.ts';
import { AgentInfo } from './initialize.ts';

/** The answers to requests of the host that return more than a confirmation. */

const text = z.optional(z.string());
const flag = z.optional(z.boolean());

export const McpSetServersResult = open(() => ({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  errors: z.record(z.string(), z.string()),
}));
export type McpSetServersResult = z.infer<typeof McpSetServersResult>;

/** The answer of an MCP tool. */
export const McpCallResult = open(() => ({
  /** As the model would read it. With `result_not_for_model`: as the server sent it. */
  content: z.union([z.string(), z.array(z.unknown())]),
  structuredContent: z.optional(AnyObject),
  isError: flag,
  _meta: z.optional(AnyObject),
}));
export type McpCallResult = z.infer<typeof McpCallResult>;

export const McpResourceContents = open(() => ({
  contents: z.array(
    open({ uri: z.string(), mimeType: text, text, /** Base64. */ blob: text, _meta: z.optional(AnyObject) }),
  ),
}));
export type McpResourceContents = z.infer<typeof McpResourceContents>;

/** The result of an interrupt. */
export const InterruptReceipt = open(() => ({
  /** The uuids of messages that still wait for their turn. */
  still_queued: z.array(z.string()),
  /** With `cancel_queued`: the uuids of the messages that were removed from the queue. */
  cancelled: z.optional(z.array(z.string())),
}));
export type InterruptReceipt = z.infer<typeof InterruptReceipt>;

export const RewindFilesResult = open(() => ({
  canRewind: z.boolean(),
  error: text,
  filesChanged: z.optional(z.array(z.string())),
  insertions: z.optional(z.number()),
  deletions: z.optional(z.number()),
  /** How many files were left alone because their path is now a link or another special file. */
  skippedLinks: z.optional(z.number()),
}));
export type RewindFilesResult = z.infer<typeof RewindFilesResult>;

/** One entry of the session's tree. */
export const SessionNode = open(() => ({
  uuid: z.string(),
  parent_uuid: z.nullable(z.string()),
  type: z.string(),
  timestamp: text,
  /** The first words of the entry. */
  preview: text,
  is_sidechain: flag,
  /** It is a prompt: not the result of a tool, and not a text that the runtime wrote in the user's role. */
  is_prompt: flag,
}));
export type SessionNode = z.infer<typeof SessionNode>;

export const Branch = open(() => ({
  leaf_uuid: z.string(),
  /** True for the branch that the next message continues. */
  active: z.boolean(),
  /** Messages from the root to the leaf. */
  length: z.number(),
  /** How many of these messages a person wrote. */
  turns: z.optional(z.number()),
  timestamp: text,
  /** The first words of the last prompt. */
  preview: text,
  /** Set where the file holds a summary of exactly this branch. */
  summary: text,
}));
export type Branch = z.infer<typeof Branch>;

/** All entries of a session, of every branch, in the order of the file. */
export const SessionTree = open(() => ({
  /** The entry that the next message continues from; null in a session without messages. */
  leaf_uuid: z.nullable(z.string()),
  nodes: z.array(SessionNode),
  /** The ends of the branches. */
  leaves: z.array(z.string()),
  /** The number of all nodes. Set when `nodes` does not list all: `offset` and `limit` ask for the others. */
  total: z.optional(z.number()),
}));
export type SessionTree = z.infer<typeof SessionTree>;

export const SwitchLeafResult = open(() => ({
  leaf_uuid: z.string(),
  /** What happened to the files, or would happen with `dry_run`. Only with `restore_files`. */
  files: z.optional(RewindFilesResult),
}));
export type SwitchLeafResult = z.infer<typeof SwitchLeafResult>;

export const PermissionExplanation = open(() => ({
  behavior: PermissionBehavior,
  /** Which layer decided: `deny-rule`, `mode`, `default` … */
  layer: z.string(),
  /** The rule that decided, as it is written. */
  rule: text,
  /** The file or the flag that holds the rule. */
  where: text,
  reason: text,
}));
export type PermissionExplanation = z.infer<typeof PermissionExplanation>;

/** The settings in force. The values of credentials are masked. */
export const SettingsInForce = open(() => ({
  /** Merged from all sources. */
  effective: AnyObject,
  /** The strongest source first. */
  sources: z.array(open({ source: text, path: text, settings: z.optional(AnyObject) })),
  /** The values that the session uses now, from any source. */
  applied: z.optional(AnyObject),
  /** Heddle's own: each value, and each item of a list, with its source. */
  provenance: z.optional(
    z.array(open({ key: z.string(), value: z.optional(z.unknown()), scope: z.string(), source: z.string() })),
  ),
  /** Heddle's own: the project settings that are left out. */
  ignored: z.optional(z.array(open({ file: z.string(), keys: z.array(z.string()), reason: z.string() }))),
  trust: text,
}));
export type SettingsInForce = z.infer<typeof SettingsInForce>;

const tokens = z.number();
const named = open(() => ({ name: z.string(), tokens }));

/** The contents of the context window, in tokens. All numbers but the total are estimates. */
export const ContextUsage = open(() => ({
  categories: z.array(
    open({
      id: z.optional(
        word([
          ...(['system_prompt', 'system_tools', 'mcp_tools', 'mcp_instructions', 'mcp_tools_deferred'] as const),
          ...(['system_tools_deferred', 'custom_agents', 'memory_files', 'skills', 'messages'] as const),
          ...(['autocompact_buffer', 'compact_buffer', 'free_space'] as const),
        ]),
      ),
      name: z.string(),
      tokens,
      /** For drawing: the name of a colour. */
      color: z.string(),
      isDeferred: flag,
      kind: word(['used', 'free', 'buffer', 'deferred']),
    }),
  ),
  totalTokens: z.number(),
  maxTokens: z.number(),
  rawMaxTokens: z.number(),
  percentage: z.number(),
  /** For drawing; empty here. */
  gridRows: z.array(
    z.array(
      open({
        color: z.string(),
        isFilled: z.boolean(),
        categoryName: z.string(),
        tokens,
        percentage: z.number(),
        squareFullness: z.number(),
      }),
    ),
  ),
  model: z.string(),
  memoryFiles: z.array(open({ path: z.string(), type: z.string(), tokens })),
  mcpTools: z.array(open({ name: z.string(), serverName: z.string(), tokens, isLoaded: flag })),
  /** The instructions of MCP servers. */
  mcpInstructions: z.optional(z.array(open({ serverName: z.string(), tokens }))),
  /** The agent's own tools that are sent only after a tool search finds them. */
  deferredBuiltinTools: z.optional(z.array(open({ name: z.string(), tokens, isLoaded: z.boolean() }))),
  systemTools: z.optional(z.array(named)),
  systemPromptSections: z.optional(z.array(named)),
  /** The agents that do not come with Heddle. */
  agents: z.array(open({ agentType: z.string(), source: z.string(), pluginId: text, path: text, tokens })),
  slashCommands: z.optional(open({ totalCommands: z.number(), includedCommands: z.number(), tokens })),
  skills: z.optional(
    open({
      totalSkills: z.number(),
      includedSkills: z.number(),
      tokens,
      skillFrontmatter: z.array(
        open({ name: z.string(), source: z.string(), pluginName: text, pluginId: text, path: text, tokens }),
      ),
    }),
  ),
  isAutoCompactEnabled: z.boolean(),
  autoCompactThreshold: z.optional(z.number()),
  /** Absent with `detail: 'summary'`. */
  messageBreakdown: z.optional(
    open({
      toolCallTokens: z.number(),
      toolResultTokens: z.number(),
      attachmentTokens: z.number(),
      assistantMessageTokens: z.number(),
      userMessageTokens: z.number(),
      redirectedContextTokens: z.number(),
      unattributedTokens: z.number(),
      toolCallsByType: z.array(open({ name: z.string(), callTokens: z.number(), resultTokens: z.number() })),
      attachmentsByType: z.array(named),
    }),
  ),
  /** The API's count for the last answer; null before the first answer. */
  apiUsage: z.nullable(
    open({
      input_tokens: z.number(),
      output_tokens: z.number(),
      cache_creation_input_tokens: z.number(),
      cache_read_input_tokens: z.number(),
    }),
  ),
}));
export type ContextUsage = z.infer<typeof ContextUsage>;

/** The parts of a change that an open session cannot adopt. */
export const FlagSettingsResult = open(() => ({ without_effect: z.optional(z.array(z.string())) }));
export type FlagSettingsResult = z.infer<typeof FlagSettingsResult>;

interface Limit {
  utilization: number | null;
  resets_at: string | null;
}
/** The limits of a plan of the reference's provider. */
export interface PlanLimits {
  five_hour?: Limit | null;
  seven_day?: Limit | null;
  seven_day_oauth_apps?: Limit | null;
  seven_day_opus?: Limit | null;
  seven_day_sonnet?: Limit | null;
  model_scoped?: (Limit & { display_name: string })[];
  extra_usage?: {
    is_enabled: boolean;
    monthly_limit: number | null;
    used_credits: number | null;
    utilization: number | null;
    currency?: string | null;
  } | null;
}
interface Share {
  name: string;
  pct: number;
}
/** What the reference observes about how a user works. Heddle observes nothing of this kind. */
interface Behavior {
  request_count: number;
  session_count: number;
  behaviors: { key: 'cache_miss'; pct: number; count: number }[];
  agents: Share[];
  skills: Share[];
  plugins: Share[];
  mcp_servers: Share[];
}
export interface Behaviors {
  day: Behavior;
  week: Behavior;
}

/** The usage of the session since it began, as far as its file records it. */
export const SessionUsage = open(() => ({
  session: SessionTotals,
  /** Plans of the reference's provider. Heddle knows no plans, so that these fields carry no information. */
  subscription_type: z.nullable(z.string()),
  rate_limits_available: z.boolean(),
  rate_limits: z.nullable(AnyObject as unknown as Schema<PlanLimits>),
  behaviors: z.nullable(AnyObject as unknown as Schema<Behaviors>),
}));
export type SessionUsage = z.infer<typeof SessionUsage>;

export const ListedRule = open(() => ({
  behavior: PermissionBehavior,
  toolName: z.string(),
  ruleContent: text,
  /** The rule, as it is written. */
  rule: z.string(),
  source: word([
    ...(['userSettings', 'projectSettings', 'localSettings', 'flagSettings', 'policySettings', 'cliArg'] as const),
    ...(['command', 'session', 'mcpMount', 'toolsNarrowing', 'mcpServerPolicy', 'hostCredential'] as const),
  ]),
  /** The rule in words. Only `emphasis` is text of the rule. */
  description: z.optional(open({ prefix: z.string(), emphasis: text, suffix: text })),
  /** Whether the rule is in a file that the user can change, ends with the session, or is read-only. */
  editability: word(['persistent', 'session', 'readonly']),
  notInEffect: flag,
  /** The file or the flag that holds the rule. */
  where: text,
}));
export type ListedRule = z.infer<typeof ListedRule>;

/** A settings file, or a value in one, that could not be read. */
export const SettingsParseError = open(() => ({ file: text, path: z.string(), message: z.string() }));
export type SettingsParseError = z.infer<typeof SettingsParseError>;

export const PermissionRules = open(() => ({
  state: open({
    /** Deny rules first, then ask, then allow: the order in which they decide. */
    rules: z.array(ListedRule),
    /** `source` names who added the directory: `cliArg`, a settings file, `session`. */
    workspaceDirectories: z.array(open({ path: z.string(), source: z.string() })),
    originalCwd: z.string(),
    managedOnly: z.boolean(),
    errors: z.optional(z.array(SettingsParseError)),
    withheld: flag,
  }),
}));
export type PermissionRules = z.infer<typeof PermissionRules>;

export const HooksListing = open(() => ({
  events: z.array(z.unknown()),
  hooks: z.array(z.unknown()),
  eventCatalog: z.array(open({ name: z.string(), summary: text, supportsMatcher: flag })),
}));
export type HooksListing = z.infer<typeof HooksListing>;

export const FileContents = open(() => ({
  contents: z.string(),
  absPath: z.string(),
  requested_path: z.string(),
  /** Not all bytes of the file are text. Heddle replaced the others. */
  lossy: z.boolean(),
  /** `contents` is cut off; `size` is the number of bytes in the file. */
  truncated: flag,
  /** Set where the host asked for base64. */
  encoding: z.optional(z.literal('base64')),
  size: z.optional(z.number()),
}));
export type FileContents = z.infer<typeof FileContents>;

export const TaskOutput = open(() => ({
  task: open({
    task_id: z.string(),
    task_type: z.string(),
    status: z.string(),
    description: z.string(),
    output: z.string(),
    exitCode: z.nullable(z.number()),
  }),
  output_file: z.string(),
  /** `output` is only the end of the task's output. */
  truncated: flag,
}));
export type TaskOutput = z.infer<typeof TaskOutput>;

/** The result of reading the extension files again. */
export const ReloadedPlugins = open(() => ({
  commands: z.array(SlashCommand),
  agents: z.array(AgentInfo),
  /** `source` is `name@marketplace` for plugins that settings name. */
  plugins: z.array(open({ name: z.string(), path: z.string(), source: text, version: text })),
  mcpServers: z.array(McpServerStatus),
  /** How many plugins were missing or unreadable. */
  error_count: z.number(),
  /** With `hold_on_cache_impact`: true where nothing was reloaded, for the reason in `cache_impact`. */
  held: flag,
  cache_impact: z.optional(
    open({
      mcp_servers_added: z.array(z.string()),
      mcp_servers_removed: z.array(z.string()),
      lsp_tool_change: z.nullable(word(['adds', 'may-add', 'removes', 'may-remove'])),
    }),
  ),
}));
export type ReloadedPlugins = z.infer<typeof ReloadedPlugins>;
