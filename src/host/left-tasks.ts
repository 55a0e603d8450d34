import { dirname } from 'node:path';
import type { Attachment, PlacedAttachment } from '../agent/attachment.ts';
import {
  readTaskRecord,
  readTaskRecords,
  type StoredTask,
  type TaskRecord,
  taskNow,
  taskRecordsDir,
  writeTaskRecord,
} from '../sessions/task-records.ts';
import type { PastTask } from '../tools/tool-session.ts';
import { messageOf } from '../util/message-of.ts';
import type { Message } from '../wire/messages/index.ts';
import { holdsEntry } from './check-input.ts';
import type { Parts } from './parts.ts';
import { notificationLine, notificationText, type ToldTask } from './tasks-told.ts';

/** Ends of tasks that earlier processes of the session have left to be told. */
export interface LeftNews {
  /** What the model is told, with the next prompt. */
  attachment: Attachment;
  /** What hosts are told. */
  lines: Message[];
  /** The attachment is about to be recorded, in one of these places. */
  telling(places: readonly PlacedAttachment[]): Promise<void>;
  /** It is on disk. */
  told(): Promise<void>;
}

/**
 * What earlier processes of the session have left: asked before each prompt, because a detached command may end at any
 * time. Tasks whose process is gone are ended here.
 */
export interface LeftTasks {
  untold(): Promise<LeftNews | null>;
  /** What is kept of one of them; null: nothing. */
  find(id: string): Promise<PastTask | null>;
}

export function openLeftTasks(parts: Parts, home: string): Pick<LeftTasks, 'untold'> {
  const { sessionId, runtime } = parts;
  const dir = taskRecordsDir(home, sessionId);
  let left: StoredTask[] | null = null;

  async function save({ path, record }: StoredTask): Promise<void> {
    await writeTaskRecord(path, record).catch((error) =>
      runtime.log('warn', `What became of the task ${record.task_id} could not be kept: ${messageOf(error)}`),
    );
  }

  /** Those that were not told. All others are of no interest any more. */
  async function read(): Promise<StoredTask[]> {
    const untold: StoredTask[] = [];
    for (const task of readTaskRecords(dir)) {
      const { told, told_with, task_type } = task.record;
      if (told || task_type === 'in_process_teammate') continue; // the team itself tells of its members
      if (told_with === null || !(await holdsEntry(parts, told_with))) untold.push(task);
      else await save({ ...task, record: { ...task.record, told: true } });
    }
    return untold;
  }

  function endedOf(tasks: readonly StoredTask[]): StoredTask[] {
    return tasks.filter((task) => {
      const record = endOf(task, runtime.clock.now());
      if (record !== null) task.record = record;
      return record !== null;
    });
  }

  return {
    async untold() {
      left ??= await read();
      const ended = endedOf(left);
      if (ended.length === 0) return null;
      const told = ended.map(({ record }) => taskOf(record));
      const content = [INTRODUCTION, ...told.map(notificationText)].join('\n\n');
      const attachment: Attachment = { type: 'task_status', content };
      const ids = { sessionId, newId: () => runtime.ids.uuid() };
      return {
        attachment,
        lines: told.map((task) => notificationLine(task, ids, { diedWithProcess: true })),
        async telling(places) {
          const told_with = places.find((place) => place.attachment === attachment)?.uuid ?? null;
          for (const task of ended) {
            task.record = { ...task.record, told_with };
            await save(task);
          }
        },
        async told() {
          left = left?.filter((task) => !ended.includes(task)) ?? null;
          for (const task of ended) await save({ ...task, record: { ...task.record, told: true } });
        },
      };
    },
  };
}

const INTRODUCTION = 'While nobody was at work on this conversation, these tasks of it have ended:';

/** The record of a task that has ended, in whatever way; null while it runs. */
function endOf(task: StoredTask, now: number): TaskRecord | null {
  if (task.record.status !== 'running') return task.record;
  const { path } = task;
  const record = readTaskRecord(path) ?? task.record; // somebody may have stopped it meanwhile
  if (record.status !== 'running') return record;
  const { state, exitCode } = taskNow(record, dirname(path));
  if (state === 'running') return null;
  const status = state === 'lost' ? 'killed' : state;
  const result = state === 'lost' && !record.detached ? GONE : record.result;
  return { ...record, status, exit_code: exitCode, ended_at: now, result };
}

const GONE = 'The process that ran it has ended.';

function taskOf(record: TaskRecord): ToldTask {
  const { usage } = record;
  return {
    id: record.task_id,
    runId: record.run_id,
    toolUseId: record.tool_use_id,
    description: record.description,
    agent: record.subagent_type,
    outputFile: record.output_file,
    status: record.status,
    exitCode: record.exit_code,
    result: record.result,
    usage: usage && {
      totalTokens: usage.total_tokens,
      toolUses: usage.tool_uses,
      durationMs: usage.duration_ms,
      costUsd: usage.cost_usd,
    },
  };
}
