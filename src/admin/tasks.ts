import { dirname } from 'node:path';
import {
  readTaskRecords,
  sessionsWithTasks,
  type TaskRecord,
  type TaskState,
  taskNow,
  taskRecordsDir,
} from '../sessions/files/task-records.ts';
import { HeddleError } from '../wire/errors.ts';

/** Operations of the command line on the background tasks of all sessions, in any process. */
export interface TasksLocation {
  /** The config home. */
  home: string;
  /** Only tasks of this session; undefined: of all. */
  sessionId?: string | undefined;
}

export interface ListedTask extends TaskRecord {
  /** The real state: checked by its processes where the record says that it runs. */
  state: TaskState;
  /** The path of its record. */
  path: string;
}

/** Running tasks first, then the newest; for a resumed agent, the last run. */
export function listTasks({ home, sessionId }: TasksLocation): ListedTask[] {
  const sessions = sessionId === undefined ? sessionsWithTasks(home) : [sessionId];
  const tasks = sessions.flatMap((id) => {
    const runs = readTaskRecords(taskRecordsDir(home, id)).map(listed);
    return [...new Map(runs.map((run) => [run.task_id, run])).values()];
  });
  return tasks.sort((a, b) => rank(a) - rank(b) || b.started_at - a.started_at);
}

/** The task with this id, or the only one whose id begins with it. Throws `task_not_found`. */
export function findTask(name: string, location: TasksLocation): ListedTask {
  const tasks = listTasks(location);
  const exact = tasks.filter(({ task_id }) => task_id === name);
  const found = exact.length > 0 ? exact : tasks.filter(({ task_id }) => name !== '' && task_id.startsWith(name));
  const [task, ...others] = found;
  if (task && others.length === 0) return task;
  const facts = { name, home: location.home, tasks: found.map(({ task_id, session_id }) => ({ task_id, session_id })) };
  if (!task) {
    const where = location.sessionId === undefined ? location.home : `session ${location.sessionId}`;
    throw new HeddleError(
      'task_not_found',
      `No task has the id '${name}' in ${where}. heddle tasks list shows those there are`,
      { facts },
    );
  }
  const names = found.map(({ task_id, session_id }) => `${task_id} of session ${session_id}`).join(', ');
  const advice = 'give more of the id, or --session';
  throw new HeddleError('task_not_found', `Several tasks are called '${name}': ${names}; ${advice}`, { facts });
}

/** The task with its current state. */
export function listed({ record, path }: { record: TaskRecord; path: string }): ListedTask {
  const { state, exitCode } = taskNow(record, dirname(path));
  return { ...record, exit_code: exitCode, state, path };
}

function rank({ state }: ListedTask): number {
  return state === 'running' ? 0 : 1;
}
