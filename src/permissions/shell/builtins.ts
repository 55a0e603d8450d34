import { codeIn, joinedCode, type Starts, unknowable, type Within } from './inner-code.ts';
import { ANYTHING, notStatic, type ShellScript, type SimpleCommand, type Word } from './shell-script.ts';

const ifGiven =
  (reason: string): Starts =>
  ({ words }) =>
    words.length === 0 ? null : notStatic(reason);

const SOURCED = 'it runs a file as part of the shell';
const LATER = 'it gives the shell code to run later';
const INDEX = 'it may name a place in an array, whose index bash would run';

/** Builtins of bash that run code, or change what later commands mean. */
export const BUILTINS: ReadonlyMap<string, Starts> = new Map<string, Starts>([
  ['eval', ({ words }, within) => joinedCode(words[0] === '--' ? words.slice(1) : words, within)],
  ['trap', trap],
  ['source', unknowable(SOURCED)],
  ['.', unknowable(SOURCED)],
  ['alias', ifGiven('it gives a command another name')],
  ['enable', ifGiven('it changes the builtins of the shell')],
  ['shopt', ifGiven('it changes how the shell reads commands')],
  ['set', setOptions],
  ['bind', ifGiven(LATER)],
  ['complete', ifGiven(LATER)],
  ['compgen', ifGiven(LATER)],
  ['fc', unknowable('it runs commands again')],
  ['let', unknowable('it calculates with variables, whose content bash would run')],
  ['[', compare],
  ['test', compare],
  ['printf', print],
  ['read', nameVariables],
  ['unset', nameVariables],
  ['getopts', nameVariables],
  ['wait', nameVariables],
  ['mapfile', readLines],
  ['readarray', readLines],
  ['export', declare],
  ['readonly', declare],
  ['local', declare],
  ['declare', declare],
  ['typeset', declare],
]);

function trap({ words }: SimpleCommand, within: Within): ShellScript | null {
  const [code] = words.filter((word) => word !== '--');
  return code === '' || code === '-' || code === '-l' || code === '-p' ? null : codeIn(code, within);
}

/** Options that do not change how commands are read; words after `--` are only parameters. */
function setOptions({ words }: SimpleCommand): ShellScript | null {
  const end = words.indexOf('--');
  const options = end === -1 ? words : words.slice(0, end);
  const known = /^(?:[-+][efuvxEC]*o?|pipefail|errexit|errtrace|nounset|noglob|noclobber|xtrace|verbose)$/;
  return options.every((word) => typeof word === 'string' && known.test(word))
    ? null
    : notStatic('it changes how the shell reads commands');
}

/** `-v` looks up a variable by a name that may contain an index. An unknown operator may be a `-v`. */
function compare({ words }: SimpleCommand): ShellScript | null {
  const args = words.at(-1) === ']' ? words.slice(0, -1) : words;
  const isDoubtful = args.some((word, at) => {
    const [before, after] = [args[at - 1], args[at + 1]];
    if (typeof word === 'string') return (before === '-v' || before === '-R') && word.includes('[');
    if (word.many) return true;
    if (args.length === 1 || isOperator(after, BINARY)) return false;
    return !isOperator(before, TAKES_ONE) && !isOperator(before, BINARY);
  });
  return isDoubtful ? notStatic(INDEX) : null;
}

const BINARY = /^(?:==?|!=|=~|[<>]|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;
const TAKES_ONE = /^-[bcdefghknprstuwxzGLNOS]$/;

function isOperator(word: Word | undefined, operators: RegExp): boolean {
  return typeof word === 'string' && operators.test(word);
}

/** `-v` stores the text in a variable. */
function print({ words: [first, name] }: SimpleCommand): ShellScript | null {
  if (first === '-v') return nameVariables({ words: [name ?? ANYTHING], assigns: [] });
  const isText = typeof first !== 'object' || typeof first.parts[0] === 'string';
  return isText && !(typeof first === 'string' && first.startsWith('-v')) ? null : notStatic(INDEX);
}

function nameVariables({ words }: SimpleCommand): ShellScript | null {
  const isName = (word: Word) => {
    if (typeof word === 'string') return !word.includes('[');
    const [start] = word.parts;
    return !word.many && typeof start === 'string' && /^[A-Za-z_]\w*\+?=/.test(start);
  };
  return words.every(isName) ? null : notStatic(INDEX);
}

function readLines({ words, ...command }: SimpleCommand): ShellScript | null {
  if (words.some((word) => typeof word === 'string' && /^-\w*C/.test(word))) return notStatic(LATER);
  return nameVariables({ ...command, words });
}

/** An integer variable evaluates its value; a reference means another variable. */
function declare({ words, ...command }: SimpleCommand): ShellScript | null {
  const values = words.filter((word) => typeof word !== 'string' || !word.includes('='));
  const changes = values.some((word) => typeof word === 'string' && /^[-+]\w*[in]/.test(word));
  // The assigned value is text; only the name before it matters.
  const names = words.map((word) => (typeof word === 'string' ? word.replace(/=.*/s, '') : word));
  return changes ? notStatic(INDEX) : nameVariables({ ...command, words: names });
}
