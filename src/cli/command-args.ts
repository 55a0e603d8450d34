import { FLAGS } from '../wire/flags.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { assign, readWords, runTargets, type Target, usage } from './args.ts';

export interface CommandFlags {
  /** What it is called, for error messages: `heddle config`. */
  command: string;
  /** Its own flags: a `switch` is there or not, a `text` has a value. */
  own: Readonly<Record<string, 'switch' | 'text'>>;
  /** The flags of a run that mean the same here. */
  run: readonly string[];
}

export interface CommandArgs {
  words: string[];
  config: RunConfig;
  /** The value of one of its own flags, or undefined. */
  text(flag: string): string | undefined;
  has(flag: string): boolean;
}

/** The arguments of a subcommand; null when its help is asked for. The same grammar as that of a run. */
export function parseCommandArgs(argv: readonly string[], { command, own, run }: CommandFlags): CommandArgs | null {
  const config: RunConfig = {};
  const given = new Map<string, string>();
  let wantsHelp = false;
  const targets = new Map<string, Target>([
    ...FLAGS.filter(({ name }) => run.includes(name)).flatMap(runTargets),
    ...Object.entries(own).map(([name, arity]): [string, Target] => [name, { name, arity }]),
    ...['-h', '--help'].map((name): [string, Target] => [name, { name, arity: 'help' }]),
  ]);
  const words = readWords(argv, { targets, help: `${command} --help` }, ({ name, arity, flag }, values) => {
    if (arity === 'help') wantsHelp = true;
    else if (flag) assign(config, flag, values);
    else given.set(name, values[0] ?? '');
  });
  if (wantsHelp) return null;
  return { words, config, text: (flag) => given.get(flag), has: (flag) => given.has(flag) };
}

/** The words of a subcommand that takes so many. */
export function takeWords(words: readonly string[], names: readonly string[], least = names.length): string[] {
  const missing = names[words.length];
  if (words.length < least) throw usage(`error: ${missing} is missing (--help says how it is used)`);
  const extra = words[names.length];
  if (extra !== undefined) throw usage(`error: unexpected argument '${extra}'`);
  return [...words];
}
