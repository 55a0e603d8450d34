import { printable } from '../../util/printable.ts';
import { usage } from '../args.ts';
import { COMMAND_HELP } from './all-help.ts';
import { sayHelp } from './terminal.ts';

/** `heddle help [COMMAND…]`; resolves with the exit code. */
export async function runHelp(argv: readonly string[]): Promise<number> {
  const words = argv.filter((word) => !word.startsWith('-') && word !== 'help');
  const load = helpOf(words) ?? helpOfWhole(words);
  if (!load) {
    const known = Object.keys(COMMAND_HELP).map((each) => each.slice('heddle '.length));
    const unknown = words.join(' ');
    throw usage(`unknown command '${printable(unknown)}' (heddle --help lists the commands)`, { unknown, known });
  }
  await sayHelp(await load());
  return 0;
}

function helpOf(words: readonly string[]): (() => Promise<string>) | undefined {
  const name = ['heddle', ...words].join(' ');
  return Object.hasOwn(COMMAND_HELP, name) ? COMMAND_HELP[name] : undefined;
}

/** `config set`, `hooks list`: the help of the first word has it all, as there is none for the second. */
function helpOfWhole([first = '']: readonly string[]): (() => Promise<string>) | undefined {
  const isSplit = Object.keys(COMMAND_HELP).some((name) => name.startsWith(`heddle ${first} `));
  return isSplit ? undefined : helpOf([first]);
}
