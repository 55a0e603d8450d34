import * as z from 'zod/mini';
import { PermissionSuggestion } from './permissions.ts';
import { kinds, open, type Schema, word } from './schema.ts';

const text = z.optional(z.string());
const flag = z.optional(z.boolean());
const list = z.optional(z.array(z.unknown()));

/** What every hook is told [HK-17]. */
const base = {
  session_id: z.string(),
  transcript_path: z.string(),
  cwd: z.string(),
  permission_mode: text,
  /** In a subagent: which. */
  agent_id: text,
  agent_type: text,
  /** The same for all that happens because of one prompt. */
  prompt_id: text,
  effort: z.optional(open({ level: z.string() })),
};
export const BaseHookInput = open(base);
export type BaseHookInput = z.infer<typeof BaseHookInput>;

function input<const Event extends string, Shape extends z.core.$ZodLooseShape>(event: Event, shape: () => Shape) {
  return open(() => ({ ...base, hook_event_name: z.literal(event), ...shape() }));
}

const tool = { tool_name: z.string(), tool_input: z.unknown() };
const toolCall = { ...tool, tool_use_id: z.string() };
const duration = { duration_ms: z.optional(z.number()) };
const stop = {
  /** True when the agent already goes on because of a stop hook [HK-34]. */
  stop_hook_active: z.boolean(),
  last_assistant_message: text,
  background_tasks: list,
  session_crons: list,
};
const teamTask = { task_id: z.string(), task_subject: z.string(), task_description: text };

export const PreToolUseHookInput = input('PreToolUse', () => toolCall);
export type PreToolUseHookInput = z.infer<typeof PreToolUseHookInput>;

export const PostToolUseHookInput = input('PostToolUse', () => ({
  ...toolCall,
  tool_response: z.unknown(),
  ...duration,
}));
export type PostToolUseHookInput = z.infer<typeof PostToolUseHookInput>;

export const PostToolUseFailureHookInput = input('PostToolUseFailure', () => ({
  ...toolCall,
  error: z.string(),
  is_interrupt: flag,
  ...duration,
}));
export type PostToolUseFailureHookInput = z.infer<typeof PostToolUseFailureHookInput>;

export const PostToolBatchHookInput = input('PostToolBatch', () => ({
  tool_calls: z.array(open({ ...toolCall, tool_response: z.optional(z.unknown()) })),
}));
export type PostToolBatchHookInput = z.infer<typeof PostToolBatchHookInput>;

export const PermissionRequestHookInput = input('PermissionRequest', () => ({
  ...tool,
  permission_suggestions: z.optional(z.array(PermissionSuggestion)),
}));
export type PermissionRequestHookInput = z.infer<typeof PermissionRequestHookInput>;

export const PermissionDeniedHookInput = input('PermissionDenied', () => ({
  ...tool,
  tool_use_id: text,
  reason: text,
}));
export type PermissionDeniedHookInput = z.infer<typeof PermissionDeniedHookInput>;

export const UserPromptSubmitHookInput = input('UserPromptSubmit', () => ({ prompt: z.string() }));
export type UserPromptSubmitHookInput = z.infer<typeof UserPromptSubmitHookInput>;

export const SessionStartHookInput = input('SessionStart', () => ({
  source: word(['startup', 'resume', 'clear', 'compact']),
  model: text,
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
  agent_type: text,
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
  notification_type: text,
}));
export type NotificationHookInput = z.infer<typeof NotificationHookInput>;

export const SetupHookInput = input('Setup', () => ({ trigger: word(['init', 'maintenance']) }));
export type SetupHookInput = z.infer<typeof SetupHookInput>;

export const TeammateIdleHookInput = input('TeammateIdle', () => ({ teammate_name: text, team_name: text }));
export type TeammateIdleHookInput = z.infer<typeof TeammateIdleHookInput>;

export const TaskCreatedHookInput = input('TaskCreated', () => teamTask);
export type TaskCreatedHookInput = z.infer<typeof TaskCreatedHookInput>;

export const TaskCompletedHookInput = input('TaskCompleted', () => teamTask);
export type TaskCompletedHookInput = z.infer<typeof TaskCompletedHookInput>;

/** An MCP server asks something. A hook may answer in the place of whoever would be asked. */
export const ElicitationHookInput = input('Elicitation', () => ({
  mcp_server_name: z.string(),
  message: z.string(),
  mode: text,
  url: text,
  elicitation_id: text,
  requested_schema: z.optional(z.record(z.string(), z.unknown())),
}));
export type ElicitationHookInput = z.infer<typeof ElicitationHookInput>;

/** What the server is about to be answered. A hook may change it. */
export const ElicitationResultHookInput = input('ElicitationResult', () => ({
  mcp_server_name: z.string(),
  action: word(['accept', 'decline', 'cancel']),
  content: z.optional(z.record(z.string(), z.unknown())),
  mode: text,
  elicitation_id: text,
}));
export type ElicitationResultHookInput = z.infer<typeof ElicitationResultHookInput>;

export const WorktreeCreateHookInput = input('WorktreeCreate', () => ({ name: z.string() }));
export type WorktreeCreateHookInput = z.infer<typeof WorktreeCreateHookInput>;

export const WorktreeRemoveHookInput = input('WorktreeRemove', () => ({ worktree_path: z.string() }));
export type WorktreeRemoveHookInput = z.infer<typeof WorktreeRemoveHookInput>;

/** A change of model. `requested_model`: as it was named, null for the one of the launch. */
const modelSwitch = {
  from_model: z.string(),
  to_model: z.string(),
  requested_model: z.nullable(z.string()),
  /** Tokens that the next request sends again. */
  context_tokens: z.number(),
  /** Whether the model that is left probably still keeps them. */
  prompt_cache_warm: z.boolean(),
  cache_ttl: word(['5m', '1h']),
  /** What it would cost to have the new model keep them. */
  estimated_cache_write_usd: z.number(),
  /** `default`: the price of the new model is not known. */
  pricing: word(['configured', 'catalog', 'default']),
};

export const PreModelSwitchHookInput = input('PreModelSwitch', () => ({
  ...modelSwitch,
  source: word(['command', 'picker', 'sdk']),
}));
export type PreModelSwitchHookInput = z.infer<typeof PreModelSwitchHookInput>;

/** `auto`: another model has taken over by itself. */
export const PostModelSwitchHookInput = input('PostModelSwitch', () => ({
  ...modelSwitch,
  source: word(['command', 'picker', 'sdk', 'auto', 'resume']),
}));
export type PostModelSwitchHookInput = z.infer<typeof PostModelSwitchHookInput>;

const bare = () => ({});

/** The input of each event. Events whose fields are not settled carry the base and whatever comes with it. */
export const hookInputs = {
  PreToolUse: PreToolUseHookInput,
  PostToolUse: PostToolUseHookInput,
  PostToolUseFailure: PostToolUseFailureHookInput,
  PostToolBatch: PostToolBatchHookInput,
  PermissionRequest: PermissionRequestHookInput,
  PermissionDenied: PermissionDeniedHookInput,
  UserPromptSubmit: UserPromptSubmitHookInput,
  UserPromptExpansion: input('UserPromptExpansion', () => ({
    expansion_type: text,
    command_name: z.string(),
    command_args: text,
    command_source: text,
    prompt: z.string(),
  })),
  SessionStart: SessionStartHookInput,
  SessionEnd: SessionEndHookInput,
  Stop: StopHookInput,
  StopFailure: input('StopFailure', () => ({ error: text, error_details: text })),
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
  ConfigChange: input('ConfigChange', () => ({ source: z.string(), file_path: text })),
  WorktreeCreate: WorktreeCreateHookInput,
  WorktreeRemove: WorktreeRemoveHookInput,
  InstructionsLoaded: input('InstructionsLoaded', () => ({
    file_path: z.string(),
    memory_type: text,
    load_reason: z.string(),
    parent_file_path: text,
    trigger_file_path: text,
  })),
  CwdChanged: input('CwdChanged', () => ({ old_cwd: z.string(), new_cwd: z.string() })),
  FileChanged: input('FileChanged', () => ({
    file_path: z.string(),
    event: word(['add', 'change', 'unlink']),
  })),
  DirectoryAdded: input('DirectoryAdded', () => ({ directory_path: z.string() })),
  MessageDisplay: input('MessageDisplay', bare),
};

export type HookEvent = keyof typeof hookInputs;
export type HookInputOf<Event extends HookEvent> = z.infer<(typeof hookInputs)[Event]>;
export type HookInput = { [Event in HookEvent]: HookInputOf<Event> }[HookEvent];

/** The input of any hook; an event that we do not know passes. */
export const HookInput: Schema<HookInput> = kinds('hook_event_name', () => Object.values(hookInputs));
