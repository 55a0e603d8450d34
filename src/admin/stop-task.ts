import { watch } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readTaskRecord, stopFile, type TaskRecord, writeTaskRecord } from '../sessions/files/task-records.ts';
import { endDetached } from '../util/process/process-detached-end.ts';
import { isGone } from '../util/process/process-identity.ts';
import { endTree } from '../util/process/process-tree.ts';
import { startTimer } from '../util/timer.ts';
import { type ListedTask, listed } from './tasks.ts';

/** `stopped`: the task has ended; `refused`: its end could not be confirmed, for the reason given. */
export type StopOutcome = { kind: 'stopped'; task: ListedTask } | { kind: 'refused'; reason: string };

export interface StopOptions {
  /** How long the owner of the task may take to answer. */
  patienceMs: number;
  now: () => number;
}

/**
 * Ends a running task. Its owner process knows best how, so it is asked first; if the owner is dead or silent, the
 * processes of a command are killed from here, unless their ids now belong to other processes.
 */
export async function stopStoredTask(task: ListedTask, { patienceMs, now }: StopOptions): Promise<StopOutcome> {
  const ownerIsGone = isGone(task.owner) === true;
  if (!ownerIsGone && (await askOwner(task, patienceMs))) return stopped(task);
  if (task.process === null || isGone(task.process) !== false) {
    if (!isRunning(task)) return stopped(task);
    return { kind: 'refused', reason: silent(task, patienceMs) };
  }
  if (!(await endProcesses(task))) return { kind: 'refused', reason: 'its processes could not be ended' };
  // A living owner records the end of its task itself.
  if (ownerIsGone) await writeEnd(task, now());
  return stopped(task);
}

async function endProcesses({ detached, process, session_id, task_id }: ListedTask): Promise<boolean> {
  if (detached) return endDetached(process, { sessionId: session_id, id: task_id });
  if (process === null || isGone(process) !== false) return true;
  await endTree({ groups: [process.pid], mark: NO_MARK }, { graceMs: GRACE_MS });
  return isGone(process) !== false;
}

const GRACE_MS = 2000;
/** A mark that no environment and no limits contain. */
const NO_MARK = { environment: '\n\0heddle', limits: '\0' };

/** Resolves with whether the record says that the task has ended. */
async function askOwner({ path, task_id }: ListedTask, patienceMs: number): Promise<boolean> {
  const dir = dirname(path);
  const request = stopFile(dir, task_id);
  const hasEnded = () => readTaskRecord(path)?.status !== 'running';
  const changed = watchUntil(dir, hasEnded, patienceMs);
  try {
    await writeFile(request, '', { mode: 0o600 });
    return await changed;
  } finally {
    await rm(request, { force: true });
  }
}

function watchUntil(dir: string, check: () => boolean, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const watcher = watch(dir, () => {
      if (check()) finish();
    });
    const finish = () => {
      clearTimeout(timer);
      watcher.close();
      resolve(check());
    };
    const timer = startTimer(ms, finish);
    watcher.on('error', finish);
  });
}

async function writeEnd(task: ListedTask, endedAt: number): Promise<void> {
  const record = readTaskRecord(task.path);
  if (record?.status !== 'running') return;
  const end = { status: 'killed', stopped_by: 'outside', ended_at: endedAt, exit_code: null } as const;
  await writeTaskRecord(task.path, { ...record, ...end });
}

function stopped(task: ListedTask): StopOutcome {
  return { kind: 'stopped', task: again(task) };
}

function isRunning(task: ListedTask): boolean {
  return again(task).state === 'running';
}

function again(task: ListedTask): ListedTask {
  const record: TaskRecord = readTaskRecord(task.path) ?? task;
  return listed({ record, path: task.path });
}

function silent({ owner }: ListedTask, patienceMs: number): string {
  return `the process ${owner.pid} on ${owner.host}, whose task it is, has not answered within ${patienceMs / 1000} s`;
}
