import { messageOf } from '../../util/message-of.ts';
import type { ProcessIdentity } from '../../util/process/process-identity.ts';
import type { Clock, Ids, Logger } from '../../util/runtime.ts';

/**
 * The tasks of a session: agents and shell commands. One list for all of them, in the foreground or the background,
 * whichever agent started them.
 */
export interface BackgroundTasks {
  /** An id that no task of the session has: a letter for its kind, and six hex digits, as hosts know them. */
  freshId(letter: 'a' | 'b'): string;
  /** Adds a task that has begun. The caller reports its progress through the handle. */
  begin(spec: TaskSpec): TaskHandle;
  get(id: string): BackgroundTask | undefined;
  /** All tasks of the session, ended ones included, in the order of their start. */
  list(): readonly BackgroundTask[];
  /** The running background tasks that end with the session at the latest. */
  pending(): readonly BackgroundTask[];
  /** Ends a task with all it has started; resolves when that is done. False when it is not running. */
  stop(id: string, by: StoppedBy): Promise<boolean>;
  /** Resolves when the task has ended; at once when it has ended already. */
  ended(id: string): Promise<void>;
  /** Calls the listener with every change, in order. Returns a function that removes the listener. */
  onChange(listener: (change: TaskChange) => Promise<void> | void): () => void;
  /** Resolves when the listeners have handled all changes so far. */
  noted(): Promise<void>;
  /** Ends all running tasks, except detached ones. */
  close(): Promise<void>;
}

export type TaskType = 'local_bash' | 'local_agent' | 'in_process_teammate';

/**
 * The cause of an early end: the model, the host, an interrupt, the end of the session, or a user outside of it
 * (`heddle tasks stop`).
 */
export type StoppedBy = 'model' | 'host' | 'interrupt' | 'session' | 'outside';

export interface BackgroundTask {
  readonly id: string;
  /** The id of this run: a resumed agent keeps its id and gets a new run id. */
  readonly runId: string;
  readonly type: TaskType;
  readonly description: string;
  /** The call that started it. */
  readonly toolUseId: string;
  /** Set for commands. */
  readonly command?: string;
  /** Set for agents. */
  readonly agent?: TaskAgent;
  /** The file with its output, readable while it runs and afterwards. */
  readonly outputFile: string;
  /** The target, when the output file is a link. */
  readonly outputSource?: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** `failed`: an exit code other than 0, an error, or it could not be started. `killed`: stopped, or ended by a signal. */
  readonly status: 'running' | 'completed' | 'failed' | 'killed';
  readonly stoppedBy: StoppedBy | null;
  /** Null while it runs, and when it has no exit code. */
  readonly exitCode: number | null;
  /** An agent's last text, or why it failed. */
  readonly result: string | null;
  readonly usage: TaskUsage | null;
  readonly lastToolName: string | null;
  /** True when no call waits for it. */
  readonly isBackgrounded: boolean;
  /** Set when it outlives the session. */
  readonly isDetached?: true;
  /** The leader of its process group, where it has one that is known. */
  readonly process: ProcessIdentity | null;
}

export interface TaskAgent {
  type: string;
  prompt: string;
  /** 1: started by the main thread. */
  depth: number;
  /** The task that started it, unless that was the main thread. */
  parentTaskId?: string;
  /** Set when it has its own worktree. */
  isIsolated?: true;
}

export interface TaskUsage {
  totalTokens: number;
  toolUses: number;
  durationMs: number;
  /** The cost of this agent alone, without the agents that it has started. */
  costUsd: number;
}

export interface TaskSpec extends Pick<BackgroundTask, 'id' | 'type' | 'description' | 'toolUseId' | 'outputFile'> {
  command?: string;
  outputSource?: string;
  agent?: TaskAgent;
  isBackgrounded: boolean;
  isDetached?: true;
  process?: ProcessIdentity | null;
  /** Asks the task to end; the handle reports the end itself. */
  stop(): void;
}

export interface TaskHandle {
  readonly task: BackgroundTask;
  progress(details: Pick<BackgroundTask, 'usage' | 'lastToolName'>): void;
  /** Call it when the process of the task has started. */
  runsAs(process: ProcessIdentity): void;
  /** Moves the task to the background: no call waits for it from now on. */
  background(): void;
  end(end: TaskEnd): void;
}

export interface TaskEnd extends Pick<BackgroundTask, 'status'> {
  exitCode?: number | null;
  result?: string | null;
  usage?: TaskUsage | null;
}

export interface TaskChange {
  kind: 'started' | 'progress' | 'backgrounded' | 'ended';
  task: BackgroundTask;
}

export interface BackgroundTasksOptions {
  ids: Ids;
  clock: Pick<Clock, 'now'>;
  log: Logger;
}

type Entered = { -readonly [Key in keyof BackgroundTask]: BackgroundTask[Key] };

interface Running {
  stop(): void;
  ended: Promise<void>;
  settle(): void;
}

export function createBackgroundTasks({ ids, clock, log }: BackgroundTasksOptions): BackgroundTasks {
  const tasks = new Map<string, Entered>();
  const running = new Map<string, Running>();
  const { announce, add, noted } = taskListeners(log);

  function begin({ stop, ...spec }: TaskSpec): TaskHandle {
    const task: Entered = {
      ...spec,
      runId: ids.uuid(),
      startedAt: clock.now(),
      endedAt: null,
      status: 'running',
      stoppedBy: null,
      exitCode: null,
      result: null,
      usage: null,
      lastToolName: null,
      process: spec.process ?? null,
    };
    tasks.delete(task.id); // a resumed agent counts as started now
    tasks.set(task.id, task);
    let settle = () => {};
    const ended = new Promise<void>((resolve) => {
      settle = resolve;
    });
    running.set(task.id, { stop, ended, settle });
    announce('started', task);
    return handleOf(task);
  }

  function handleOf(task: Entered): TaskHandle {
    return {
      task,
      progress(details) {
        Object.assign(task, details);
        announce('progress', task);
      },
      runsAs(process) {
        task.process = process;
        announce('progress', task);
      },
      background() {
        if (task.isBackgrounded) return;
        task.isBackgrounded = true;
        announce('backgrounded', task);
      },
      end(end) {
        if (task.status !== 'running') return;
        Object.assign(task, end, { endedAt: clock.now() });
        announce('ended', task);
        running.get(task.id)?.settle();
        running.delete(task.id);
      },
    };
  }

  async function stop(id: string, by: StoppedBy): Promise<boolean> {
    const run = running.get(id);
    const task = tasks.get(id);
    if (!run || !task) return false;
    task.stoppedBy ??= by;
    run.stop();
    await run.ended;
    return true;
  }

  return {
    freshId(letter) {
      for (;;) {
        const id = `${letter}${ids.uuid().replaceAll('-', '').slice(-6)}`;
        if (!tasks.has(id)) return id;
      }
    },
    begin,
    get: (id) => tasks.get(id),
    list: () => [...tasks.values()],
    pending: () => [...tasks.values()].filter((task) => isAtWork(task) && !task.isDetached),
    stop,
    ended: async (id) => running.get(id)?.ended,
    onChange: add,
    noted,
    async close() {
      const ending = [...running.keys()].filter((id) => !tasks.get(id)?.isDetached);
      await Promise.all(ending.map((id) => stop(id, 'session')));
      await noted();
    },
  };
}

type TaskListener = (change: TaskChange) => Promise<void> | void;

interface TaskListeners {
  add: BackgroundTasks['onChange'];
  announce(kind: TaskChange['kind'], task: BackgroundTask): void;
  noted: BackgroundTasks['noted'];
}

/** A listener that fails must not stop the other listeners or a caller that waits for the end. */
function taskListeners(log: Logger): TaskListeners {
  const listeners = new Set<TaskListener>();
  const noting = new Set<Promise<void>>();
  function awaitNoting(work: Promise<void>, id: string): void {
    const done = work
      .catch((error) => log('error', unreported(id, error)))
      .finally(() => {
        noting.delete(done);
      });
    noting.add(done);
  }
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce(kind, task) {
      for (const listener of listeners) {
        try {
          const work = listener({ kind, task });
          if (work) awaitNoting(work, task.id);
        } catch (error) {
          log('error', unreported(task.id, error));
        }
      }
    },
    async noted() {
      await Promise.all(noting);
    },
  };
}

/** True when it runs in the background. */
export function isAtWork({ status, isBackgrounded }: BackgroundTask): boolean {
  return status === 'running' && isBackgrounded;
}

function unreported(id: string, error: unknown): string {
  return `A change of the task ${id} could not be told: ${messageOf(error)}`;
}
