import { ANY_TEXT, ANYTHING, type OpenWord, type SimpleCommand, type Word } from '../shell/shell-script.ts';
import type { Findings, Grammar } from './grammar.ts';
import { filledIn } from './wrappers.ts';

export const FIND: readonly Grammar[] = [
  { names: 'find gfind bfs', read: find },
  {
    names: 'locate mlocate plocate',
    options: 'A,all b,basename c,count i,ignore-case l,n,limit=text r,regexp=text regex w,wholename 0,null',
    operands: 'text*',
    open: 'read',
  },
  {
    names: 'fd fdfind',
    options:
      'H,hidden I,no-ignore u,unrestricted s,case-sensitive i,ignore-case g,glob regex F,fixed-strings a,absolute-path l,list-details L,follow^ p,full-path 0,print0 d,max-depth=text min-depth=text exact-depth=text E,exclude=text prune t,type=text e,extension=text S,size=text changed-within=text changed-before=text o,owner=text c,color=text j,threads=text 1 max-results=text q,quiet and=text strip-cwd-prefix=?text !x !exec !X !exec-batch !C !base-directory',
    operands: 'text tree*',
    exact: true,
    reads: true,
    more: (argv, found) => {
      if (argv.operands.length < 2) found.file('.', 'tree');
    },
  },
];

const FLAGS =
  /^-(?:daystart|depth|d|follow|mount|noleaf|xdev|ignore_readdir_race|noignore_readdir_race|warn|nowarn|empty|executable|readable|writable|nogroup|nouser|true|false|print|print0|ls|prune|quit|not|a|and|o|or)$/;
const TAKES_ONE =
  /^-(?:regextype|maxdepth|mindepth|amin|anewer|atime|cmin|cnewer|ctime|fstype|gid|group|ilname|iname|inum|ipath|iregex|iwholename|links|lname|mmin|mtime|name|newer|newer[aBcm][aBcmt]|path|perm|regex|samefile|size|type|uid|used|user|wholename|xtype|printf)$/;
/** Before the paths: how links are followed. */
const LINKS = /^-(?:[HLP]+|O\d|D\w+)$/;

/** Paths, then an expression of which each word is known. `-exec` starts commands, `-delete` removes what is found. */
function find({ words }: SimpleCommand, found: Findings) {
  const paths: Word[] = [];
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] as Word;
    if (typeof word === 'string' && LINKS.test(word)) {
      if (/[HL]/.test(word)) found.changes();
    } else if (isPath(word)) paths.push(word);
    else break;
  }
  for (const path of paths.length === 0 ? ['.'] : paths) found.file(path, 'in');
  while (at < words.length) {
    const length = readPredicate(words, at, paths, found);
    if (length === null) return found.doubt('its expression is not known');
    at += length;
  }
}

function isPath(word: Word): boolean {
  const start = typeof word === 'string' ? word : word.parts[0];
  if (typeof start === 'string') return start !== '' && !/^[-(!,)]/.test(start);
  return typeof start === 'object' && start.any === 'home';
}

/** How many words the predicate at this place has; null when it is not known. */
function readPredicate(words: readonly Word[], at: number, paths: readonly Word[], found: Findings): number | null {
  const word = words[at];
  if (typeof word !== 'string') return null;
  if (/^(?:[!(),]|--(?:version|help)|-version|-help)$/.test(word)) return 1;
  if (FLAGS.test(word)) {
    if (word === '-follow') found.changes();
    return 1;
  }
  const value = words[at + 1];
  const isOne = value !== undefined && (typeof value === 'string' || !value.many);
  if (TAKES_ONE.test(word)) return isOne ? 2 : null;
  if (/^-f(?:print0?|ls)$/.test(word)) return isOne ? written(value, 2, found) : null;
  if (word === '-fprintf') return isOne && words.length > at + 2 ? written(value, 3, found) : null;
  if (word === '-files0-from') return null;
  if (word === '-delete') {
    for (const path of paths.length === 0 ? ['.'] : paths) found.file(path, 'taken');
    found.starts(['rm', ANYTHING]);
    return 1;
  }
  return /^-(?:exec|ok)(?:dir)?$/.test(word) ? executed(words, at, found) : null;
}

function written(file: Word, length: number, found: Findings): number {
  found.file(file, 'out');
  return length;
}

/** Names that it has found, each beginning with the path that it was given. */
const FOUND: OpenWord = { parts: [ANY_TEXT], many: false, made: true, listed: 'whole' };

function executed(words: readonly Word[], at: number, found: Findings): number | null {
  const end = words.findIndex(
    (each, position) => position > at && (each === ';' || (each === '+' && words[position - 1] === '{}')),
  );
  if (end === -1) return null;
  const command = words.slice(at + 1, end).map((each) => (each === '{}' ? FOUND : filledIn(each, '{}')));
  const from = { ...found.command, words: [found.program, ...words] };
  found.starts(command, String(words[at]).endsWith('dir') ? { elsewhere: true } : { from });
  return end + 1 - at;
}
