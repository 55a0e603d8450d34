import { findStored } from '../../host/stored-sessions.ts';
import type { TasksPlace } from '../../host/stored-tasks.ts';
import type { CommandArgs } from '../command-args.ts';
import { openSessionsPlace } from './sessions-place.ts';

/** Where a command looks for tasks. Rejects with `session_not_found` for a `--session` that is none. */
export async function openTasksPlace(args: CommandArgs): Promise<TasksPlace> {
  const place = openSessionsPlace(args);
  const session = args.text('--session');
  if (session === undefined) return { home: place.home };
  const { sessionId } = await findStored(session, place);
  return { home: place.home, sessionId };
}
