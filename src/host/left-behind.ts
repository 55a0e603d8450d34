import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { TODO_WRITE, type TodoList } from '../tools/todo.ts';
import { errorCode } from '../util/error-code.ts';
import { madeOnce } from '../util/made-once.ts';
import type { Runtime } from '../util/runtime.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { LeftTasks } from './left-tasks.ts';
import type { Parts } from './parts.ts';
import type { OpenTranscript } from './transcript.ts';

/**
 * The list that the session was left with. Most sessions have no past, and load nothing for it; what is behind a
 * compaction is read when the list is wanted.
 */
export async function pastTodos(past: Pick<OpenTranscript, 'messages' | 'earlier'>): Promise<TodoList['current']> {
  if (past.messages.length === 0) return [];
  const { restoreTodos } = await import('../tools/todo-restore.ts');
  const { earlier } = past;
  return restoreTodos(past.messages) ?? (async () => restoreTodos(await earlier(TODO_WRITE)) ?? []);
}

/** Where the session's tasks are. A fork goes on with a copy of the list. */
export async function tasksDir(home: string | null, { key, forkedFrom }: OpenTranscript): Promise<string | null> {
  if (home === null) return null;
  const dir = join(home, 'tasks', key.sessionId);
  if (forkedFrom !== null) {
    await cp(join(home, 'tasks', forkedFrom), dir, { recursive: true, errorOnExist: false }).catch(ignoreMissing);
  }
  return dir;
}

/** What earlier processes had in the background. Most sessions had nothing there, and load nothing for it. */
export function leftTasks(
  parts: () => Parts,
  { home, hasPast }: { home: string | null; hasPast: boolean },
): LeftTasks | null {
  if (home === null || !hasPast) return null;
  // Decided once: later there may be tasks of this very process, which are told by themselves.
  const open = madeOnce(async () => {
    if (!existsSync(join(home, 'background', parts().sessionId))) return null;
    return (await import('./left-tasks.ts')).openLeftTasks(parts(), home);
  });
  return {
    async untold() {
      return (await open())?.untold() ?? null;
    },
    find: async (id) => (await import('./past-task.ts')).findPastTask(parts(), home, id),
  };
}

function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}

/**
 * Who was planning goes on planning: a resume must not open what the user still wanted to approve. A flag says
 * otherwise.
 */
export function leftInPlanMode(config: RunConfig, { lastMode }: OpenTranscript, { log }: Runtime): RunConfig {
  const isChosen = config.permissionMode !== undefined || config.dangerouslySkipPermissions === true;
  if (lastMode !== 'plan' || isChosen) return config;
  log('warn', 'The session was left in plan mode, which goes on. --permission-mode chooses another mode.');
  return { ...config, permissionMode: 'plan' };
}
