import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../util/json.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { isGone, type ProcessIdentity } from '../util/process-identity.ts';
import { replaceFile } from '../util/replace-file.ts';
import { isMissing } from './storage-errors.ts';

/**
 * What is kept of one run of a background task: `<home>/background/<session>/<task>.json`. For whoever comes later: the
 * session when it is resumed, and `heddle tasks`.
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
  /** An agent's last words, or why it failed. */
  result: string | null;
  /** Who ended it before its time. */
  stopped_by: string | null;
  /** Milliseconds since the epoch. */
  started_at: number;
  ended_at: number | null;
  session_id: string;
  /** The working directory of the session. */
  cwd: string;
  output_file: string;
  /** Whether it outlives the process that has started it. */
  detached: boolean;
  /** The process whose task it is. */
  owner: ProcessIdentity;
  /** The leader of its own process group; null for an agent, and where it is not known. */
  process: ProcessIdentity | null;
  usage: { total_tokens: number; tool_uses: number; duration_ms: number; cost_usd: number } | null;
  /** Whether the model knows of its end, or need not. */
  told: boolean;
  /**
   * The entry of the transcript that tells the model of its end. Written before that entry is, so that whoever finds
   * `told` false can see whether it was.
   */
  told_with: string | null;
}

/** `running` only where it really runs; `lost`: nobody has seen its end. */
export type TaskState = TaskRecord['status'] | 'lost';

export function taskRecordsDir(home: string, sessionId: string): string {
  return join(home, 'background', sessionId);
}

/** A record, and the file that it stands in. */
export interface StoredTask {
  record: TaskRecord;
  path: string;
}

/** All records of a session, the oldest first. What is no record is passed over. */
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

/** Null for a file that is gone, or not whole. */
export function readTaskRecord(path: string): TaskRecord | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isTaskRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Readable for nobody else (ruling G8), and never half written. */
export async function writeTaskRecord(path: string, record: TaskRecord): Promise<void> {
  makeDirectory(join(path, '..'), 0o700);
  const text = `${JSON.stringify(record, null, 2)}\n`;
  await replaceFile(path, (temporary) => writeFile(temporary, text, { flag: 'wx', mode: 0o600 }));
}

/** The sessions that have records. */
export function sessionsWithTasks(home: string): string[] {
  return namesIn(join(home, 'background'));
}

/** Where the record of a task is; `run` for further runs of an agent. */
export function recordFile(dir: string, taskId: string, run?: string): string {
  return join(dir, run === undefined ? `${fileName(taskId)}.json` : `${fileName(taskId)}.${run}.json`);
}

/** Beside the record: asks the owner of the task to end it. */
export function stopFile(dir: string, taskId: string): string {
  return join(dir, `${fileName(taskId)}.stop`);
}

/** The task whose end a file asks for; null for any other file. */
export function stopRequested(name: string): string | null {
  return name.endsWith('.stop') ? decodeURIComponent(name.slice(0, -'.stop'.length)) : null;
}

/** Beside the record of a detached command: its exit code, which it leaves itself. */
export function exitFile(dir: string, taskId: string): string {
  return join(dir, `${fileName(taskId)}.exit`);
}

/** Ids of teammates are made of names that people and models choose. */
function fileName(taskId: string): string {
  return taskId.replace(/[^\w@-]/gu, encodeURIComponent);
}

/** How a task is now, by its processes and by what a detached command has left. */
export interface TaskNow {
  state: TaskState;
  exitCode: number | null;
}

export function taskNow(record: TaskRecord, dir: string): TaskNow {
  const { status, exit_code, owner, process, detached } = record;
  if (status !== 'running') return { state: status, exitCode: exit_code };
  // Of a process elsewhere nobody here knows: it counts as alive.
  if (!detached) return { state: isGone(owner) === true ? 'lost' : 'running', exitCode: null };
  if (process !== null && isGone(process) !== true) return { state: 'running', exitCode: null };
  const exitCode = readExitCode(exitFile(dir, record.task_id));
  if (exitCode === null) return { state: 'lost', exitCode };
  return { state: exitCode === 0 ? 'completed' : 'failed', exitCode };
}

function readExitCode(path: string): number | null {
  try {
    const text = readFileSync(path, 'utf8').trim();
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

/** As far as anything here would break without it. */
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
