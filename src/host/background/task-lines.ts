import { type SystemFields, type SystemSubtype, systemLine } from '../../agent/system-line.ts';
import type { BackgroundTask, TaskChange } from '../../tools/background/background-tasks.ts';
import type { Message } from '../../wire/messages/index.ts';

/** Lines and texts about background tasks, for hosts and for the model (wire.md 9.2, 9.3). */

export interface LineIds {
  sessionId: string;
  newId(): string;
}

/** The details of a task's end. */
export type TaskReport = Pick<
  BackgroundTask,
  'id' | 'runId' | 'toolUseId' | 'description' | 'outputFile' | 'status' | 'exitCode' | 'result' | 'usage'
> & {
  /** Set for agents. */
  agent?: unknown;
};

/** The lines about a change. `pending`: the tasks that run in the background now. */
export function changeLines(change: TaskChange, pending: readonly BackgroundTask[], ids: LineIds): Message[] {
  const { kind, task } = change;
  const say = <Subtype extends SystemSubtype>(subtype: Subtype, fields: SystemFields<Subtype>) =>
    systemLine(namesOf(ids), subtype, fields);
  const all = task.isBackgrounded ? [say('background_tasks_changed', { tasks: pending.map(listed) })] : [];
  switch (kind) {
    case 'started':
      return [...all, say('task_started', startedFields(task))];
    case 'progress':
      return task.usage ? [say('task_progress', progressFields(task))] : [];
    case 'backgrounded':
      return [...all, say('task_updated', { ...named(task), patch: { is_backgrounded: true } })];
    case 'ended':
      return [
        ...all,
        say('task_updated', { ...named(task), patch: endPatch(task), ...(task.usage && { usage: usageFields(task) }) }),
      ];
    default:
      return kind satisfies never;
  }
}

/** The line about a task's end. */
export function notificationLine(
  task: TaskReport,
  ids: LineIds,
  { diedWithProcess = false }: { diedWithProcess?: boolean } = {},
): Message {
  const { toolUseId, outputFile, usage } = task;
  return systemLine(namesOf(ids), 'task_notification', {
    task_id: task.id,
    status: endWord(task),
    // As in the reference, the output file of an agent is not named: it is not meant to be read.
    output_file: task.agent ? '' : outputFile,
    summary: summaryOf(task),
    ...(diedWithProcess && endWord(task) === 'stopped' && { reason: 'worker_restart' }),
    run_id: task.runId,
    tool_use_id: toolUseId,
    ...(usage && { usage: usageFields(task) }),
  });
}

/** The text about a task's end for the model. */
export function notificationText(task: TaskReport): string {
  const { id, agent, outputFile, usage } = task;
  const lines = [
    '<task-notification>',
    `<task-id>${id}</task-id>`,
    ...(agent ? [] : [`<output-file>${outputFile}</output-file>`]),
    `<status>${endWord(task)}</status>`,
    `<summary>${summaryOf(task)}</summary>`,
    ...(agent ? [`<result>${task.result ?? ''}</result>`] : []),
    ...(usage ? [`<usage>${usageText(usage)}</usage>`] : []),
    '</task-notification>',
  ];
  return `${lines.join('\n')}\nAll of its output can be read at: ${outputFile}`;
}

export function usageText({ totalTokens, toolUses, durationMs }: NonNullable<BackgroundTask['usage']>): string {
  return `total_tokens: ${totalTokens}\ntool_uses: ${toolUses}\nduration_ms: ${durationMs}`;
}

function endWord({ status }: TaskReport): 'completed' | 'failed' | 'stopped' {
  return status === 'killed' ? 'stopped' : status === 'failed' ? 'failed' : 'completed';
}

function summaryOf(task: TaskReport): string {
  const { agent, description, status, exitCode, result } = task;
  const what = agent ? `Agent "${description}"` : `Background command "${description}"`;
  switch (status) {
    case 'completed':
      return agent ? `${what} completed` : `${what} completed (exit code ${exitCode ?? 0})`;
    case 'failed':
      if (agent) return `${what} failed: ${result ?? 'unknown error'}`;
      return exitCode === null ? `${what} failed` : `${what} failed with exit code ${exitCode}`;
    case 'killed':
      return agent || result === null ? `${what} was stopped` : `${what} was stopped: ${result}`;
    default:
      return `${what} is ${status}`;
  }
}

function named({ id, runId }: TaskReport) {
  return { task_id: id, run_id: runId };
}

function listed(task: BackgroundTask) {
  const { type, agent, description } = task;
  return { ...named(task), task_type: type, ...(agent && { subagent_type: agent.type }), description };
}

function startedFields(task: BackgroundTask) {
  const { toolUseId, description, agent, isBackgrounded, type } = task;
  return {
    ...named(task),
    tool_use_id: toolUseId,
    description,
    ...(agent && { subagent_type: agent.type }),
    is_backgrounded: isBackgrounded,
    ...(agent && { spawn_depth: agent.depth }),
    ...(agent?.parentTaskId !== undefined && { parent_task_id: agent.parentTaskId }),
    task_type: type,
    ...(agent && { prompt: agent.prompt }),
  };
}

function progressFields(task: BackgroundTask) {
  const { toolUseId, description, agent, lastToolName } = task;
  return {
    ...named(task),
    tool_use_id: toolUseId,
    description,
    ...(agent && { subagent_type: agent.type }),
    usage: usageFields(task),
    ...(lastToolName !== null && { last_tool_name: lastToolName }),
  };
}

function usageFields({ usage }: Pick<TaskReport, 'usage'>) {
  const { totalTokens = 0, toolUses = 0, durationMs = 0, costUsd = 0 } = usage ?? {};
  return { total_tokens: totalTokens, tool_uses: toolUses, duration_ms: durationMs, cost_usd: costUsd };
}

function endPatch({ status, endedAt, result }: BackgroundTask) {
  return {
    status,
    ...(endedAt !== null && { end_time: endedAt }),
    ...(status === 'failed' && result !== null && { error: result }),
  };
}

function namesOf({ sessionId, newId }: LineIds) {
  return { session_id: sessionId, uuid: newId() };
}
