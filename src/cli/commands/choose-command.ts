import { printable } from '../../util/text/printable.ts';
import type { HeddleError } from '../../wire/errors.ts';
import { usage } from '../flags/args.ts';
import { printHelp } from '../terminal/terminal.ts';
import type { ActionGroup } from './command-group.ts';

/** The action that a command line calls; null when it asked for the help of the group, which has been printed. */
export async function chooseCommand<Action>(
  argv: readonly string[],
  { group, help, actions }: ActionGroup<Action>,
): Promise<{ name: string; action: Action; rest: string[] } | null> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h') {
    printHelp(help);
    return null;
  }
  const load = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (load) return { name, action: await load(), rest };
  throw unknownCommand(group, name, Object.keys(actions));
}

export function unknownCommand(group: string, name: string, known: readonly string[]): HeddleError {
  const message = `unknown command '${group} ${printable(name)}': use one of ${known.join(', ')}`;
  return usage(message, { unknown: name, known });
}
