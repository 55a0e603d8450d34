import { existsSync, type FSWatcher, watch } from 'node:fs';
import { rm } from 'node:fs/promises';
import {
  recordFile,
  stopFile,
  stopRequested,
  type TaskRecord,
  taskRecordsDir,
  writeTaskRecord,
} from '../../sessions/files/task-records.ts';
import type { BackgroundTask, BackgroundTasks } from '../../tools/background/background-tasks.ts';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { messageOf } from '../../util/message-of.ts';
import { oneAtATime } from '../../util/one-at-a-time.ts';
import { thisProcess } from '../../util/process/process-alive.ts';
import { identityOf } from '../../util/process/process-identity.ts';
import type { Logger } from '../../util/runtime.ts';

export interface TaskRecordsOptions {
  home: string;
  sessionId: string;
  cwd: string;
  tasks: BackgroundTasks;
  log: Logger;
}

/**
 * Records the background tasks of a session on disk. Nothing here rejects: a record that cannot be written is logged.
 */
export interface TaskRecords {
  /** Called when a task has changed. Resolves when its record is up to date. */
  note(task: BackgroundTask): Promise<void>;
  /** Called before the ends of these tasks are recorded in the transcript, with this entry. */
  beforeRecord(tasks: readonly BackgroundTask[], uuid: string): Promise<void>;
  /** Called when that entry is on disk. */
  recorded(tasks: readonly BackgroundTask[]): Promise<void>;
}

interface SavedTask {
  task: BackgroundTask;
  path: string;
  told: boolean;
  toldWith: string | null;
  inTurn: ReturnType<typeof oneAtATime>;
  /** A write that has not begun yet: it will include later changes. */
  waiting: Promise<void> | null;
}

export function openTaskRecords({ home, sessionId, cwd, tasks, log }: TaskRecordsOptions): TaskRecords {
  const dir = taskRecordsDir(home, sessionId);
  let owner: TaskRecord['owner'] | undefined;
  /** By run. */
  const saved = new Map<string, SavedTask>();
  const requests = watchRequests(dir, tasks, log);

  function enter(task: BackgroundTask): SavedTask {
    const own = recordFile(dir, task.id);
    // A resumed agent has another run: the record of the first one may still have to be reported.
    const path = existsSync(own) ? recordFile(dir, task.id, task.runId) : own;
    const entered = { task, path, told: false, toldWith: null, inTurn: oneAtATime(), waiting: null };
    saved.set(task.runId, entered);
    return entered;
  }

  function write(each: SavedTask): Promise<void> {
    each.waiting ??= each.inTurn(async () => {
      each.waiting = null;
      const { task, told, toldWith } = each;
      owner ??= identityOf(thisProcess()); // with the first task: most sessions have none
      const record = recordOf(task, { session_id: sessionId, cwd, owner, told, told_with: toldWith });
      await writeTaskRecord(each.path, record).catch((error) =>
        log('warn', `What became of the task ${task.id} could not be kept: ${messageOf(error)}`),
      );
    });
    return each.waiting;
  }

  async function change(runs: readonly BackgroundTask[], details: Partial<Pick<SavedTask, 'told' | 'toldWith'>>) {
    const known = runs.flatMap(({ runId }) => saved.get(runId) ?? []);
    await Promise.all(known.map((each) => write(Object.assign(each, details))));
  }

  return {
    async note(task) {
      const known = saved.get(task.runId);
      if (!known) requests.begin(); // before another process can read that it runs
      const each = known ?? enter(task);
      if (task.status !== 'running') {
        each.told ||= isKnown(task);
        await rm(stopFile(dir, task.id), { force: true }).catch(() => {});
      }
      await write(each);
      if ([...saved.values()].every(({ task: { status } }) => status !== 'running')) requests.end();
    },
    beforeRecord: (ended, uuid) => change(ended, { toldWith: uuid }),
    recorded: (ended) => change(ended, { told: true }),
  };
}

/** Whether the model, the host or the user stopped the task, so that its end is no news. */
export function isKnown({ stoppedBy }: Pick<BackgroundTask, 'stoppedBy'>): boolean {
  return stoppedBy === 'model' || stoppedBy === 'host' || stoppedBy === 'interrupt';
}

type RecordLocation = Pick<TaskRecord, 'session_id' | 'cwd' | 'owner' | 'told' | 'told_with'>;

function recordOf(task: BackgroundTask, location: RecordLocation): TaskRecord {
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
    ...location,
  };
}

/** Another process stops a task with a file next to its record. Watched only while a task runs. */
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
