import { notStatic, type SimpleCommand, type Word } from '../shell/shell-script.ts';
import type { Findings, Grammar } from './grammar.ts';
import { isRunnableFile } from './inner-code.ts';

/** Shells: code in a word, in the input, or in a file. */
export const SHELLS: readonly Grammar[] = [
  { names: 'bash rbash', read: (command, found) => shell(command, found, 'bash') },
  { names: 'sh dash ash', read: (command, found) => shell(command, found, 'sh') },
  {
    names: 'zsh ksh mksh oksh yash fish csh tcsh pwsh powershell elvish nu xonsh rc es',
    read: (command, found) => shell(command, found, 'other'),
  },
  { names: 'su', read: otherUser },
  { names: 'runuser', read: otherUser },
  { names: 'sg', read: otherGroup },
  { names: 'newgrp', read: (_command, found) => startsShell(found) },
  { names: 'capsh', read: capabilities },
];

type Dialect = 'bash' | 'sh' | 'other';

function shell(command: SimpleCommand, found: Findings, dialect: Dialect) {
  found.changes();
  if (command.words.length === 1 && command.words[0] === '--version') return;
  const options = shellOptions(command.words, dialect);
  if (options === null) {
    found.runs(notStatic(`what ${found.program} would run cannot be told`));
    return;
  }
  const [first] = options.operands;
  if (options.takesCode) {
    if (first !== undefined) shellCode(first, dialect, found);
    return;
  }
  if (first !== undefined && !options.readsInput) {
    found.passes(options.operands.slice(1));
    if (isRunnableFile(first)) found.file(first, 'script');
    else found.runs(notStatic(`which script ${found.program} would run cannot be told`));
    return;
  }
  const { input } = command;
  if (input === undefined) found.runs(notStatic(`${found.program} takes commands from its input`));
  else shellCode(input, dialect, found);
}

interface ShellOptions {
  takesCode: boolean;
  readsInput: boolean;
  operands: readonly Word[];
}

const LONG_OPTIONS = new Set(['--login', '--norc', '--noprofile', '--posix', '--restricted', '--verbose']);
/** To bash `-login` is `--login`, and so with each of its long options. */
const LONG_NAMES =
  /^(?:login|norc|noprofile|posix|restricted|verbose|version|help|rcfile|init-file|dump-.*|debug.*|noediting|protected|wordexp|pretty-print)$/;
/** Options that neither take code nor change how it is read. */
const LETTERS = /^-[abefhilmnprsuvxBCEHPTc]*o?$/;
const PLUS_LETTERS = /^\+[abefhmuvxBCEHPT]+$/;
const OPTION_NAMES =
  /^(?:allexport|braceexpand|errexit|errtrace|functrace|hashall|histexpand|ignoreeof|monitor|noclobber|noexec|noglob|nolog|notify|nounset|onecmd|physical|pipefail|privileged|verbose|vi|emacs|xtrace)$/;

/** What the short options of other shells mean alike; further letters of fish, nu or ksh take files or code. */
const OTHER_LETTERS = /^-[cli]+$/;

function shellOptions(words: readonly Word[], dialect: Dialect): ShellOptions | null {
  const options = { takesCode: false, readsInput: false };
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (typeof word !== 'string') return null;
    if (word === '--') return { ...options, operands: words.slice(at + 1) };
    if (!/^[-+]./.test(word)) return { ...options, operands: words.slice(at) };
    if (word.startsWith('--')) {
      if (!LONG_OPTIONS.has(word)) return null;
      continue;
    }
    if (dialect !== 'bash' && dialect !== 'sh' && !OTHER_LETTERS.test(word)) return null;
    if (LONG_NAMES.test(word.slice(1)) || !(LETTERS.test(word) || PLUS_LETTERS.test(word))) return null;
    if (word.startsWith('-') && word.includes('c')) options.takesCode = true;
    if (word.startsWith('-') && word.includes('s')) options.readsInput = true;
    if (!word.endsWith('o')) continue;
    const name = words[++at];
    if (typeof name !== 'string' || !OPTION_NAMES.test(name)) return null;
  }
  return { ...options, operands: [] };
}

/** Shells other than bash read some of its syntax differently, such as `[[` as the name of a program. */
function shellCode(code: Word, dialect: Dialect, found: Findings) {
  const reason = typeof code === 'string' ? otherReading(code, dialect, found.program) : null;
  if (reason !== null) found.runs(notStatic(reason));
  else found.code(code);
}

function otherReading(code: string, dialect: Dialect, program: string): string | null {
  if (dialect === 'sh') {
    const isBashOnly = /\$['"[]|\[\[|\(\(|&>|\|&|<<<|[<>]\(|;&|\bfunction\b|\bselect\b|\bcoproc\b/.test(code);
    return isBashOnly ? `${program} may take this code for something else than bash would` : null;
  }
  if (dialect === 'bash') return null;
  return `${program} is another language than bash`;
}

function startsShell(found: Findings) {
  found.changes();
  found.runs(notStatic('it starts a shell'));
}

/** `su -c code user`. Without the option they start a shell that reads its input. */
function otherUser({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const [code, operands] = [[] as Word[], [] as Word[]];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    if (typeof word !== 'string') return startsShell(found);
    if (/^(?:-c|--command|--session-command)$/.test(word)) code.push(words[++at] ?? '');
    else if (word.startsWith('--command=')) code.push(word.slice('--command='.length));
    else if (found.program === 'runuser' && (word === '-u' || word === '--user')) {
      const rest = words.slice(at + 2);
      return code.length > 0 || operands.length > 0
        ? startsShell(found)
        : found.starts(rest[0] === '--' ? rest.slice(1) : rest);
    } else if (/^(?:-[lmpP]*|--login|--preserve-environment|--pty)$/.test(word)) continue;
    else if (word.startsWith('-')) return startsShell(found);
    else operands.push(word);
  }
  const [only, ...others] = code;
  // The words after the user are words of the shell, in which there may be code again.
  if (only === undefined || others.length > 0 || operands.length > 1) return startsShell(found);
  shellCode(only, 'sh', found);
}

/** `sg group code`, `sg group -c code`. */
function otherGroup({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const rest = words[0] === '-' ? words.slice(1) : words;
  const [, second, third, ...others] = rest;
  const code = second === '-c' ? third : second;
  if (code === undefined || others.length > 0 || (third !== undefined && second !== '-c')) startsShell(found);
  else shellCode(code, 'sh', found);
}

/** What follows `--` are the words of bash. */
function capabilities(command: SimpleCommand, found: Findings) {
  const { words } = command;
  const at = words.indexOf('--');
  const options = at === -1 ? words : words.slice(0, at);
  const isPrint = options.every((word) => word === '--print' || word === '--supports=cap_all');
  if (!isPrint) startsShell(found);
  else if (at !== -1) shell({ ...command, words: words.slice(at + 1) }, found, 'bash');
}
