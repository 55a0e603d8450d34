import * as z from 'zod/mini';
import { AnyObject, open, word } from '../schema.ts';
import { system } from './common.ts';

const text = z.optional(z.string());
/** `task_id` names the task, `run_id` one run of it. */
const task = { task_id: z.string(), run_id: text };
/**
 * `ambient`: housekeeping that a host need not show. `skip_transcript`: the host need not list it in the history
 * either.
 */
const shown = { ambient: z.optional(z.boolean()), skip_transcript: z.optional(z.boolean()) };
const TaskUsage = open(() => ({
  total_tokens: z.number(),
  tool_uses: z.number(),
  duration_ms: z.number(),
  /** The cost of this agent, without the agents that it started. */
  cost_usd: z.optional(z.number()),
}));

/** A resource that an MCP server offers. */
export const ResourceLink = open(() => ({
  uri: z.string(),
  name: z.string(),
  title: text,
  description: text,
  mimeType: text,
  size: z.optional(z.number()),
  annotations: z.optional(AnyObject),
}));
export type ResourceLink = z.infer<typeof ResourceLink>;

/** A background task has ended. */
export const TaskNotificationMessage = system('task_notification', () => ({
  ...task,
  tool_use_id: text,
  status: word(['completed', 'failed', 'stopped']),
  output_file: z.string(),
  summary: z.string(),
  /** `worker_restart`: the task ended because its agent process ended. */
  reason: z.optional(word(['worker_restart'])),
  usage: z.optional(TaskUsage),
  /** The resources that an MCP server offers in the result. */
  resource_links: z.optional(z.array(ResourceLink)),
  ...shown,
}));
export type TaskNotificationMessage = z.infer<typeof TaskNotificationMessage>;

/** A command or an agent has begun to work in the background, or an agent in the foreground. */
export const TaskStartedMessage = system('task_started', () => ({
  ...task,
  tool_use_id: text,
  description: z.string(),
  task_type: text,
  subagent_type: text,
  is_backgrounded: z.optional(z.boolean()),
  spawn_depth: z.optional(z.number()),
  parent_task_id: text,
  workflow_name: text,
  prompt: text,
  ...shown,
}));
export type TaskStartedMessage = z.infer<typeof TaskStartedMessage>;

/** The work of an agent so far. */
export const TaskProgressMessage = system('task_progress', () => ({
  ...task,
  tool_use_id: text,
  description: z.string(),
  subagent_type: text,
  usage: TaskUsage,
  last_tool_name: text,
  summary: text,
}));
export type TaskProgressMessage = z.infer<typeof TaskProgressMessage>;

/** Fields of a task that have changed. */
export const TaskUpdatedMessage = system('task_updated', () => ({
  ...task,
  patch: open({
    status: z.optional(word(['pending', 'running', 'completed', 'failed', 'killed', 'paused'])),
    description: text,
    end_time: z.optional(z.number()),
    total_paused_ms: z.optional(z.number()),
    error: text,
    is_backgrounded: z.optional(z.boolean()),
  }),
  /** Set when an agent ends. */
  usage: z.optional(TaskUsage),
}));
export type TaskUpdatedMessage = z.infer<typeof TaskUpdatedMessage>;

/** All live tasks. This list replaces the earlier one. */
export const BackgroundTasksChangedMessage = system('background_tasks_changed', () => ({
  tasks: z.array(
    open({
      ...task,
      task_type: z.string(),
      subagent_type: text,
      description: z.string(),
      parent_task_id: text,
      ambient: z.optional(z.boolean()),
    }),
  ),
}));
export type BackgroundTasksChangedMessage = z.infer<typeof BackgroundTasksChangedMessage>;
