import type { SimpleCommand, Word } from '../shell/shell-script.ts';
import { GIT_READERS } from './git-readers.ts';
import { GIT_WRITERS, isHarmlessSetting } from './git-writers.ts';
import { type Findings, type Grammar, neverKnown, type TableGrammar } from './grammar.ts';

const SUBCOMMANDS: ReadonlyMap<string, TableGrammar> = new Map(
  [...GIT_READERS, ...GIT_WRITERS].flatMap((grammar) =>
    grammar.names.split(' ').map((name) => [name, grammar] as const),
  ),
);

export const GIT: readonly Grammar[] = [
  { names: 'git', read: git },
  neverKnown([...SUBCOMMANDS.keys()].map((name) => `git-${name}`).join(' '), 'it is a part of git'),
  neverKnown(
    'git-shell git-upload-archive git-upload-pack git-receive-pack scalar git-filter-repo git-crypt git-secret',
    'it works on a repository as its input and its words say',
  ),
];

/** Options before the subcommand that change nothing about what runs. */
const PLAIN_OPTIONS =
  /^(?:-P|--no-pager|--no-replace-objects|--(?:literal|glob|noglob|icase)-pathspecs|--no-optional-locks|--no-advice|--no-lazy-fetch)$/;
/** Alone they print something. */
const QUESTIONS = /^(?:--version|-v|--html-path|--man-path|--info-path|--exec-path)$/;

function git({ words }: SimpleCommand, found: Findings) {
  if (words.length === 0) found.changes();
  let elsewhere: string | null = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    if (typeof word !== 'string') return found.doubt('its subcommand is not known beforehand');
    if (word === '-C') {
      const directory = words[++at];
      if (typeof directory !== 'string') return found.doubt('where it works is not known beforehand');
      elsewhere = elsewhere === null || directory.startsWith('/') ? directory : `${elsewhere}/${directory}`;
    } else if (word === '-c') {
      const setting = words[++at];
      if (setting === undefined || !isHarmlessSetting(setting))
        return found.doubt('it is given a setting that can run commands');
    } else if (!word.startsWith('-')) return subcommand(word, words.slice(at + 1), elsewhere, found);
    else if (QUESTIONS.test(word) && at === words.length - 1) return;
    else if (!PLAIN_OPTIONS.test(word))
      return found.doubt(`${word.slice(0, 40)} is not among the options that are known`);
  }
}

function subcommand(name: string, words: readonly Word[], elsewhere: string | null, found: Findings) {
  const grammar = SUBCOMMANDS.get(name);
  // Any other name may be an alias, or a program.
  if (grammar === undefined) return found.doubt(`${name.slice(0, 40)} is not among its subcommands that are known`);
  if (name === 'bisect' && words[0] === 'run') {
    found.changes();
    return found.starts(words.slice(1));
  }
  if (words.some((word) => typeof word === 'string' && /^[\w-]+::/.test(word))) {
    return found.doubt('it is given an address that starts a program');
  }
  if (elsewhere !== null) {
    if (!grammar.reads) found.file(elsewhere, 'taken');
    found.elsewhere();
  }
  found.readBy({ exact: true, ...grammar }, words);
}
