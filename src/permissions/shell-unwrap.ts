import type { OptionSchema } from './argv-schema.ts';
import { programName } from './shell-pattern.ts';
import { BASH_LIKE, INTERPRETERS, programBase, SHELLS } from './shell-programs.ts';
import {
  ANYTHING,
  NOTHING,
  notStatic,
  type OpenWord,
  type ShellScript,
  type SimpleCommand,
  type Word,
} from './shell-script.ts';
import { plainArgv } from './shell-words.ts';

/** How what a command starts is read in turn. */
export interface Within {
  text(text: string): ShellScript;
  words(words: readonly Word[], more?: Pick<SimpleCommand, 'elsewhere' | 'input'>): ShellScript;
}

/**
 * What a command starts by its own words: the command behind a wrapper, the code given to a shell. Null when it is not
 * known to start anything; programs that are no wrappers here may still be, so rules look at their words, too.
 */
export function unwrap(command: SimpleCommand, within: Within): ShellScript | null {
  const [name, ...args] = command.words;
  if (typeof name !== 'string') return null;
  const program = programName(name);
  const special = SPECIAL.get(program);
  if (special !== undefined) return special({ ...command, words: args }, within);
  const wrapper = WRAPPERS.get(program);
  if (wrapper !== undefined) return wrapped(program, args, wrapper, within);
  if (SHELLS.has(program)) return shell(program, { ...command, words: args }, within);
  return INTERPRETERS.has(programBase(program)) ? interpreter({ ...command, words: args }) : null;
}

interface Wrapper extends OptionSchema {
  /** Words of its own that come before the command. */
  skip?: number;
  /** Takes `NAME=value` before the command. */
  assigns?: true;
  /** The command runs in another directory. */
  elsewhere?: true;
}

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['nohup', {}],
  ['builtin', {}],
  ['coproc', {}],
  ['exec', { flags: 'cl', valued: 'a' }],
  ['time', { flags: 'pav', valued: 'fo', longs: ['portability', 'verbose'], valuedLongs: ['format', 'output'] }],
  ['timeout', { flags: 'v', valued: 'ks', longs: ['foreground', 'preserve-status', 'verbose'], valuedLongs: ['kill-after', 'signal'], skip: 1 }],
  ['nice', { valued: 'n', valuedLongs: ['adjustment'], count: true }],
  ['ionice', { flags: 't', valued: 'cn', longs: ['ignore'], valuedLongs: ['class', 'classdata'] }],
  ['stdbuf', { valued: 'ioe', valuedLongs: ['input', 'output', 'error'] }],
  ['setsid', { flags: 'cfw', longs: ['ctty', 'fork', 'wait'] }],
  ['sudo', { flags: 'AbEHknPS', valued: 'ugpCThrt', longs: ['non-interactive', 'preserve-env', 'set-home'], valuedLongs: ['user', 'group', 'preserve-env'], assigns: true }],
  ['doas', { flags: 'n', valued: 'u' }],
  ['chroot', { valuedLongs: ['userspec', 'groups'], longs: ['skip-chdir'], skip: 1, elsewhere: true }],
  ['strace', { flags: 'cCdfFhikqrtTvVwxyz', valued: 'abeEIoOpPsSuUX' }],
  ['ltrace', { flags: 'cCfhirStTV', valued: 'aAeDlnopsuwx' }],
  ['busybox', {}],
  ['toybox', {}],
]);

function wrapped(program: string, args: readonly Word[], wrapper: Wrapper, within: Within): ShellScript | null {
  const after = withoutOptions(args, wrapper);
  if (after === null) return notStatic(`what ${program} would run cannot be told`);
  const own = after.slice(0, wrapper.skip ?? 0);
  let rest = after.slice(wrapper.skip ?? 0);
  if (wrapper.assigns) rest = withoutAssignments(rest);
  if ([...own, ...rest.slice(0, 1)].some((word) => typeof word !== 'string' && word.many)) return notStatic(`what ${program} would run cannot be told`);
  return rest.length === 0 ? null : within.words(rest, wrapper.elsewhere && { elsewhere: true });
}

/** What follows the options; null when they are not all known, because then the command may begin anywhere. */
function withoutOptions(args: readonly Word[], schema: OptionSchema): readonly Word[] | null {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as Word;
    if (typeof arg !== 'string') return args.slice(at);
    if (arg === '--') return args.slice(at + 1);
    if (!arg.startsWith('-') || arg === '-') return args.slice(at);
    const values = optionValues(arg, schema);
    if (values === null) return null;
    at += values;
  }
  return [];
}

/** How many of the next words belong to an option; null for an unknown one. */
function optionValues(arg: string, { flags = '', valued = '', longs = [], valuedLongs = [], count }: OptionSchema): 0 | 1 | null {
  if (arg.startsWith('--')) {
    const [name = '', value] = arg.slice(2).split('=', 2);
    if (value !== undefined) return valuedLongs.includes(name) ? 0 : null;
    return longs.includes(name) ? 0 : valuedLongs.includes(name) ? 1 : null;
  }
  if (count && /^-\d+$/.test(arg)) return 0;
  for (let at = 1; at < arg.length; at++) {
    const letter = arg[at] as string;
    if (valued.includes(letter)) return at === arg.length - 1 ? 1 : 0;
    if (!flags.includes(letter)) return null;
  }
  return 0;
}

function withoutAssignments(words: readonly Word[]): readonly Word[] {
  const first = words.findIndex((word) => {
    const start = typeof word === 'string' ? word : word.many ? '' : word.parts[0];
    return typeof start !== 'string' || !/^[A-Za-z_]\w*=/.test(start);
  });
  return first === -1 ? [] : words.slice(first);
}

type Special = (command: SimpleCommand, within: Within) => ShellScript | null;

const unknowable = (reason: string) => () => notStatic(reason);
const ifGiven =
  (reason: string): Special =>
  ({ words }) =>
    words.length === 0 ? null : notStatic(reason);

const SPECIAL: ReadonlyMap<string, Special> = new Map<string, Special>([
  ['eval', ({ words }, within) => code(words, within)],
  ['trap', trap],
  ['source', unknowable('it runs a file as part of the shell')],
  ['.', unknowable('it runs a file as part of the shell')],
  ['alias', ifGiven('it gives a command another name')],
  ['enable', ifGiven('it changes the builtins of the shell')],
  ['shopt', ifGiven('it changes how the shell reads commands')],
  ['bind', ifGiven('it gives the shell code to run later')],
  ['complete', ifGiven('it gives the shell code to run later')],
  ['compgen', ifGiven('it gives the shell code to run later')],
  ['fc', unknowable('it runs commands again')],
  ['let', unknowable(CALCULATES())],
  ['set', setsKnownOptions],
  ['parallel', unknowable('it makes commands of what it reads')],
  ['at', unknowable('it takes commands from its input')],
  ['batch', unknowable('it takes commands from its input')],
  ['command', (command, within) => (describesOnly(command.words) ? null : wrapped('command', command.words, { flags: 'p' }, within))],
  ['env', env],
  ['xargs', xargs],
  ['find', find],
  ['watch', watch],
  ['flock', flock],
  ['script', withCode],
  ['su', withCode],
  ['runuser', withCode],
  ['[', checksNoIndex],
  ['test', checksNoIndex],
  ['printf', ({ words: [first, name] }) => (first === '-v' || isOpen(first) ? namesOnly([name ?? ANYTHING]) : startsWithV(first))],
  ...['read', 'unset', 'export', 'readonly', 'local', 'declare', 'typeset', 'getopts', 'mapfile', 'readarray', 'wait'].map(
    (name): [string, Special] => [name, ({ words }) => namesOnly(words)],
  ),
]);
