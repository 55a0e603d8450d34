import type { SessionsLocation } from '../../../admin/sessions.ts';
import type { CommandArgs } from '../../flags/command-args.ts';

/** One of the commands of `heddle sessions`. */
export interface SessionsAction {
  help: string;
  flags: Readonly<Record<string, 'switch' | 'text'>>;
  /** Resolves with the exit code. */
  run(args: CommandArgs, location: SessionsLocation): Promise<number>;
}
