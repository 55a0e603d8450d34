import { codeIn, type Within } from './inner-code.ts';
import { programName } from './program-patterns.ts';
import { BASH_LIKE, SHELLS } from './programs.ts';
import { notStatic, type ShellScript, type SimpleCommand, type Word } from './shell-script.ts';

/**
 * The code that a shell runs, given as a word or as its input. A script file is a separate program, whose content is
 * not read.
 */
export function startedByShell(name: string, command: SimpleCommand, within: Within): ShellScript | null {
  const options = shellOptions(command.words);
  if (options === null) return notStatic(`what ${name} would run cannot be told`);
  const [first] = options.operands;
  if (options.takesCode) return first === undefined ? null : shellCode(name, first, within);
  if (first !== undefined && !options.readsInput) {
    const isFile = typeof first === 'string' && first !== '-' && !/^\/(?:dev|proc)\//.test(first);
    return isFile ? null : notStatic(`which script ${name} would run cannot be told`);
  }
  const { input } = command;
  return input === undefined ? notStatic(`${name} takes commands from its input`) : shellCode(name, input, within);
}

/** The script that `sh -c` runs. */
export function inShell(code: Word, within: Within): ShellScript | null {
  return startedByShell('sh', { words: ['-c', code], assigns: [] }, within);
}

/** Any program may start others: a shell with code among its words counts as started (`chrt 1 sh -c …`). */
export function shellBehind({ words }: SimpleCommand, within: Within): ShellScript | null {
  const at = words.findIndex(
    (word, each) => typeof word === 'string' && SHELLS.has(programName(word)) && takesCode(words.slice(each + 1)),
  );
  return at === -1 ? null : within.words(words.slice(at));
}

function takesCode(words: readonly Word[]): boolean {
  const operand = words.findIndex((word) => typeof word !== 'string' || !/^[-+]/.test(word));
  return words
    .slice(0, operand === -1 ? words.length : operand)
    .some((word) => typeof word === 'string' && /^-[a-zA-Z]*c/.test(word));
}

interface ShellOptions {
  takesCode: boolean;
  readsInput: boolean;
  operands: readonly Word[];
}

const HARMLESS_LONGS = new Set(['--login', '--norc', '--noprofile', '--posix', '--restricted', '--verbose']);

function shellOptions(words: readonly Word[]): ShellOptions | null {
  const options = { takesCode: false, readsInput: false };
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (typeof word !== 'string') return null;
    if (word === '--') return { ...options, operands: words.slice(at + 1) };
    if (!/^[-+]./.test(word)) return { ...options, operands: words.slice(at) };
    if (word.startsWith('--')) {
      if (!HARMLESS_LONGS.has(word)) return null;
      continue;
    }
    if (!/^[-+][a-zA-Z]+$/.test(word)) return null;
    if (word.startsWith('-') && word.includes('c')) options.takesCode = true;
    if (word.startsWith('-') && word.includes('s')) options.readsInput = true;
    if (/[oO]/.test(word)) at++;
  }
  return { ...options, operands: [] };
}

/** Shells other than bash read some of its syntax differently, such as `[[` as the name of a program. */
function shellCode(name: string, code: Word, within: Within): ShellScript | null {
  if (!BASH_LIKE.has(name)) return notStatic(`${name} is another language than bash`);
  const isBash = name === 'bash' || name === 'rbash';
  if (!isBash && typeof code === 'string' && /\$['"]|\[\[|\(\(|&>/.test(code)) {
    return notStatic(`${name} may take this code for something else than bash would`);
  }
  return codeIn(code, within);
}

/** Code for another interpreter is not parsed, but it must be known: rules search it for words. */
export function startedByInterpreter(name: string, command: SimpleCommand): ShellScript | null {
  const { words, input } = command;
  const operand = words.findIndex((word) => typeof word !== 'string' || !word.startsWith('-') || word === '-');
  const open = words.findIndex((word) => typeof word !== 'string');
  const code = input === undefined ? words : [...words, input];
  if (code.some((word) => startsPrograms(word, STARTS_PROGRAMS.get(name) ?? CALLS))) {
    return notStatic(`${name} is given code that starts programs`);
  }
  const isCode = open !== -1 && (open === operand || isCodeOption(words[open - 1]));
  if (isCode) return notStatic(`${name} runs code that is not known beforehand`);
  const takesInput = operand === -1 ? !words.some(isCodeOption) : words[operand] === '-' || isDevice(words[operand]);
  if (!takesInput || typeof input === 'string') return null;
  return notStatic(`${name} takes code from its input`);
}

/** Whether a word is code that can start programs, judged by the names that such code needs. */
function startsPrograms(word: Word, signs: RegExp): boolean {
  const text = typeof word === 'string' ? word : word.parts.filter((part) => typeof part === 'string').join(' ');
  // File names are not code; only sed's code may look like one.
  return (signs === SED || /[\s(;`"'|]/.test(text)) && signs.test(text);
}

/** Functions of Python, Perl, Ruby, JavaScript and PHP that start programs, or run text as code. */
const CALLS = /system|popen|exec|spawn|fork|subprocess|child_process|\bpty\b|shell|eval|passthru|proc_open|\bqx\b|%x|`/;
const AWK = /system|getline|print[^;}]*\||@(?:load|include)/;
/** The command `e`, and the flag `e` after an `s` command. */
const SED = /(?:^|[;{}\n\d$/])\s*e(?:\s|$)|s(.).*\1.*\1\w*e\w*\s*(?:$|[;}\n])/s;

const STARTS_PROGRAMS: ReadonlyMap<string, RegExp> = new Map([
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name): [string, RegExp] => [name, AWK]),
  ['sed', SED],
]);

/** Also options with which nothing runs at all. */
function isCodeOption(word: Word | undefined): boolean {
  return (
    typeof word === 'string' &&
    /^-(?:\w*[ceEpr]|-eval|-print|-expression|-execute|-run|-test|v|V|h|-version|-help)$/.test(word)
  );
}

function isDevice(word: Word | undefined): boolean {
  return typeof word === 'string' && /^\/(?:dev|proc)\//.test(word);
}
