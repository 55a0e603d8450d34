import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { restoreTodos, TODO_WRITE, type TodoList } from '../../tools/task-list/todo-list.ts';
import { errorCode } from '../../util/error-code.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { OpenTranscript, RestoredState } from './open-transcript.ts';

/** The todo list of a stored conversation. A list from before a compaction is read when a tool asks for it. */
export function storedTodos(history: Pick<RestoredState, 'messages' | 'earlier'>): TodoList['current'] {
  if (history.messages.length === 0) return [];
  const { earlier } = history;
  return restoreTodos(history.messages) ?? (async () => restoreTodos(await earlier(TODO_WRITE)) ?? []);
}

/** The folder of the session's tasks. A fork gets a copy of the list. */
export async function tasksDir(home: string | null, { key, forkedFrom }: OpenTranscript): Promise<string | null> {
  if (home === null) return null;
  const dir = join(home, 'tasks', key.sessionId);
  if (forkedFrom !== null) {
    await cp(join(home, 'tasks', forkedFrom), dir, { recursive: true, errorOnExist: false }).catch(ignoreMissing);
  }
  return dir;
}

function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}

/** A session left in plan mode resumes in plan mode, so that nothing unapproved can run. A flag of the launch wins. */
export function keepPlanMode(config: RunConfig, { lastMode }: RestoredState, { log }: Runtime): RunConfig {
  const isChosen = config.permissionMode !== undefined || config.dangerouslySkipPermissions === true;
  if (lastMode !== 'plan' || isChosen) return config;
  log('warn', 'The session was left in plan mode, which goes on. --permission-mode chooses another mode.');
  return { ...config, permissionMode: 'plan' };
}
