import { nearestWord } from '../../util/text/nearest.ts';
import { printable } from '../../util/text/printable.ts';
import { shellQuoted } from '../../util/text/shell-word.ts';
import { FLAGS, type FlagKind } from '../../wire/flags.ts';
import { usage } from '../flags/args.ts';
import { COMMAND_HELP } from './all-help.ts';
import { refuseReferenceCommand } from './reference-commands.ts';

/**
 * Hints after a mistake on a command line: the word that the user probably meant, and the usage of the command. Empty
 * for an error that does not concern words.
 */
export async function mistakeHints(
  details: Readonly<Record<string, unknown>>,
  argv: readonly string[],
): Promise<string[]> {
  if (details.unknown === undefined && details.missing === undefined) return [];
  const command = commandOf(argv);
  const help = await COMMAND_HELP[command]?.();
  return [...meantHints(details, argv, command), '', ...usageLines(help ?? '')];
}

/** Throws `invalid_option` when the first word is probably meant as a command, and there is none of that name. */
export function refuseMistakenCommand(word: string, argv: readonly string[]): void {
  refuseReferenceCommand(word);
  if (argv.length === 1) refuseNearCommand(word);
  if (argv.includes('--help') || argv.includes('-h')) refuseUnknownHelp(word);
}

/** Throws `invalid_option` for a single word that is nearly the name of a command: as a prompt it would cost money. */
export function refuseNearCommand(word: string): void {
  if (nearestWord(word, commandNames()) === null) return;
  throw usage(`unknown command '${printable(word)}'`, { unknown: word, words: [word] });
}

/** Throws `invalid_option` when the user asks for the help of an unknown command. */
function refuseUnknownHelp(word: string): void {
  throw usage(`unknown command '${printable(word)}' (heddle --help lists the commands)`, { unknown: word });
}

/** The longest command that the words begin with. */
function commandOf([first = '', second = '']: readonly string[]): string {
  const names = [`heddle ${first} ${second}`, `heddle ${first}`];
  return names.find((name) => Object.hasOwn(COMMAND_HELP, name)) ?? 'heddle';
}

function meantHints(details: Readonly<Record<string, unknown>>, argv: readonly string[], command: string): string[] {
  const [first = ''] = argv;
  const isCommand = command !== 'heddle' || first === 'help';
  const meantCommand = isCommand || first.startsWith('-') ? null : nearestWord(first, commandNames());
  const meant = meantCommand === null ? nearestKnown(details) : `heddle ${WRITTEN_AS[meantCommand] ?? meantCommand}`;
  const taker = details.missing === 'prompt' ? takerOfPrompt(argv) : null;
  const words = Array.isArray(details.words) ? details.words.map(String) : [];
  return [
    ...(meant === null ? [] : [`Did you mean ${meant}?`]),
    ...(taker === null ? [] : [`${taker} takes all words up to the next option: give the prompt before it`]),
    ...(words.length === 0 ? [] : [`As a prompt: heddle -p ${quoted(words.join(' '))}`]),
  ];
}

/** The last option, if it takes a list and has several words: the user may have meant one of them as the prompt. */
function takerOfPrompt(argv: readonly string[]): string | null {
  const at = argv.findLastIndex((word) => word.startsWith('-'));
  const name = argv[at] ?? '';
  const flag = FLAGS.find((each) => each.name === name || each.aliases?.includes(name));
  return flag && LISTS.has(flag.kind) && argv.length - at > 2 ? name : null;
}

const LISTS: ReadonlySet<FlagKind> = new Set(['list', 'rules', 'words']);

/** A single letter resembles every other letter. */
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

/** Quoted, so that a shell reads it as one word. */
function quoted(text: string): string {
  const shown = printable(text);
  return /["$`\\!]/.test(shown) ? shellQuoted(shown) : `"${shown}"`;
}
