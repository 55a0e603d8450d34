import type { OptionSchema } from '../commands/argv-schema.ts';
import { type Starts, unknowable, type Within } from './inner-code.ts';
import { inShell, startedByShell } from './interpreters.ts';
import { plainArgv } from './plain-words.ts';
import {
  ANY_TEXT,
  ANYTHING,
  argvOf,
  notStatic,
  type Redirect,
  type ShellScript,
  type SimpleCommand,
  type Word,
} from './shell-script.ts';
import { afterOptions } from './wrapper-options.ts';

interface WrapperSchema extends OptionSchema {
  /** The number of its own words before the command. */
  skip?: number;
  /** Takes `NAME=value` before the command. */
  assigns?: true;
  /** The command runs in another directory. */
  elsewhere?: true;
}

/** Programs that start the command which their words name. */
export const WRAPPERS: ReadonlyMap<string, Starts> = new Map<string, Starts>([
  ['nohup', wrapper({})],
  ['builtin', wrapper({})],
  ['coproc', wrapper({})],
  ['busybox', wrapper({})],
  ['toybox', wrapper({})],
  ['exec', wrapper({ flags: 'cl', valued: 'a' })],
  ['command', commandBuiltin],
  [
    'time',
    wrapper({ flags: 'apv', valued: 'fo', longs: ['portability', 'verbose'], valuedLongs: ['format', 'output'] }),
  ],
  [
    'timeout',
    wrapper({
      flags: 'v',
      valued: 'ks',
      longs: ['foreground', 'preserve-status', 'verbose'],
      valuedLongs: ['kill-after', 'signal'],
      skip: 1,
    }),
  ],
  ['nice', wrapper({ valued: 'n', valuedLongs: ['adjustment'], count: true })],
  ['ionice', wrapper({ flags: 't', valued: 'cn', longs: ['ignore'], valuedLongs: ['class', 'classdata'] })],
  ['stdbuf', wrapper({ valued: 'ioe', valuedLongs: ['input', 'output', 'error'] })],
  ['setsid', wrapper({ flags: 'cfw', longs: ['ctty', 'fork', 'wait'] })],
  [
    'sudo',
    wrapper({
      flags: 'AbEHknPS',
      valued: 'ugpCThrt',
      longs: ['non-interactive', 'preserve-env', 'set-home'],
      valuedLongs: ['user', 'group'],
      assigns: true,
    }),
  ],
  ['doas', wrapper({ flags: 'n', valued: 'u' })],
  ['chroot', wrapper({ longs: ['skip-chdir'], valuedLongs: ['userspec', 'groups'], skip: 1, elsewhere: true })],
  ['strace', strace],
  ['ltrace', wrapper({ flags: 'cCfhirStTV', valued: 'aAeDlnopsuwx' })],
  ['env', env],
  ['xargs', xargs],
  ['find', find],
  ['watch', watch],
  ['flock', flock],
  ['script', shellOption],
  ['su', shellOption],
  ['runuser', shellOption],
  ['sg', otherGroup],
  ['capsh', ({ words }, within) => startedByShell('bash', { words: afterDashes(words), assigns: [] }, within)],
  ['newgrp', unknowable('it starts a shell')],
  ['parallel', unknowable('it makes commands of what it reads')],
  ['run-parts', unknowable('it runs what it finds in a directory')],
  ['at', unknowable('it takes commands from its input')],
  ['batch', unknowable('it takes commands from its input')],
]);

const CANNOT_TELL = 'what a program that starts others would run cannot be told';

function wrapper(schema: WrapperSchema): Starts {
  return ({ words }, within) => {
    const after = afterOptions(words, schema);
    if (after === null) return notStatic(CANNOT_TELL);
    const skip = schema.skip ?? 0;
    const rest = after.slice(skip);
    // A word that may expand to several may begin with options, or be the command itself.
    if (after.slice(0, skip).some(isMany)) return notStatic(CANNOT_TELL);
    const command = schema.assigns ? withoutAssignments(rest) : rest;
    return command.length === 0 ? null : within.words(command, schema.elsewhere && { elsewhere: true });
  };
}

function isMany(word: Word | undefined): boolean {
  return typeof word === 'object' && word.many;
}

function withoutAssignments(words: readonly Word[]): readonly Word[] {
  const first = words.findIndex((word) => {
    const start = typeof word === 'string' ? word : word.many ? '' : word.parts[0];
    return typeof start !== 'string' || !/^[A-Za-z_]\w*=/.test(start);
  });
  return first === -1 ? [] : words.slice(first);
}

/** With `-v` or `-V` it only prints what a name means. */
function commandBuiltin(command: SimpleCommand, within: Within): ShellScript | null {
  const [first] = command.words;
  return typeof first === 'string' && /^-p?[vV]$/.test(first) ? null : wrapper({ flags: 'p' })(command, within);
}

const ENV: OptionSchema = {
  flags: 'i0v',
  valued: 'uCS',
  longs: ['ignore-environment', 'null', 'debug'],
  valuedLongs: ['unset', 'chdir', 'split-string'],
};

function env({ words, ...command }: SimpleCommand, within: Within): ShellScript | null {
  const after = afterOptions(words, ENV);
  if (after === null) return notStatic(CANNOT_TELL);
  const options = words.slice(0, words.length - after.length);
  const split = options.findIndex((word) => typeof word === 'string' && /^-(?:[i0v]*S|-split-string)/.test(word));
  if (split !== -1)
    return envSplit(options.slice(split), after, { ...command, words: options.slice(0, split) }, within);
  const rest = withoutAssignments(after[0] === '-' ? after.slice(1) : after);
  const moves = options.some((word) => typeof word === 'string' && /^-(?:[i0v]*C|-chdir)/.test(word));
  return rest.length === 0 ? null : within.words(rest, moves ? { elsewhere: true } : {});
}

/**
 * `-S 'rm x'` stands for the words in it, by env's own rules; they are those of a shell in which nothing is special.
 */
function envSplit(
  [option = '', next, ...others]: readonly Word[],
  after: readonly Word[],
  before: SimpleCommand,
  within: Within,
): ShellScript | null {
  const attached = typeof option === 'string' ? option.replace(/^-(?:[i0v]*S|-split-string=?)/, '') : '';
  const text = attached === '' ? next : attached;
  const argv = typeof text === 'string' ? plainArgv(text) : null;
  if (argv === null || (attached !== '' && next !== undefined) || others.length > 0) return notStatic(CANNOT_TELL);
  return env({ ...before, words: [...before.words, ...argv, ...after] }, within);
}

const XARGS: OptionSchema = {
  flags: '0rtpxo',
  valued: 'aEILnPsd',
  longs: ['null', 'no-run-if-empty', 'verbose', 'interactive', 'exit'],
  valuedLongs: ['arg-file', 'delimiter', 'max-lines', 'max-args', 'max-procs', 'max-chars'],
};

/** xargs appends the items it reads to the words of the command, or inserts them at a mark. */
function xargs({ words }: SimpleCommand, within: Within): ShellScript | null {
  const command = afterOptions(words, XARGS);
  if (command === null) return notStatic(CANNOT_TELL);
  if (command.length === 0) return null;
  const at = words.findIndex((word) => typeof word === 'string' && /^-[0rtpxo]*I/.test(word));
  const isOption = at !== -1 && at < words.length - command.length;
  if (!isOption) return within.words([...command, ANYTHING]);
  const option = words[at] as string;
  const mark = option.replace(/^-[0rtpxo]*I/, '') || words[at + 1];
  if (typeof mark !== 'string') return notStatic(CANNOT_TELL);
  return within.words(command.map((word) => filledIn(word, mark)));
}

/** A word in which a mark is replaced by unknown text. */
function filledIn(word: Word, mark: string): Word {
  if (typeof word !== 'string' || !word.includes(mark)) return word;
  const parts = word.split(mark).flatMap((text, at) => (at === 0 ? [text] : [ANY_TEXT, text]));
  return { parts: parts.filter((part) => part !== ''), many: false };
}

/** Each `-exec` starts a command; `-delete` removes the files it finds; `-fprint` and similar options write files. */
function find({ words }: SimpleCommand, within: Within): ShellScript | null {
  const scripts: ShellScript[] = [];
  const redirects: Redirect[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    if (word === '-delete') scripts.push(within.words(['rm', ANYTHING]));
    if (typeof word !== 'string') continue;
    if (/^-f(?:print0?|printf|ls)$/.test(word)) redirects.push({ kind: 'write', target: words[++at] ?? ANYTHING });
    if (!/^-(?:exec|ok)(?:dir)?$/.test(word)) continue;
    const end = words.findIndex(
      (each, position) => position > at && (each === ';' || (each === '+' && words[position - 1] === '{}')),
    );
    if (end === -1) return notStatic(CANNOT_TELL);
    const command = words.slice(at + 1, end).map((each) => filledIn(each, '{}'));
    if (command.length > 0) scripts.push(within.words(command, word.endsWith('dir') ? { elsewhere: true } : {}));
    at = end;
  }
  if (scripts.length === 0 && redirects.length === 0) return null;
  return {
    commands: scripts.flatMap(({ commands }) => commands),
    redirects,
    unknown: scripts.find(({ unknown }) => unknown !== null)?.unknown ?? null,
    ordered: false,
  };
}

const WATCH: OptionSchema = {
  flags: 'bcdegptvwxC',
  valued: 'nq',
  longs: ['beep', 'color', 'differences', 'errexit', 'chgexit', 'precise', 'no-title', 'exec'],
  valuedLongs: ['interval', 'equexit'],
};

function watch({ words }: SimpleCommand, within: Within): ShellScript | null {
  const command = afterOptions(words, WATCH);
  const argv = command === null ? null : argvOf({ words: command });
  if (argv === null) return notStatic(CANNOT_TELL);
  return argv.length === 0 ? null : inShell(argv.join(' '), within);
}

const FLOCK: OptionSchema = {
  flags: 'sxeunoFv',
  valued: 'wE',
  longs: ['shared', 'exclusive', 'unlock', 'nonblock', 'close', 'no-fork', 'verbose'],
  valuedLongs: ['timeout', 'wait', 'conflict-exit-code'],
};

function flock({ words }: SimpleCommand, within: Within): ShellScript | null {
  const [file, ...command] = afterOptions(words, FLOCK) ?? [ANYTHING];
  if (isMany(file)) return notStatic(CANNOT_TELL);
  if (command[0] === '-c' || command[0] === '--command') return inShell(command[1] ?? '', within);
  return command.length === 0 ? null : within.words(command);
}

/** `script -c code`, `su -c code`. Without the option they start a shell that reads its input. */
function shellOption({ words }: SimpleCommand, within: Within): ShellScript | null {
  const at = words.findIndex((word) => typeof word === 'string' && /^(?:-\w*c|--command)$/.test(word));
  const code = at === -1 ? undefined : words[at + 1];
  return code === undefined ? notStatic('it starts a shell') : inShell(code, within);
}

/** `sg group code`, `sg group -c code`. */
function otherGroup({ words }: SimpleCommand, within: Within): ShellScript | null {
  const code = words.filter((word) => word !== '-' && word !== '-c')[1];
  return code === undefined ? notStatic('it starts a shell') : inShell(code, within);
}

function afterDashes(words: readonly Word[]): readonly Word[] {
  const at = words.findIndex((word) => word === '--' || word === '==');
  return at === -1 ? ['-c', ANYTHING] : words.slice(at + 1);
}

const STRACE = wrapper({ flags: 'cCdfFhikqrtTvVwxyz', valued: 'abeEIoOpPsSuUX' });

/** Its output may go to a command: `-o '|code'`. */
function strace(command: SimpleCommand, within: Within): ShellScript | null {
  const isCode = (word: Word) => typeof word !== 'string' || /^(?:-\w*o)?[|!]/.test(word);
  return command.words.some(isCode) ? notStatic(CANNOT_TELL) : STRACE(command, within);
}
