import { printable } from '../../util/printable.ts';
import type { HeddleError } from '../../wire/errors.ts';
import { usage } from '../args.ts';
import type { ActionGroup } from './action-group.ts';
import { sayHelp } from './terminal.ts';

/** What a command line calls; null when that was the help of the group, which has been said. */
export async function chooseAction<Action>(
  argv: readonly string[],
  { group, help, actions }: ActionGroup<Action>,
): Promise<{ name: string; action: Action; rest: string[] } | null> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h') {
    await sayHelp(help);
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
