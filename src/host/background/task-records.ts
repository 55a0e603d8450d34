import { existsSync, type FSWatcher, watch } from 'node:fs';
import { rm } from 'node:fs/promises';
import {
  recordFile,
  stopFile,
  stopRequested,
  type TaskRecord,
  taskRecordsDir,
  writeTaskRecord,
} from '../sessions/task-records.ts';
import type { BackgroundTask, BackgroundTasks } from '../tools/background-tasks.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { messageOf } from '../util/message-of.ts';
import { oneAtATime } from '../util/one-at-a-time.ts';
import { thisProcess } from '../util/process-alive.ts';
import { identityOf } from '../util/process-identity.ts';
import type { Logger } from '../util/runtime.ts';

export interface TaskRecordsOptions {
  home: string;
  sessionId: string;
  cwd: string;
  tasks: BackgroundTasks;
  log: Logger;
}

/** Keeps what a session has in the background on disk. Nothing here rejects: what cannot be kept is logged. */
export interface TaskRecords {
  /** The task has changed: resolves when its record says how it is now. */
  note(task: BackgroundTask): Promise<void>;
  /** The ends of these tasks are about to be told to the model, with this entry of the transcript. */
  telling(tasks: readonly BackgroundTask[], uuid: string): Promise<void>;
  /** That entry is on disk. */
  told(tasks: readonly BackgroundTask[]): Promise<void>;
}

interface Kept {
  task: BackgroundTask;
  path: string;
  told: boolean;
  toldWith: string | null;
  inTurn: ReturnType<typeof oneAtATime>;
  /** A write that has not begun yet will show this change, too. */
  waiting: Promise<void> | null;
}

export function openTaskRecords({ home, sessionId, cwd, tasks, log }: TaskRecordsOptions): TaskRecords {
  const dir = taskRecordsDir(home, sessionId);
  const owner = identityOf(thisProcess());
  /** By run. */
  const kept = new Map<string, Kept>();
  const requests = watchRequests(dir, tasks, log);

  function enter(task: BackgroundTask): Kept {
    const own = recordFile(dir, task.id);
    // An agent that is gone on with has another run: what is kept of the first one may still have to be told.
    const path = existsSync(own) ? recordFile(dir, task.id, task.runId) : own;
    const entered = { task, path, told: false, toldWith: null, inTurn: oneAtATime(), waiting: null };
    kept.set(task.runId, entered);
    return entered;
  }

  function write(each: Kept): Promise<void> {
    each.waiting ??= each.inTurn(async () => {
      each.waiting = null;
      const { task, told, toldWith } = each;
      const record = recordOf(task, { session_id: sessionId, cwd, owner, told, told_with: toldWith });
      await writeTaskRecord(each.path, record).catch((error) =>
        log('warn', `What became of the task ${task.id} could not be kept: ${messageOf(error)}`),
      );
    });
    return each.waiting;
  }

  async function change(runs: readonly BackgroundTask[], facts: Partial<Pick<Kept, 'told' | 'toldWith'>>) {
    const known = runs.flatMap(({ runId }) => kept.get(runId) ?? []);
    await Promise.all(known.map((each) => write(Object.assign(each, facts))));
  }

  return {
    async note(task) {
      const known = kept.get(task.runId);
      if (!known) requests.begin(); // before anybody can read that it runs
      const each = known ?? enter(task);
      if (task.status !== 'running') {
        each.told ||= isKnown(task);
        await rm(stopFile(dir, task.id), { force: true }).catch(() => {});
      }
      await write(each);
      if ([...kept.values()].every(({ task: { status } }) => status !== 'running')) requests.end();
    },
    telling: (ended, uuid) => change(ended, { toldWith: uuid }),
    told: (ended) => change(ended, { told: true }),
  };
}

/** Whether the model need not be told of the end: whoever has stopped the task knows. */
export function isKnown({ stoppedBy }: Pick<BackgroundTask, 'stoppedBy'>): boolean {
  return stoppedBy === 'model' || stoppedBy === 'host' || stoppedBy === 'interrupt';
}

type RecordPlace = Pick<TaskRecord, 'session_id' | 'cwd' | 'owner' | 'told' | 'told_with'>;

function recordOf(task: BackgroundTask, place: RecordPlace): TaskRecord {
  const { command, agent, usage } = task;
  return {
    task_id: task.id,
    run_id: task.runId,
    task_type: task.type,
    description: task.description,
    ...(command !== undefined && { command }),
    ...(agent && { subagent_type: agent.type }),
    ...(agent?.parentTaskId !== undefined && { parent_task_id: agent.parentTaskId }),
    tool_use_id: task.toolUseId,
    status: task.status,
    exit_code: task.exitCode,
    result: task.result,
    stopped_by: task.stoppedBy,
    started_at: task.startedAt,
    ended_at: task.endedAt,
    output_file: task.outputFile,
    detached: task.isDetached === true,
    process: task.process,
    usage: usage && {
      total_tokens: usage.totalTokens,
      tool_uses: usage.toolUses,
      duration_ms: usage.durationMs,
      cost_usd: usage.costUsd,
    },
    ...place,
  };
}

/** Other processes ask for the end of a task with a file beside its record. Watched only while something runs. */
function watchRequests(dir: string, tasks: BackgroundTasks, log: Logger): { begin(): void; end(): void } {
  let watcher: FSWatcher | null = null;
  const onFile = (_event: string, name: string | null) => {
    const id = name === null ? null : stopRequested(name);
    if (id !== null && existsSync(stopFile(dir, id))) void tasks.stop(id, 'outside');
  };
  const end = () => {
    watcher?.close();
    watcher = null;
  };
  return {
    begin() {
      if (watcher) return;
      try {
        makeDirectory(dir, 0o700);
        watcher = watch(dir, { persistent: false }, onFile);
        watcher.on('error', end);
      } catch (error) {
        log('debug', `Others cannot ask for the end of tasks: ${messageOf(error)}`);
      }
    },
    end,
  };
}
