import { findStored } from '../../../admin/sessions.ts';
import type { TasksLocation } from '../../../admin/tasks.ts';
import { type CommandArgs, parseCommandArgs } from '../../flags/command-args.ts';
import { printHelp } from '../../terminal/terminal.ts';
import { chooseCommand } from '../choose-command.ts';
import { defineGroup } from '../command-group.ts';
import { openSessionsLocation } from '../sessions-location.ts';
import { list } from './list-tasks.ts';
import { show } from './show-task.ts';
import { stop } from './stop-task.ts';
import type { TasksAction } from './tasks-action.ts';

export const TASKS = defineGroup<TasksAction>({
  group: 'tasks',
  about: `Shows and stops what sessions have in the background: commands and agents, also those of other
processes, and commands that were started to outlive their session. TASK is an id, or the beginning
of one.`,
  commands: {
    list: { does: 'all tasks, those that run first', action: list },
    show: { does: 'a task, and the end of its output', action: show },
    stop: { does: 'end a task with all that it has started', action: stop },
  },
  notes: `Each takes --help, --session SESSION for the tasks of one session only, and --home DIR for another
config home than $HEDDLE_HOME, else $CLAUDE_CONFIG_DIR, else ~/.heddle.`,
  examples: ['tasks list', 'tasks show b1f3a2', 'tasks stop b1f3a2'],
  exitCodes: '0 done, 1 an error; stop: 1 when a task was not seen to end.',
});

/** `heddle tasks …`; resolves with the exit code. */
export async function runTasks(argv: readonly string[]): Promise<number> {
  const chosen = await chooseCommand(argv, TASKS);
  if (!chosen) return 0;
  const { name, action, rest } = chosen;
  const own = { '--home': 'text', '--session': 'text', ...action.flags } as const;
  const args = parseCommandArgs(rest, { command: `heddle tasks ${name}`, own, run: [] });
  if (args) return action.run(args, await openTasksLocation(args));
  printHelp(action.help);
  return 0;
}

/** Where a command looks for tasks. Rejects with `session_not_found` for a `--session` that does not exist. */
async function openTasksLocation(args: CommandArgs): Promise<TasksLocation> {
  const location = openSessionsLocation(args);
  const session = args.text('--session');
  if (session === undefined) return { home: location.home };
  const { sessionId } = await findStored(session, location);
  return { home: location.home, sessionId };
}
