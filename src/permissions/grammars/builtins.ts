import { notStatic, type Word } from '../shell/shell-script.ts';
import { type Findings, type Grammar, onlyText } from './grammar.ts';

const SOURCED = 'it runs a file as part of the shell';
const LATER = 'it gives the shell code to run later';
const INDEX = 'it may name a place in an array, whose index bash would run';
const READING = 'it changes how the shell reads commands';

/** Code, or a change of the shell itself, that makes everything around it unknown. */
function unknowable(names: string, reason: string, harmless = /^(?!)/): Grammar {
  return {
    names,
    read: ({ words }, found) => {
      found.changes();
      const isHarmless = words.every((word) => typeof word === 'string' && harmless.test(word));
      if (!isHarmless || harmless.source === '^(?!)') found.runs(notStatic(reason));
    },
  };
}

/** Builtins of bash that run code, or change what later commands mean. */
export const BUILTINS: readonly Grammar[] = [
  { names: 'eval', read: ({ words }, found) => joinedCode(words[0] === '--' ? words.slice(1) : words, found) },
  { names: 'trap', read: trap },
  unknowable('source .', SOURCED),
  // Alone, or with `-p`, these print.
  unknowable('alias', 'it gives a command another name', /^-p$/),
  unknowable('enable', 'it changes the builtins of the shell', /^-[aps]+$/),
  unknowable('shopt', READING, /^-p$/),
  unknowable('bind complete compgen compopt', LATER, /^-[pl]$/),
  unknowable('fc', 'it runs commands again'),
  unknowable('hash', 'it changes where the shell finds a program', /^-[rl]$/),
  unknowable('let', 'it calculates with variables, whose content bash would run'),
  { names: 'set', read: setOptions },
  { names: '[ test', read: compare },
  { names: 'printf', read: print },
  { names: 'read', read: (command, found) => nameVariables(command.words, READ_VALUES, found) },
  { names: 'unset', read: (command, found) => nameVariables(command.words, /^-[fnv]+$/, found) },
  { names: 'getopts', read: (command, found) => nameVariables(command.words.slice(1), /^(?!)/, found) },
  { names: 'wait', read: (command, found) => nameVariables(command.words, /^-[fn]$/, found, /^(?:\d+|%\S*)$/) },
  { names: 'mapfile readarray', read: readLines },
  { names: 'export readonly local declare typeset', read: declare },
  { names: 'cd pushd popd', read: (_command, found) => found.changes() },
  { names: 'echo', read: () => {} },
  {
    names:
      'exit return break continue shift umask ulimit jobs disown suspend times logout history bg fg dirs caller help',
    read: changesShell,
  },
  onlyText(': true false', { reads: true }),
  { names: 'pwd type', read: ({ words }, found) => (words.every(isText) ? undefined : found.changes()) },
];

/** Words and options after which only variables are named. */
const READ_VALUES = /^-(?:[ers]*|[ers]*[adinNptu])$/;

function isText(word: Word): boolean {
  return typeof word === 'string';
}

function changesShell({ words }: { words: readonly Word[] }, found: Findings) {
  found.changes();
  if (found.program === 'history' && words.length > 0) found.runs(notStatic('it changes the history of commands'));
}

/** Code in several words, which are joined into one line. */
function joinedCode(words: readonly Word[], found: Findings) {
  found.changes();
  if (words.length === 0) return;
  const texts = words.filter((word) => typeof word === 'string');
  if (texts.length < words.length) found.runs(notStatic('it runs code that is not known beforehand'));
  else found.code(texts.join(' '));
}

function trap({ words }: { words: readonly Word[] }, found: Findings) {
  found.changes();
  const [code] = words.filter((word) => word !== '--');
  if (code === '' || code === '-' || code === '-l' || code === '-p' || code === undefined) return;
  found.code(code);
}

/** Options that do not change how commands are read; words after `--` are only parameters. */
function setOptions({ words }: { words: readonly Word[] }, found: Findings) {
  found.changes();
  const end = words.indexOf('--');
  const options = end === -1 ? words : words.slice(0, end);
  const known = /^(?:[-+][efuvxEC]*o?|pipefail|errexit|errtrace|nounset|noglob|noclobber|xtrace|verbose)$/;
  if (!options.every((word) => typeof word === 'string' && known.test(word))) found.runs(notStatic(READING));
}

/** `-v` looks up a variable by a name that may contain an index. An unknown operator may be a `-v`. */
function compare({ words }: { words: readonly Word[] }, found: Findings) {
  const args = words.at(-1) === ']' ? words.slice(0, -1) : words;
  const isDoubtful = args.some((word, at) => {
    const [before, after] = [args[at - 1], args[at + 1]];
    if (typeof word === 'string') return (before === '-v' || before === '-R') && word.includes('[');
    if (word.many) return true;
    if (args.length === 1 || isOperator(after, BINARY)) return false;
    return !isOperator(before, TAKES_ONE) && !isOperator(before, BINARY);
  });
  if (isDoubtful) found.runs(notStatic(INDEX));
}

const BINARY = /^(?:==?|!=|=~|[<>]|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;
const TAKES_ONE = /^-[bcdefghknprstuwxzGLNOS]$/;

function isOperator(word: Word | undefined, operators: RegExp): boolean {
  return typeof word === 'string' && operators.test(word);
}

/** `-v` stores the text in a variable, and so does the conversion `%n`, whose operand may contain an index. */
function print({ words }: { words: readonly Word[] }, found: Findings) {
  const [first, ...rest] = words;
  if (first === '-v') {
    found.changes();
    nameVariable(rest[0], found);
    return;
  }
  const [format, ...values] = first === '--' ? rest : words;
  const isAttached = typeof format === 'string' && format.startsWith('-v');
  const isOpen = typeof format === 'object' && typeof format.parts[0] !== 'string';
  if (isAttached || isOpen) {
    found.runs(notStatic(INDEX));
    return;
  }
  const text = typeof format === 'string' ? format : '';
  if (typeof format === 'string' && !text.replaceAll(HARMLESS_CONVERSIONS, '').includes('%')) return;
  found.changes();
  const mayStore = typeof format === 'object' || /%[^a-zA-Z%]*n/.test(text);
  if (!mayStore) return;
  for (const value of values) nameVariable(value, found);
}

const HARMLESS_CONVERSIONS = /%(?:%|[-+ 0#]*\d*(?:\.\d+)?[sbcq])/g;

function nameVariable(word: Word | undefined, found: Findings) {
  const name = typeof word === 'string' ? word.replace(/\+?=.*/s, '') : null;
  if (name === null || !/^\w*$/.test(name)) found.runs(notStatic(INDEX));
  else found.sets(name);
}

/** The names that a builtin sets; `options` with a value of their own take the next word along. */
function nameVariables(words: readonly Word[], options: RegExp, found: Findings, others = /^(?!)/) {
  found.changes();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    if (typeof word === 'string' && others.test(word)) continue;
    if (word === '--') continue;
    if (typeof word === 'string' && word.startsWith('-')) {
      if (!options.test(word) || !takesNext(word, words[at + 1], found)) {
        found.runs(notStatic(INDEX));
        return;
      }
      if (options === READ_VALUES && /[adinNptu]$/.test(word)) at++;
      continue;
    }
    nameVariable(word, found);
  }
}

/** The value of `read -a` is a variable; the other options of `read` take text. */
function takesNext(option: string, next: Word | undefined, found: Findings): boolean {
  if (!option.endsWith('a') || found.program !== 'read') return true;
  nameVariable(next, found);
  return true;
}

function readLines({ words }: { words: readonly Word[] }, found: Findings) {
  found.changes();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    if (typeof word === 'string' && /^-[dnOsu]$/.test(word)) at++;
    else if (typeof word === 'string' && /^-[cC]/.test(word)) found.runs(notStatic(LATER));
    else if (word !== '-t') nameVariable(word, found);
  }
}

/** An integer variable evaluates its value; a reference means another variable. */
function declare({ words }: { words: readonly Word[] }, found: Findings) {
  found.changes();
  for (const word of words) {
    const start = typeof word === 'string' ? word : word.parts[0];
    if (typeof start !== 'string' || (typeof word === 'object' && word.many)) {
      found.runs(notStatic(INDEX));
    } else if (/^[-+]/.test(start)) {
      // Other letters: functions, references, numbers, arrays whose index is evaluated.
      if (typeof word !== 'string' || !/^(?:--|[-+][gprxlutaA]+)$/.test(start)) found.runs(notStatic(INDEX));
    } else {
      const [name = '', ...value] = start.split('=');
      if (!/^\w+\+?$/.test(name) || (typeof word === 'object' && value.length === 0)) found.runs(notStatic(INDEX));
      else found.sets(name.replace('+', ''), typeof word === 'string' ? value.join('=') : undefined);
    }
  }
}
