import { SERVER_SCOPES, type ServerScope } from '../../../admin/server-files.ts';
import type { Engine } from '../../../host/engine/engine.ts';
import { usage } from '../../flags/args.ts';
import type { CommandArgs, OwnFlag } from '../../flags/command-args.ts';

/** One of the commands of `heddle mcp`. */
export interface McpAction {
  help: string;
  flags: Readonly<Record<string, OwnFlag>>;
  short?: Readonly<Record<string, string>>;
  /** The flags of a run that have the same meaning here. */
  run?: readonly string[];
  /** Resolves with the exit code. */
  act(args: CommandArgs, engine: Engine): Promise<number>;
}

/** The scope that `--scope` names; null without the flag. */
export function scopeOf({ text }: CommandArgs): ServerScope | null {
  const given = text('--scope');
  if (given === undefined) return null;
  const scope = SERVER_SCOPES.find((each) => each === given);
  if (scope) return scope;
  const choices = SERVER_SCOPES.join(', ');
  throw usage(`option '--scope' argument '${given}' is invalid. Allowed choices are ${choices}.`);
}
