import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { replacePrivateText } from '../../util/files/replace-file.ts';
import { readSmallFile } from '../../util/files/small-file.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { isGone, type ProcessIdentity } from '../../util/process/process-identity.ts';
import { isMissing } from '../storage-errors.ts';

/**
 * The record of one run of a background task: `<home>/background/<session>/<task>.json`. The session reads it when it
 * is resumed, and so does `heddle tasks`.
 */
export interface TaskRecord {
  task_id: string;
  run_id: string;
  task_type: string;
  description: string;
  /** Set for commands. */
  command?: string;
  /** Set for agents. */
  subagent_type?: string;
  parent_task_id?: string;
  tool_use_id: string;
  status: 'running' | 'completed' | 'failed' | 'killed';
  exit_code: number | null;
  /** An agent's final text, or the reason of its failure. */
  result: string | null;
  /** Who stopped it before its end. */
  stopped_by: string | null;
  /** Milliseconds since the epoch. */
  started_at: number;
  ended_at: number | null;
  session_id: string;
  /** The working directory of the session. */
  cwd: string;
  output_file: string;
  /** Whether it outlives the process that started it. */
  detached: boolean;
  /** The process that owns the task. */
  owner: ProcessIdentity;
  /** The leader of its own process group; null for an agent, and where it is unknown. */
  process: ProcessIdentity | null;
  usage: { total_tokens: number; tool_uses: number; duration_ms: number; cost_usd: number } | null;
  /** Whether the model has been notified of its end, or need not be. */
  told: boolean;
  /**
   * The transcript entry that notifies the model of its end. Written before that entry, so that a reader who finds
   * `told` false can check whether the entry exists.
   */
  told_with: string | null;
}

/** `running` only while it really runs; `lost`: no process recorded its end. */
export type TaskState = TaskRecord['status'] | 'lost';

export function taskRecordsDir(home: string, sessionId: string): string {
  return join(home, 'background', sessionId);
}

/** A record and the path of its file. */
export interface StoredTask {
  record: TaskRecord;
  path: string;
}

/** All records of a session, the oldest first. Files that are not records are skipped. */
export function readTaskRecords(dir: string): StoredTask[] {
  const tasks = namesIn(dir)
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .flatMap((name) => {
      const path = join(dir, name);
      const record = readTaskRecord(path);
      return record ? [{ record, path }] : [];
    });
  return tasks.sort((a, b) => a.record.started_at - b.record.started_at || (a.path < b.path ? -1 : 1));
}

/** A record may hold a long command. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Null for a file that is missing or incomplete. */
export function readTaskRecord(path: string): TaskRecord | null {
  try {
    const value: unknown = JSON.parse(readSmallFile(path, MAX_BYTES).toString('utf8'));
    return isTaskRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Private to the user, and written atomically. */
export async function writeTaskRecord(path: string, record: TaskRecord): Promise<void> {
  makeDirectory(join(path, '..'), 0o700);
  const text = `${JSON.stringify(record, null, 2)}\n`;
  await replacePrivateText(path, text);
}

/** The sessions that have records. */
export function sessionsWithTasks(home: string): string[] {
  return namesIn(join(home, 'background'));
}

/** The path of a task's record; `run` for further runs of an agent. */
export function recordFile(dir: string, taskId: string, run?: string): string {
  return join(dir, run === undefined ? `${fileName(taskId)}.json` : `${fileName(taskId)}.${run}.json`);
}

/** A file next to the record that asks the owner of the task to end it. */
export function stopFile(dir: string, taskId: string): string {
  return join(dir, `${fileName(taskId)}.stop`);
}

/** The task that a stop file names; null for any other file. */
export function stopRequested(name: string): string | null {
  return name.endsWith('.stop') ? decodeURIComponent(name.slice(0, -'.stop'.length)) : null;
}

/** A file next to the record of a detached command: its exit code, which the command writes itself. */
export function exitFile(dir: string, taskId: string): string {
  return join(dir, `${fileName(taskId)}.exit`);
}

/** Ids of teammates contain names that people and models choose. */
function fileName(taskId: string): string {
  return taskId.replace(/[^\w@-]/gu, encodeURIComponent);
}

/** The current state of a task, from its processes and from the files of a detached command. */
export interface TaskNow {
  state: TaskState;
  exitCode: number | null;
}

export function taskNow(record: TaskRecord, dir: string): TaskNow {
  const { status, exit_code, owner, process, detached } = record;
  if (status !== 'running') return { state: status, exitCode: exit_code };
  // A process on another machine cannot be checked: it counts as alive.
  if (!detached) return { state: isGone(owner) === true ? 'lost' : 'running', exitCode: null };
  if (process !== null && isGone(process) !== true) return { state: 'running', exitCode: null };
  const exitCode = readExitCode(exitFile(dir, record.task_id));
  if (exitCode === null) return { state: 'lost', exitCode };
  return { state: exitCode === 0 ? 'completed' : 'failed', exitCode };
}

function readExitCode(path: string): number | null {
  try {
    const text = readSmallFile(path, MAX_BYTES).toString('utf8').trim();
    return /^\d{1,3}$/.test(text) ? Number(text) : null;
  } catch {
    return null;
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const TEXTS = ['task_id', 'run_id', 'task_type', 'description', 'status', 'session_id', 'cwd', 'output_file'] as const;

/** Checks the fields that the code relies on. */
function isTaskRecord(value: unknown): value is TaskRecord {
  if (!isObject(value)) return false;
  const fields: JsonObject = value;
  const hasTexts = TEXTS.every((name) => typeof fields[name] === 'string');
  return (
    hasTexts && typeof fields.started_at === 'number' && isProcess(fields.owner) && isNoneOrProcess(fields.process)
  );
}

function isNoneOrProcess(value: unknown): boolean {
  return value === null || isProcess(value);
}

function isProcess(value: unknown): boolean {
  return isObject(value) && Number.isSafeInteger(value.pid) && typeof value.host === 'string';
}
