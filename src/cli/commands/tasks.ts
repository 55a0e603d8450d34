import type { TasksPlace } from '../../host/stored-tasks.ts';
import { type CommandArgs, parseCommandArgs } from '../command-args.ts';
import { defineGroup } from './action-group.ts';
import { chooseAction } from './choose-action.ts';
import { openTasksPlace } from './tasks-place.ts';
import { sayHelp } from './terminal.ts';

/** One of the commands of `heddle tasks`. */
export interface TasksAction {
  help: string;
  flags: Readonly<Record<string, 'switch' | 'text'>>;
  /** Resolves with the exit code. */
  run(args: CommandArgs, place: TasksPlace): Promise<number>;
}

export const TASKS = defineGroup<TasksAction>({
  group: 'tasks',
  about: `Shows and stops what sessions have in the background: commands and agents, also those of other
processes, and commands that were started to outlive their session. TASK is an id, or the beginning
of one.`,
  commands: {
    list: { does: 'all tasks, those that run first', load: async () => (await import('./tasks-list.ts')).list },
    show: { does: 'a task, and the end of its output', load: async () => (await import('./tasks-show.ts')).show },
    stop: { does: 'end a task with all that it has started', load: async () => (await import('./tasks-stop.ts')).stop },
  },
  notes: `Each takes --help, --session SESSION for the tasks of one session only, and --home DIR for another
config home than $HEDDLE_HOME, else $CLAUDE_CONFIG_DIR, else ~/.heddle.`,
  examples: ['tasks list', 'tasks show b1f3a2', 'tasks stop b1f3a2'],
  exitCodes: '0 done, 1 an error; stop: 1 when a task was not seen to end.',
});

/** `heddle tasks …`; resolves with the exit code. */
export async function runTasks(argv: readonly string[]): Promise<number> {
  const chosen = await chooseAction(argv, TASKS);
  if (!chosen) return 0;
  const { name, action, rest } = chosen;
  const own = { '--home': 'text', '--session': 'text', ...action.flags } as const;
  const args = parseCommandArgs(rest, { command: `heddle tasks ${name}`, own, run: [] });
  if (args) return action.run(args, await openTasksPlace(args));
  await sayHelp(action.help);
  return 0;
}
