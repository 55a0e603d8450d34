import type { PluginStore } from '../../../plugins/marketplaces.ts';
import { printable } from '../../../util/text/printable.ts';
import { usage } from '../../flags/args.ts';
import type { CommandArgs, CommandFlags, OwnFlag } from '../../flags/command-args.ts';
import { canAsk, confirms, printLines, printRemark } from '../../terminal/terminal.ts';

/** One command below `heddle plugin`. */
export interface PluginAction {
  help: string;
  flags: Readonly<Record<string, OwnFlag>>;
  short?: CommandFlags['short'];
  /** Resolves with the exit code. */
  act(args: CommandArgs, store: PluginStore): Promise<number>;
}

export const SCOPE_SHORT = { '-s': '--scope' } as const;

export const SCOPE_HELP = `  -s, --scope SCOPE   user (everywhere; the default), project (its settings, for everybody who works
                      on it), or local (you, in this directory)
  --json              one line of JSON`;

export function scopeOption(args: CommandArgs): string | undefined {
  const scope = args.text('--scope');
  if (scope === undefined || ['user', 'project', 'local'].includes(scope)) return scope;
  throw usage(`option '--scope' argument '${printable(scope)}' is invalid. Allowed choices are user, project, local.`);
}

/** What a command has done: a sentence for people, one line for programs. */
export function report(
  args: CommandArgs,
  fields: { command: string; message: string; [key: string]: unknown },
): number {
  const { command, message, ...more } = fields;
  if (args.has('--json')) printLines([JSON.stringify({ command, outcome: 'ok', ...more, message })]);
  else printLines([printable(message)]);
  return 0;
}

/** Asks on the terminal. Where there is none to ask on, the answer is no, and `otherwise` says what to do. */
export async function agreed(question: string, otherwise: string): Promise<boolean> {
  if (canAsk(process.stderr)) return confirms(question, process.stderr);
  printRemark(otherwise);
  return false;
}
