import * as z from 'zod/mini';
import { McpServerStatus } from '../mcp.ts';
import { PermissionBehavior } from '../permissions.ts';
import { AnyObject, open, type Schema, word } from '../schema.ts';
import { ModelUsage } from '../usage.ts';
import { AgentInfo, SlashCommand } from './initialize.ts';

/** What hosts are answered, by requests that have more to say than that it was done. */

const text = z.optional(z.string());
const flag = z.optional(z.boolean());

export const McpSetServersResult = open(() => ({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  errors: z.record(z.string(), z.string()),
}));
export type McpSetServersResult = z.infer<typeof McpSetServersResult>;

/** What an MCP tool has answered. */
export const McpCallResult = open(() => ({
  /** As the model would read it; with `result_not_for_model` as the server sent it. */
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

/** What became of an interrupt. */
export const InterruptReceipt = open(() => ({
  /** The uuids of messages that still wait for their turn. */
  still_queued: z.array(z.string()),
  /** With `cancel_queued`: the uuids of those that were taken back. */
  cancelled: z.optional(z.array(z.string())),
}));
export type InterruptReceipt = z.infer<typeof InterruptReceipt>;

export const RewindFilesResult = open(() => ({
  canRewind: z.boolean(),
  error: text,
  filesChanged: z.optional(z.array(z.string())),
  insertions: z.optional(z.number()),
  deletions: z.optional(z.number()),
  /** Files that were left alone because a link, or no plain file, stands in their place. */
  skippedLinks: z.optional(z.number()),
}));
export type RewindFilesResult = z.infer<typeof RewindFilesResult>;

/** One entry of the session's tree. */
export const SessionNode = open(() => ({
  uuid: z.string(),
  parent_uuid: z.nullable(z.string()),
  type: z.string(),
  timestamp: text,
  /** The first words of it. */
  preview: text,
  is_sidechain: flag,
}));
export type SessionNode = z.infer<typeof SessionNode>;

export const Branch = open(() => ({
  leaf_uuid: z.string(),
  /** True for the branch that the next message continues. */
  active: z.boolean(),
  /** Messages from the root to the leaf. */
  length: z.number(),
  /** How many of them a person has written. */
  turns: z.optional(z.number()),
  timestamp: text,
  /** The first words of the last prompt. */
  preview: text,
  /** Where the file holds a summary of exactly this branch. */
  summary: text,
}));
export type Branch = z.infer<typeof Branch>;

/** All that a session holds, of every branch, in the order of the file. */
export const SessionTree = open(() => ({
  /** Where the next message goes on; null in a session without messages. */
  leaf_uuid: z.nullable(z.string()),
  nodes: z.array(SessionNode),
  /** The ends of the branches. */
  leaves: z.array(z.string()),
  /** How many nodes there are, when these are not all: `offset` and `limit` ask for the others. */
  total: z.optional(z.number()),
}));
export type SessionTree = z.infer<typeof SessionTree>;

export const SwitchLeafResult = open(() => ({
  leaf_uuid: z.string(),
  /** What became of the files, or would with `dry_run`; only with `restore_files`. */
  files: z.optional(RewindFilesResult),
}));
export type SwitchLeafResult = z.infer<typeof SwitchLeafResult>;

export const PermissionExplanation = open(() => ({
  behavior: PermissionBehavior,
  /** Which layer decided: `deny-rule`, `mode`, `default` … */
  layer: z.string(),
  /** The rule that decided, as it is written. */
  rule: text,
  /** The file or the flag in which that rule stands. */
  where: text,
  reason: text,
}));
export type PermissionExplanation = z.infer<typeof PermissionExplanation>;

/** The settings in force. The values of credentials are masked. */
export const SettingsInForce = open(() => ({
  /** Merged from all sources. */
  effective: AnyObject,
  /** The strongest first. */
  sources: z.array(open({ source: text, path: text, settings: z.optional(AnyObject) })),
  /** What the session uses at the moment, wherever it comes from. */
  applied: z.optional(AnyObject),
  /** Heddle's own: one by one, the items of lists too, each with where it stands. */
  provenance: z.optional(
    z.array(open({ key: z.string(), value: z.optional(z.unknown()), scope: z.string(), source: z.string() })),
  ),
  /** Heddle's own: what of the project's settings is left out. */
  ignored: z.optional(z.array(open({ file: z.string(), keys: z.array(z.string()), reason: z.string() }))),
  trust: text,
}));
export type SettingsInForce = z.infer<typeof SettingsInForce>;

const tokens = z.number();
const named = open(() => ({ name: z.string(), tokens }));

/** What fills the context window, in tokens: estimates, but for the total. */
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
  /** The instructions of servers. */
  mcpInstructions: z.optional(z.array(open({ serverName: z.string(), tokens }))),
  /** The agent's own tools that are sent only when they are looked for. */
  deferredBuiltinTools: z.optional(z.array(open({ name: z.string(), tokens, isLoaded: z.boolean() }))),
  systemTools: z.optional(z.array(named)),
  systemPromptSections: z.optional(z.array(named)),
  /** Those that do not come with the agent. */
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
  /** Not with `detail: 'summary'`. */
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
  /** What the API has counted for the last answer; null before there is one. */
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

/** What of a change an open session cannot take over. */
export const FlagSettingsResult = open(() => ({ without_effect: z.optional(z.array(z.string())) }));
export type FlagSettingsResult = z.infer<typeof FlagSettingsResult>;

interface Limit {
  utilization: number | null;
  resets_at: string | null;
}
/** Of a plan of the reference's provider. */
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
/** What the reference has found out about somebody's way of working. Heddle finds out nothing of the kind. */
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

/** What the session has used since it began, as far as its file tells. */
export const SessionUsage = open(() => ({
  session: open({
    total_cost_usd: z.number(),
    total_api_duration_ms: z.number(),
    total_duration_ms: z.number(),
    /** By tools that edit files, since this process began. */
    total_lines_added: z.number(),
    total_lines_removed: z.number(),
    model_usage: z.record(z.string(), ModelUsage),
  }),
  /** There is no plan here, so that these say nothing. */
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
  /** As it is written. */
  rule: z.string(),
  source: word([
    ...(['userSettings', 'projectSettings', 'localSettings', 'flagSettings', 'policySettings', 'cliArg'] as const),
    ...(['command', 'session', 'mcpMount', 'toolsNarrowing', 'mcpServerPolicy', 'hostCredential'] as const),
  ]),
  /** The rule in words, of which only `emphasis` comes from it. */
  description: z.optional(open({ prefix: z.string(), emphasis: text, suffix: text })),
  /** Whether it stands in a file that can be changed, ends with the session, or is not for users to change. */
  editability: word(['persistent', 'session', 'readonly']),
  notInEffect: flag,
  /** The file or the flag in which it stands. */
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
    /** `source` says who has added it: `cliArg`, a settings file, `session`. */
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
  /** Not all bytes of the file are text; those that are not are replaced. */
  lossy: z.boolean(),
  /** These are not the whole contents; then `size` says how many bytes the file has. */
  truncated: flag,
  /** Set where base64 was asked for. */
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
  /** `output` is only the end of what was printed. */
  truncated: flag,
}));
export type TaskOutput = z.infer<typeof TaskOutput>;

/** What there is after the extension files were read again. */
export const ReloadedPlugins = open(() => ({
  commands: z.array(SlashCommand),
  agents: z.array(AgentInfo),
  /** `source` is `name@marketplace`, for those that settings name. */
  plugins: z.array(open({ name: z.string(), path: z.string(), source: text, version: text })),
  mcpServers: z.array(McpServerStatus),
  /** How many plugins could not be found or read. */
  error_count: z.number(),
  /** With `hold_on_cache_impact`: whether nothing was read again, because of what `cache_impact` says. */
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
