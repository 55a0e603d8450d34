import { printable } from '../../util/printable.ts';
import { usage } from '../args.ts';
import { COMMAND_HELP } from './all-help.ts';
import { sayLines } from './terminal.ts';

/** `heddle help [COMMAND…]`; resolves with the exit code. */
export async function runHelp(argv: readonly string[]): Promise<number> {
  const name = ['heddle', ...argv.filter((word) => !word.startsWith('-'))].join(' ');
  const load = Object.hasOwn(COMMAND_HELP, name) ? COMMAND_HELP[name] : undefined;
  if (!load) {
    const known = Object.keys(COMMAND_HELP).map((each) => each.slice('heddle '.length));
    const word = name.slice('heddle '.length);
    throw usage(`error: unknown command '${printable(word)}'`, { unknown: word, known });
  }
  sayLines([(await load()).trimEnd()]);
  return 0;
}
