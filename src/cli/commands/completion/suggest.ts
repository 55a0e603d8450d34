import { FLAGS, type Flag } from '../../../wire/flags.ts';
import { type HelpOption, type HelpShape, readHelp } from './help-shape.ts';

/** A word that fits, with what it means. */
export interface Suggestion {
  value: string;
  text: string;
}

/** What can stand at the end of a command line: words, or names of files that the shell knows better. */
export type Suggested = readonly Suggestion[] | 'files' | 'directories';

/** Help texts by the words that call a command, as `heddle help` has them. */
export type Helps = Readonly<Record<string, () => Promise<string>>>;

/** What a placeholder of a help text stands for, such as `SESSION`; null: any text. `written`: the word so far. */
export type ValuesOf = (kind: string, written: string) => Promise<Suggested | null>;

/**
 * What the last word can be, by the help texts: `words` are those behind `heddle`. The shell filters by what is written
 * already.
 */
export async function suggest(words: readonly string[], helps: Helps, valuesOf: ValuesOf): Promise<Suggested> {
  const before = words.slice(0, -1);
  const written = words.at(-1) ?? '';
  if (before[0] === 'help') return commandsBelow(before.slice(1), helps);
  const command = commandOf(before, helps);
  const shape = readHelp((await helps[command]?.()) ?? '', command);
  const options = await withRunTexts(shape.options, command, helps);
  const line = readLine(before.slice(command.split(' ').length - 1), options);
  const bound = /^(--[\w-]+)=(.*)$/s.exec(written);
  if (bound && !line.isEnded) {
    const found = await valuesOfOption(optionNamed(bound[1] ?? '', options), valuesOf, bound[2] ?? '');
    return typeof found === 'string' ? found : found.map((each) => ({ ...each, value: `${bound[1]}=${each.value}` }));
  }
  const isOption = written.startsWith('-') && !line.isEnded;
  if (line.open && (line.open.mustHave || !isOption)) {
    const found = await valuesOfOption(line.open.option, valuesOf, written);
    if (line.open.mustHave || found.length > 0) return found;
  }
  if (isOption) return options.map(({ name, text }) => ({ value: name, text }));
  if (command === 'heddle') return before.length === 0 ? commandsBelow([], helps) : [];
  return wordsAt(line.words, { shape, command, helps }, (kind) => valuesOf(kind, written));
}

/** The longest command that the words begin with. */
function commandOf([first = '', second = '']: readonly string[], helps: Helps): string {
  const names = [`heddle ${first} ${second}`, `heddle ${first}`];
  return names.find((name) => Object.hasOwn(helps, name)) ?? 'heddle';
}

/** The commands that begin with these words, with what the help of the group says about them. */
async function commandsBelow(words: readonly string[], helps: Helps): Promise<Suggestion[]> {
  const group = ['heddle', ...words].join(' ');
  const names = Object.keys(helps).filter((name) => name.startsWith(`${group} `));
  const next = new Set(names.map((name) => name.slice(group.length + 1).split(' ')[0] ?? ''));
  if (group === 'heddle') next.add('help');
  const told = readHelp((await helps[group]?.()) ?? '', group).words;
  return [...next].map((value) => ({ value, text: told.get(value) ?? '' }));
}

/** Options of a run are described by the help of a run. */
async function withRunTexts(options: readonly HelpOption[], command: string, helps: Helps): Promise<HelpOption[]> {
  if (command === 'heddle' || options.every(({ text }) => text !== '')) return [...options];
  const run = readHelp((await helps.heddle?.()) ?? '', 'heddle').options;
  return options.map((option) => {
    const same = option.text === '' ? run.find(({ name }) => name === option.name) : undefined;
    return same ? { ...same, value: option.value ?? same.value } : option;
  });
}

interface Line {
  /** The words that belong to no option. */
  words: string[];
  /** The option whose value comes next. */
  open: { option: HelpOption; mustHave: boolean } | null;
  /** After `--`. */
  isEnded: boolean;
}

/** Reads the words as the command will (`readWords` of src/cli/flags/args.ts). */
function readLine(before: readonly string[], options: readonly HelpOption[]): Line {
  const line: Line = { words: [], open: null, isEnded: false };
  let isList = false;
  for (const word of before) {
    if (line.isEnded) line.words.push(word);
    else if (word === '--') [line.open, line.isEnded, isList] = [null, true, false];
    else if (line.open?.mustHave) line.open = isList ? { ...line.open, mustHave: false } : null;
    else if (word.startsWith('-') && word !== '-') {
      const option = word.includes('=') ? null : optionNamed(word, options);
      const flag = option ? flagOf(option) : undefined;
      isList = flag !== undefined && LISTS.has(flag.kind);
      line.open = option && option.value !== null ? { option, mustHave: flag?.kind !== 'optional' } : null;
    } else if (isList && line.open) {
      // one more value of the list
    } else {
      if (line.open) line.open = null;
      else line.words.push(word);
    }
  }
  return line;
}

const LISTS: ReadonlySet<Flag['kind']> = new Set(['list', 'rules', 'words']);

const flagOf = ({ name }: HelpOption) => FLAGS.find((flag) => flag.name === name);

function optionNamed(word: string, options: readonly HelpOption[]): HelpOption {
  const name = FLAGS.find(({ aliases }) => aliases?.includes(word))?.name ?? word;
  const found = options.find((each) => each.name === name || each.short === word);
  return found ?? { name, value: null, text: '' };
}

async function valuesOfOption(option: HelpOption, valuesOf: ValuesOf, written: string): Promise<Suggested> {
  const choices = flagOf(option)?.choices ?? choicesIn(option.value);
  if (choices.length > 0) return choices.map((value) => ({ value, text: '' }));
  return (await valuesOf(option.name, written)) ?? (await valuesOf(option.value ?? '', written)) ?? [];
}

/** `user|project|local`; a word in capitals stands for something else. */
function choicesIn(value: string | null): string[] {
  if (!value?.includes('|')) return [];
  return value.split('|').filter((each) => each !== '' && each !== each.toUpperCase());
}

/** What may come after the words, by the usage lines that begin like them. */
async function wordsAt(
  words: readonly string[],
  { shape, command, helps }: { shape: HelpShape; command: string; helps: Helps },
  valuesOf: (kind: string) => Promise<Suggested | null>,
): Promise<Suggested> {
  const found: Suggestion[] = [];
  for (const usage of shape.usages) {
    const fits = words.every((word, at) => !isLiteral(usage[at]) || usage[at]?.split('|').includes(word));
    const next = usage[words.length] ?? repeated(usage.at(-1));
    if (!fits || next === undefined) continue;
    if (next === 'COMMAND') return commandsBelow(command.split(' ').slice(1), helps);
    if (isLiteral(next)) found.push(...next.split('|').map((value) => ({ value, text: shape.words.get(value) ?? '' })));
    else {
      const values = await valuesOf(next.replace(/[[\]\u2026.]/g, ''));
      if (typeof values === 'string') return values;
      found.push(...(values ?? []));
    }
  }
  return found.filter(({ value }, at) => found.findIndex((other) => other.value === value) === at);
}

/** A word of the command line itself, or several to choose from; `directory` and `KEY` stand for others. */
const isLiteral = (word: string | undefined) =>
  word !== undefined && /^[a-z][\w-|]*$/.test(word) && !PLACEHOLDERS.has(word);

const PLACEHOLDERS: ReadonlySet<string> = new Set(['directory', 'command', 'prompt']);

/** `SESSION…` may be repeated. */
const repeated = (word: string | undefined) => (word?.replace(/\]$/, '').endsWith('…') ? word : undefined);
