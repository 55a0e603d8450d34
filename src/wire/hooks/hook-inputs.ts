import * as z from 'zod/mini';
import { AssistantMessageError } from '../messages/assistant.ts';
import { PermissionSuggestion } from '../permissions.ts';
import { kinds, open, type Schema, word } from '../schema.ts';

const text = z.optional(z.string());
const flag = z.optional(z.boolean());

/** The fields of every hook input. */
const base = {
  session_id: z.string(),
  transcript_path: z.string(),
  cwd: z.string(),
  permission_mode: text,
  /** The id of the subagent, where the event happens in one. */
  agent_id: text,
  agent_type: text,
  /** The same id for all events that one prompt causes. */
  prompt_id: text,
  effort: z.optional(open({ level: z.string() })),
};
export const BaseHookInput = open(base);
export type BaseHookInput = z.infer<typeof BaseHookInput>;

/** The common fields and the fields of the event. An event may refine a common field. */
type Fields<Event extends string, Shape> = Omit<typeof base, keyof Shape> & {
  hook_event_name: z.ZodMiniLiteral<Event>;
} & Shape;

function input<const Event extends string, Shape extends z.core.$ZodLooseShape>(event: Event, shape: () => Shape) {
  return open<Fields<Event, Shape>>(() => {
    const fields = { ...base, hook_event_name: z.literal(event), ...shape() };
    return fields as unknown as Fields<Event, Shape>;
  });
}

/** The MCP server of a tool and its source; `sdk` is a server of the host's program. */
export const McpServerProvenance = open(() => ({ name: z.string(), source: z.string() }));
export type McpServerProvenance = z.infer<typeof McpServerProvenance>;

/** A background task, as the input of Stop hooks lists it. */
export const BackgroundTaskSummary = open(() => ({
  id: z.string(),
  /** `shell`, `subagent`, … */
  type: z.string(),
  status: z.string(),
  description: z.string(),
  command: text,
  agent_type: text,
  server: text,
  tool: text,
  name: text,
}));
export type BackgroundTaskSummary = z.infer<typeof BackgroundTaskSummary>;

/** A schedule of the reference. Heddle has none. */
export const SessionCronSummary = open(() => ({
  id: z.string(),
  schedule: z.string(),
  recurring: z.boolean(),
  prompt: z.string(),
}));
export type SessionCronSummary = z.infer<typeof SessionCronSummary>;

const tool = { tool_name: z.string(), tool_input: z.unknown() };
const server = { mcp_server: z.optional(McpServerProvenance) };
const toolCall = { ...tool, tool_use_id: z.string() };
const duration = { duration_ms: z.optional(z.number()) };
const stop = {
  /** True when the agent already continues because of a stop hook. */
  stop_hook_active: z.boolean(),
  last_assistant_message: text,
  background_tasks: z.optional(z.array(BackgroundTaskSummary)),
  session_crons: z.optional(z.array(SessionCronSummary)),
};
const teamTask = {
  task_id: z.string(),
  task_subject: z.string(),
  task_description: text,
  /** In a team: the teammate that has the task, and the team. */
  teammate_name: text,
  team_name: text,
};

export const PreToolUseHookInput = input('PreToolUse', () => ({ ...toolCall, ...server }));
export type PreToolUseHookInput = z.infer<typeof PreToolUseHookInput>;

export const PostToolUseHookInput = input('PostToolUse', () => ({
  ...toolCall,
  tool_response: z.unknown(),
  ...duration,
  ...server,
}));
export type PostToolUseHookInput = z.infer<typeof PostToolUseHookInput>;

export const PostToolUseFailureHookInput = input('PostToolUseFailure', () => ({
  ...toolCall,
  error: z.string(),
  is_interrupt: flag,
  ...duration,
  ...server,
}));
export type PostToolUseFailureHookInput = z.infer<typeof PostToolUseFailureHookInput>;

export const PostToolBatchToolCall = open(() => ({ ...toolCall, tool_response: z.optional(z.unknown()) }));
export type PostToolBatchToolCall = z.infer<typeof PostToolBatchToolCall>;

export const PostToolBatchHookInput = input('PostToolBatch', () => ({
  tool_calls: z.array(PostToolBatchToolCall),
}));
export type PostToolBatchHookInput = z.infer<typeof PostToolBatchHookInput>;

export const PermissionRequestHookInput = input('PermissionRequest', () => ({
  ...tool,
  permission_suggestions: z.optional(z.array(PermissionSuggestion)),
  ...server,
}));
export type PermissionRequestHookInput = z.infer<typeof PermissionRequestHookInput>;

export const PermissionDeniedHookInput = input('PermissionDenied', () => ({
  ...tool,
  tool_use_id: z.string(),
  reason: z.string(),
  ...server,
}));
export type PermissionDeniedHookInput = z.infer<typeof PermissionDeniedHookInput>;

export const UserPromptSubmitHookInput = input('UserPromptSubmit', () => ({
  prompt: z.string(),
  /** The sender: `sdk` is a host that sends messages to the agent; `system` is Heddle, which reports an event. */
  source: z.optional(word(['user', 'sdk', 'system', 'loop_wakeup', 'schedule_wakeup', 'poll_event'])),
  session_title: text,
}));
export type UserPromptSubmitHookInput = z.infer<typeof UserPromptSubmitHookInput>;

export const SessionStartHookInput = input('SessionStart', () => ({
  source: word(['startup', 'resume', 'clear', 'compact', 'fork']),
  model: text,
  session_title: text,
  /** For a resumed session: the seconds since its last answer, and the tokens that the next request sends again. */
  seconds_since_last_response: z.optional(z.number()),
  context_tokens: z.optional(z.number()),
  /** Whether the provider's cache has probably dropped these tokens, and the cost of caching them again. */
  prompt_cache_likely_expired: flag,
  estimated_cache_write_usd: z.optional(z.number()),
}));
export type SessionStartHookInput = z.infer<typeof SessionStartHookInput>;

export const SessionEndHookInput = input('SessionEnd', () => ({
  reason: word(['clear', 'resume', 'logout', 'prompt_input_exit', 'other']),
}));
export type SessionEndHookInput = z.infer<typeof SessionEndHookInput>;

export const StopHookInput = input('Stop', () => stop);
export type StopHookInput = z.infer<typeof StopHookInput>;

export const SubagentStartHookInput = input('SubagentStart', () => ({ agent_id: z.string(), agent_type: z.string() }));
export type SubagentStartHookInput = z.infer<typeof SubagentStartHookInput>;

export const SubagentStopHookInput = input('SubagentStop', () => ({
  ...stop,
  agent_id: z.string(),
  agent_transcript_path: z.string(),
  agent_type: z.string(),
}));
export type SubagentStopHookInput = z.infer<typeof SubagentStopHookInput>;

export const PreCompactHookInput = input('PreCompact', () => ({
  trigger: word(['manual', 'auto']),
  custom_instructions: z.nullable(z.string()),
}));
export type PreCompactHookInput = z.infer<typeof PreCompactHookInput>;

export const PostCompactHookInput = input('PostCompact', () => ({
  trigger: word(['manual', 'auto']),
  compact_summary: z.string(),
}));
export type PostCompactHookInput = z.infer<typeof PostCompactHookInput>;

export const NotificationHookInput = input('Notification', () => ({
  message: z.string(),
  title: text,
  notification_type: z.string(),
}));
export type NotificationHookInput = z.infer<typeof NotificationHookInput>;

export const SetupHookInput = input('Setup', () => ({ trigger: word(['init', 'maintenance']) }));
export type SetupHookInput = z.infer<typeof SetupHookInput>;

export const TeammateIdleHookInput = input('TeammateIdle', () => ({
  teammate_name: z.string(),
  team_name: z.string(),
}));
export type TeammateIdleHookInput = z.infer<typeof TeammateIdleHookInput>;

export const TaskCreatedHookInput = input('TaskCreated', () => teamTask);
export type TaskCreatedHookInput = z.infer<typeof TaskCreatedHookInput>;

export const TaskCompletedHookInput = input('TaskCompleted', () => teamTask);
export type TaskCompletedHookInput = z.infer<typeof TaskCompletedHookInput>;

/** An MCP server asks the user a question. A hook may answer instead of the user. */
export const ElicitationHookInput = input('Elicitation', () => ({
  mcp_server_name: z.string(),
  message: z.string(),
  mode: z.optional(word(['form', 'url'])),
  url: text,
  elicitation_id: text,
  requested_schema: z.optional(z.record(z.string(), z.unknown())),
}));
export type ElicitationHookInput = z.infer<typeof ElicitationHookInput>;

/** The answer that the server is about to get. A hook may change it. */
export const ElicitationResultHookInput = input('ElicitationResult', () => ({
  mcp_server_name: z.string(),
  action: word(['accept', 'decline', 'cancel']),
  content: z.optional(z.record(z.string(), z.unknown())),
  mode: z.optional(word(['form', 'url'])),
  elicitation_id: text,
}));
export type ElicitationResultHookInput = z.infer<typeof ElicitationResultHookInput>;

export const WorktreeCreateHookInput = input('WorktreeCreate', () => ({ name: z.string() }));
export type WorktreeCreateHookInput = z.infer<typeof WorktreeCreateHookInput>;

export const WorktreeRemoveHookInput = input('WorktreeRemove', () => ({ worktree_path: z.string() }));
export type WorktreeRemoveHookInput = z.infer<typeof WorktreeRemoveHookInput>;

/** A change of model. `requested_model`: the name in the request; null for the model of the launch. */
const modelSwitch = {
  from_model: z.string(),
  to_model: z.string(),
  requested_model: z.nullable(z.string()),
  /** Tokens that the next request sends again. */
  context_tokens: z.number(),
  /** Whether the cache of the old model probably still holds these tokens. */
  prompt_cache_warm: z.boolean(),
  cache_ttl: word(['5m', '1h']),
  /** The cost of caching these tokens for the new model. */
  estimated_cache_write_usd: z.number(),
  /** `default`: Heddle does not know the price of the new model. */
  pricing: word(['configured', 'catalog', 'default']),
};

export const PreModelSwitchHookInput = input('PreModelSwitch', () => ({
  ...modelSwitch,
  source: word(['command', 'picker', 'sdk']),
}));
export type PreModelSwitchHookInput = z.infer<typeof PreModelSwitchHookInput>;

/** `auto`: Heddle changed the model by itself, to a fallback. */
export const PostModelSwitchHookInput = input('PostModelSwitch', () => ({
  ...modelSwitch,
  source: word(['command', 'picker', 'sdk', 'auto', 'resume']),
}));
export type PostModelSwitchHookInput = z.infer<typeof PostModelSwitchHookInput>;

/** A command of a file or of an MCP server is replaced by its text. */
export const UserPromptExpansionHookInput = input('UserPromptExpansion', () => ({
  expansion_type: word(['slash_command', 'mcp_prompt']),
  command_name: z.string(),
  command_args: z.string(),
  command_source: text,
  prompt: z.string(),
}));
export type UserPromptExpansionHookInput = z.infer<typeof UserPromptExpansionHookInput>;

/** The model did not answer. */
export const StopFailureHookInput = input('StopFailure', () => ({
  error: AssistantMessageError,
  error_details: text,
  last_assistant_message: text,
}));
export type StopFailureHookInput = z.infer<typeof StopFailureHookInput>;

export const ConfigChangeHookInput = input('ConfigChange', () => ({
  source: word(['user_settings', 'project_settings', 'local_settings', 'policy_settings', 'skills']),
  file_path: text,
}));
export type ConfigChangeHookInput = z.infer<typeof ConfigChangeHookInput>;

export const InstructionsLoadedHookInput = input('InstructionsLoaded', () => ({
  file_path: z.string(),
  memory_type: word(['User', 'Project', 'Local', 'Managed']),
  load_reason: word(['session_start', 'nested_traversal', 'path_glob_match', 'include', 'compact']),
  /** The file patterns in the front matter of the memory file. */
  globs: z.optional(z.array(z.string())),
  parent_file_path: text,
  trigger_file_path: text,
}));
export type InstructionsLoadedHookInput = z.infer<typeof InstructionsLoadedHookInput>;

export const CwdChangedHookInput = input('CwdChanged', () => ({ old_cwd: z.string(), new_cwd: z.string() }));
export type CwdChangedHookInput = z.infer<typeof CwdChangedHookInput>;

export const FileChangedHookInput = input('FileChanged', () => ({
  file_path: z.string(),
  event: word(['add', 'change', 'unlink']),
}));
export type FileChangedHookInput = z.infer<typeof FileChangedHookInput>;

export const DirectoryAddedHookInput = input('DirectoryAdded', () => ({
  directory: z.string(),
  source: word(['slash_command', 'register_repo_root']),
  /** The same path as `directory`. */
  directory_path: text,
}));
export type DirectoryAddedHookInput = z.infer<typeof DirectoryAddedHookInput>;

/** An interface is about to show lines of an answer. Heddle has no interface and never sends this event. */
export const MessageDisplayHookInput = input('MessageDisplay', () => ({
  turn_id: z.string(),
  message_id: z.string(),
  index: z.number(),
  final: z.boolean(),
  delta: z.string(),
}));
export type MessageDisplayHookInput = z.infer<typeof MessageDisplayHookInput>;

/** The schema of each event's input. */
export const hookInputs = {
  PreToolUse: PreToolUseHookInput,
  PostToolUse: PostToolUseHookInput,
  PostToolUseFailure: PostToolUseFailureHookInput,
  PostToolBatch: PostToolBatchHookInput,
  PermissionRequest: PermissionRequestHookInput,
  PermissionDenied: PermissionDeniedHookInput,
  UserPromptSubmit: UserPromptSubmitHookInput,
  UserPromptExpansion: UserPromptExpansionHookInput,
  SessionStart: SessionStartHookInput,
  SessionEnd: SessionEndHookInput,
  Stop: StopHookInput,
  StopFailure: StopFailureHookInput,
  SubagentStart: SubagentStartHookInput,
  SubagentStop: SubagentStopHookInput,
  PreCompact: PreCompactHookInput,
  PostCompact: PostCompactHookInput,
  Notification: NotificationHookInput,
  Setup: SetupHookInput,
  TeammateIdle: TeammateIdleHookInput,
  TaskCreated: TaskCreatedHookInput,
  TaskCompleted: TaskCompletedHookInput,
  PreModelSwitch: PreModelSwitchHookInput,
  PostModelSwitch: PostModelSwitchHookInput,
  Elicitation: ElicitationHookInput,
  ElicitationResult: ElicitationResultHookInput,
  ConfigChange: ConfigChangeHookInput,
  WorktreeCreate: WorktreeCreateHookInput,
  WorktreeRemove: WorktreeRemoveHookInput,
  InstructionsLoaded: InstructionsLoadedHookInput,
  CwdChanged: CwdChangedHookInput,
  FileChanged: FileChangedHookInput,
  DirectoryAdded: DirectoryAddedHookInput,
  MessageDisplay: MessageDisplayHookInput,
};

export type HookEvent = keyof typeof hookInputs;
export type HookInputOf<Event extends HookEvent> = z.infer<(typeof hookInputs)[Event]>;
export type HookInput = { [Event in HookEvent]: HookInputOf<Event> }[HookEvent];

/** The input of any hook. An unknown event passes. */
export const HookInput: Schema<HookInput> = kinds('hook_event_name', () => Object.values(hookInputs));
