import type { SessionsPlace } from '../../host/stored-sessions.ts';
import type { CommandArgs } from '../command-args.ts';

/** One of the commands of `heddle sessions`. */
export interface SessionsAction {
  help: string;
  flags: Readonly<Record<string, 'switch' | 'text'>>;
  /** Resolves with the exit code. */
  run(args: CommandArgs, place: SessionsPlace): Promise<number>;
}
