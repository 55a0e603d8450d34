import type { HeddleError } from '../../wire/errors.ts';
import { FLAGS } from '../../wire/flags.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import { assign, readWords, runTargets, type Target, usage } from './args.ts';

export type OwnFlag = 'switch' | 'text' | 'texts';

export interface CommandFlags {
  /** The name of the command in error messages: `heddle config`. */
  command: string;
  /** Its own flags: a `switch` has no value, a `text` has one, `texts` may be repeated. */
  own: Readonly<Record<string, OwnFlag>>;
  /** Short names of its own flags: `-s` for `--scope`. */
  short?: Readonly<Record<string, string>>;
  /** The flags of a run that have the same meaning here. */
  run: readonly string[];
}

export interface CommandArgs {
  words: string[];
  config: RunConfig;
  /** The value of one of its own flags, or undefined. */
  text(flag: string): string | undefined;
  /** Every value of one of its own flags. */
  texts(flag: string): readonly string[];
  has(flag: string): boolean;
}

/** The arguments of a subcommand; null when the user asks for its help. Uses the grammar of a run. */
export function parseCommandArgs(
  argv: readonly string[],
  { command, own, run, short = {} }: CommandFlags,
): CommandArgs | null {
  const config: RunConfig = {};
  const given = new Map<string, string[]>();
  let wantsHelp = false;
  const targets = new Map<string, Target>([
    ...FLAGS.filter(({ name }) => run.includes(name)).flatMap(runTargets),
    ...Object.keys(own).map((name): [string, Target] => [name, ownTarget(name, own)]),
    ...Object.entries(short).map(([word, name]): [string, Target] => [word, ownTarget(name, own)]),
    ...['-h', '--help'].map((name): [string, Target] => [name, { name, arity: 'help' }]),
  ]);
  const words = readWords(argv, { targets, help: `${command} --help` }, ({ name, arity, flag }, values) => {
    if (arity === 'help') wantsHelp = true;
    else if (flag) assign(config, flag, values);
    else given.set(name, [...(given.get(name) ?? []), ...values]);
  });
  if (wantsHelp) return null;
  return {
    words,
    config,
    text: (flag) => given.get(flag)?.at(-1),
    texts: (flag) => given.get(flag) ?? [],
    has: (flag) => given.has(flag),
  };
}

function ownTarget(name: string, own: CommandFlags['own']): Target {
  return { name, arity: own[name] === 'switch' ? 'switch' : 'text' };
}

/** The words of a subcommand that takes this many. */
export function takeWords(words: readonly string[], names: readonly string[], least = names.length): string[] {
  const missing = names[words.length];
  if (words.length < least) throw missingWord(missing ?? 'a word');
  const extra = words[names.length];
  if (extra !== undefined) throw usage(`unexpected argument '${extra}'`, { unknown: extra });
  return [...words];
}

/** `name` is the word's name in the usage. */
export function missingWord(name: string): HeddleError {
  return usage(`${name} is missing (--help says how it is used)`, { missing: name });
}
