import { nearestWord } from '../util/nearest.ts';
import { printable } from '../util/printable.ts';
import { shellQuoted } from '../util/shell-word.ts';
import { HeddleError } from '../wire/errors.ts';
import { FLAGS, type FlagKind } from '../wire/flags.ts';
import { usage } from './args.ts';
import { COMMAND_HELP } from './commands/all-help.ts';

/** After the message of an error that has ended the program: an error of ours gets hints, any other is a bug with a stack. */
export async function tellMore(error: unknown, argv: readonly string[]): Promise<void> {
  for (const line of await moreLines(error, argv)) process.stderr.write(`${line}\n`);
}

async function moreLines(error: unknown, argv: readonly string[]): Promise<string[]> {
  if (HeddleError.isInstance(error)) return mistakeHints(error.facts, argv);
  if (!(error instanceof Error)) return [];
  if ('syscall' in error && error.syscall === 'uv_cwd') return ['The current directory is gone: change to another one'];
  // What the system says tells which file and why; a stack would say nothing more.
  if ('syscall' in error && 'code' in error) return ['heddle doctor checks what a run needs on this machine'];
  return [String(error.stack)];
}

/**
 * What helps after a mistake on a command line: the word that was probably meant, and how the command is used. Empty for
 * an error that has nothing to do with words.
 */
export async function mistakeHints(
  facts: Readonly<Record<string, unknown>>,
  argv: readonly string[],
): Promise<string[]> {
  if (facts.unknown === undefined && facts.missing === undefined) return [];
  const command = commandOf(argv);
  const help = await COMMAND_HELP[command]?.();
  return [...meantHints(facts, argv, command), '', ...usageLines(help ?? '')];
}

/** Throws `invalid_option` for a single word that is nearly the name of a command: as a prompt it would cost money. */
export function refuseNearCommand(word: string): void {
  if (nearestWord(word, commandNames()) === null) return;
  throw usage(`unknown command '${printable(word)}'`, { unknown: word, words: [word] });
}

/** `--resume` without a value, where nobody can be shown a list to choose from. */
export function sessionMissing(): HeddleError {
  const forms = 'its id, the start of it, its title, or a file';
  const where = 'heddle sessions list shows them; --continue takes the newest';
  return usage(`option '--resume' needs a session: ${forms} (${where})`);
}

/** Throws `invalid_option` where somebody asks for the help of a command that there is not. */
export function refuseUnknownHelp(word: string): void {
  throw usage(`unknown command '${printable(word)}' (heddle --help lists the commands)`, { unknown: word });
}

/** The longest command that the words begin with. */
function commandOf([first = '', second = '']: readonly string[]): string {
  const names = [`heddle ${first} ${second}`, `heddle ${first}`];
  return names.find((name) => Object.hasOwn(COMMAND_HELP, name)) ?? 'heddle';
}

function meantHints(facts: Readonly<Record<string, unknown>>, argv: readonly string[], command: string): string[] {
  const [first = ''] = argv;
  const isCommand = command !== 'heddle' || first === 'help';
  const meantCommand = isCommand || first.startsWith('-') ? null : nearestWord(first, commandNames());
  const meant = meantCommand === null ? nearestKnown(facts) : `heddle ${WRITTEN_AS[meantCommand] ?? meantCommand}`;
  const taker = facts.missing === 'prompt' ? takerOfPrompt(argv) : null;
  const words = Array.isArray(facts.words) ? facts.words.map(String) : [];
  return [
    ...(meant === null ? [] : [`Did you mean ${meant}?`]),
    ...(taker === null ? [] : [`${taker} takes all words up to the next option: give the prompt before it`]),
    ...(words.length === 0 ? [] : [`As a prompt: heddle -p ${quoted(words.join(' '))}`]),
  ];
}

/** The last option, where it takes a list and has got several words: one of them may have been meant as the prompt. */
function takerOfPrompt(argv: readonly string[]): string | null {
  const at = argv.findLastIndex((word) => word.startsWith('-'));
  const name = argv[at] ?? '';
  const flag = FLAGS.find((each) => each.name === name || each.aliases?.includes(name));
  return flag && LISTS.has(flag.kind) && argv.length - at > 2 ? name : null;
}

const LISTS: ReadonlySet<FlagKind> = new Set(['list', 'rules', 'words']);

/** A single letter is near all others. */
function nearestKnown({ unknown, known }: Readonly<Record<string, unknown>>): string | null {
  if (typeof unknown !== 'string' || !Array.isArray(known)) return null;
  if (unknown.startsWith('-') && unknown.length < 3) return null;
  return nearestWord(
    unknown,
    known.filter((each): each is string => typeof each === 'string' && !/^-.$/.test(each)),
  );
}

function commandNames(): string[] {
  const names = Object.keys(COMMAND_HELP).flatMap((name) => name.split(' ').slice(1, 2));
  return [...new Set([...names, 'help', ...Object.keys(WRITTEN_AS)])];
}

/** Commands of other programs that are flags here. */
const WRITTEN_AS: Readonly<Record<string, string>> = { version: '--version' };

function usageLines(help: string): string[] {
  return (help.split('\n\n')[0] ?? '').split('\n');
}

/** As a shell takes it for one word. */
function quoted(text: string): string {
  const shown = printable(text);
  return /["$`\\!]/.test(shown) ? shellQuoted(shown) : `"${shown}"`;
}
