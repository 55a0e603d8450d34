import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Attachment, AttachmentEntry } from '../../agent/attachment.ts';
import {
  readTaskRecord,
  readTaskRecords,
  type StoredTask,
  type TaskRecord,
  taskNow,
  taskRecordsDir,
  writeTaskRecord,
} from '../../sessions/files/task-records.ts';
import type { EarlierTask } from '../../tools/background/background-port.ts';
import type { TaskType } from '../../tools/background/background-tasks.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { Message } from '../../wire/messages/index.ts';
import { holdsEntry } from '../resume/holds-entry.ts';
import type { OpenTranscript } from '../resume/open-transcript.ts';
import { notificationLine, notificationText, type TaskReport } from './task-lines.ts';

/** Finished tasks that an earlier process did not report. */
export interface UnreportedReport {
  /** For the model, with the next prompt. */
  attachment: Attachment;
  /** For the host. */
  lines: Message[];
  /** Called before the attachment is recorded as one of these entries. */
  beforeRecord(entries: readonly AttachmentEntry[]): Promise<void>;
  /** Called when the attachment is on disk. */
  recorded(): Promise<void>;
}

/**
 * The tasks of earlier processes. They are read before each prompt, because a detached command may end at any time. A task
 * whose process is gone counts as ended.
 */
export interface UnreportedTasks {
  unreported(): Promise<UnreportedReport | null>;
  /** The record of one of them; null: there is none. */
  find(id: string): Promise<EarlierTask | null>;
}

/** The session of the earlier processes. */
export interface EarlierSession {
  sessionId: string;
  runtime: Runtime;
  transcript: Pick<OpenTranscript, 'store' | 'key' | 'spillDir'>;
}

/** The tasks of earlier processes; null for a new session, and for one that saves nothing. */
export function unreportedTasks(
  session: EarlierSession,
  { home, isResumed }: { home: string | null; isResumed: boolean },
): UnreportedTasks | null {
  if (home === null || !isResumed) return null;
  // Decided once: later the folder may hold tasks of this process, which are reported on their own.
  let opened: Pick<UnreportedTasks, 'unreported'> | null | undefined;
  const open = () => {
    if (opened === undefined) {
      const hasTasks = existsSync(join(home, 'background', session.sessionId));
      opened = hasTasks ? openUnreportedTasks(session, home) : null;
    }
    return opened;
  };
  return {
    unreported: async () => open()?.unreported() ?? null,
    find: async (id) => findEarlierTask(session, home, id),
  };
}

/** The last run of a task, as an earlier process recorded it; null: there is no record. */
function findEarlierTask({ sessionId, transcript }: EarlierSession, home: string, id: string): EarlierTask | null {
  const dir = taskRecordsDir(home, sessionId);
  const record = readTaskRecords(dir).findLast(({ record: { task_id } }) => task_id === id)?.record;
  if (!record) return null;
  const { state, exitCode } = taskNow(record, dir);
  // Only the session's own output file is shown: a changed record must not name any other file.
  const outputFile = join(transcript.spillDir, 'tasks', `${id}.output`);
  const hasFile = record.task_type === 'local_bash' && record.output_file === outputFile;
  return {
    id,
    type: record.task_type as TaskType,
    description: record.description,
    status: state === 'lost' ? 'killed' : state,
    exitCode,
    outputFile,
    ...(!hasFile && { output: record.result ?? '' }),
  };
}

function openUnreportedTasks(session: EarlierSession, home: string): Pick<UnreportedTasks, 'unreported'> {
  const { sessionId, runtime } = session;
  const dir = taskRecordsDir(home, sessionId);
  let pending: StoredTask[] | null = null;

  async function save({ path, record }: StoredTask): Promise<void> {
    await writeTaskRecord(path, record).catch((error) =>
      runtime.log('warn', `What became of the task ${record.task_id} could not be kept: ${messageOf(error)}`),
    );
  }

  /** The tasks that were not reported. */
  async function read(): Promise<StoredTask[]> {
    const unreported: StoredTask[] = [];
    for (const task of readTaskRecords(dir)) {
      const { told, told_with, task_type } = task.record;
      if (told || task_type === 'in_process_teammate') continue; // the team reports its members itself
      if (told_with === null || !(await holdsEntry(session.transcript, told_with))) unreported.push(task);
      else await save({ ...task, record: { ...task.record, told: true } });
    }
    return unreported;
  }

  function endedOf(tasks: readonly StoredTask[]): StoredTask[] {
    return tasks.filter((task) => {
      const record = endOf(task, runtime.clock.now());
      if (record !== null) task.record = record;
      return record !== null;
    });
  }

  return {
    async unreported() {
      pending ??= await read();
      const ended = endedOf(pending);
      if (ended.length === 0) return null;
      const reports = ended.map(({ record }) => taskOf(record));
      const content = [INTRODUCTION, ...reports.map(notificationText)].join('\n\n');
      const attachment: Attachment = { type: 'task_status', content };
      const ids = { sessionId, newId: () => runtime.ids.uuid() };
      return {
        attachment,
        lines: reports.map((task) => notificationLine(task, ids, { diedWithProcess: true })),
        async beforeRecord(entries) {
          const told_with = entries.find((entry) => entry.attachment === attachment)?.uuid ?? null;
          for (const task of ended) {
            task.record = { ...task.record, told_with };
            await save(task);
          }
        },
        async recorded() {
          pending = pending?.filter((task) => !ended.includes(task)) ?? null;
          for (const task of ended) await save({ ...task, record: { ...task.record, told: true } });
        },
      };
    },
  };
}

const INTRODUCTION = 'While nobody was at work on this conversation, these tasks of it have ended:';

/** The record of a task that has ended; null while it runs. */
function endOf(task: StoredTask, now: number): TaskRecord | null {
  if (task.record.status !== 'running') return task.record;
  const { path } = task;
  const record = readTaskRecord(path) ?? task.record; // another process may have stopped it since
  if (record.status !== 'running') return record;
  const { state, exitCode } = taskNow(record, dirname(path));
  if (state === 'running') return null;
  const status = state === 'lost' ? 'killed' : state;
  const result = state === 'lost' && !record.detached ? GONE : record.result;
  return { ...record, status, exit_code: exitCode, ended_at: now, result };
}

const GONE = 'The process that ran it has ended.';

function taskOf(record: TaskRecord): TaskReport {
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
