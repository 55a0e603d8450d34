import type { TasksLocation } from '../../../admin/tasks.ts';
import type { CommandArgs } from '../../flags/command-args.ts';

/** One of the commands of `heddle tasks`. */
export interface TasksAction {
  help: string;
  flags: Readonly<Record<string, 'switch' | 'text'>>;
  /** Resolves with the exit code. */
  run(args: CommandArgs, location: TasksLocation): Promise<number>;
}
