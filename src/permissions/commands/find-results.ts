import { resolve } from 'node:path';
import { commandCwd, type Policy } from '../policy.ts';
import { patternsMeet } from '../shell/program-patterns.ts';
import {
  everyCommand,
  type OpenWord,
  type Part,
  type ShellCommand,
  type SimpleCommand,
  type Word,
  whyUnknown,
} from '../shell/shell-script.ts';

/** Files that `find` hands to another command. */
export interface FindResults {
  /** The paths that find begins with, as written. */
  places: readonly string[];
  /** What the names are like; null for any. */
  named: readonly Part[] | null;
  /** What is handed on is split at blanks: a name with one becomes several words. */
  isSplit: boolean;
}

/** What such a word of a command may be; null where it does not come from a plain `find`. */
export function resultsOfFind(word: Word, from: SimpleCommand | undefined): FindResults | null {
  if (typeof word !== 'object' || word.listed === undefined || from === undefined) return null;
  const [name, ...words] = from.words;
  if (name !== 'find' || words.some((each) => OTHERWISE.test(String(each)))) return null;
  const end = words.findIndex((each) => typeof each !== 'string' || /^[-(!,]/.test(each));
  const places = words.slice(0, end === -1 ? words.length : end).filter((each) => typeof each === 'string');
  if (end !== -1 && typeof words[end] !== 'string') return null;
  return { places: places.length === 0 ? ['.'] : places, named: namePattern(words), isSplit: word.listed === 'split' };
}

/** It follows links, prints in another form, or does more. */
const OTHERWISE = /^-(?:[HL]+|follow|printf|f?ls|fprint.*|delete|files0-from|(?:exec|ok)dir|ok)$/;

/** What `-name` demands of all that is found; null where the expression has alternatives. */
export function namePattern(words: readonly Word[]): readonly Part[] | null {
  if (words.some((word) => /^(?:-o|-or|,|!|-not|\(|\))$/.test(String(word)))) return null;
  const at = words.findIndex((word) => word === '-name' || word === '-iname');
  const pattern = words[at + 1];
  if (at === -1 || typeof pattern !== 'string' || /[[\\]/.test(pattern)) return null;
  return pattern.split(/(\*|\?)/).flatMap((piece): Part[] => {
    if (piece === '') return [];
    if (piece === '*') return [{ any: 'name' }];
    return [piece === '?' ? { any: 'char' } : piece];
  });
}

/** A name that xargs would take apart. */
export const SPLITS = /[\s'"\\]/;

/**
 * Whether `find … | xargs cat`, or `find … -exec cat {} +`, only reads files that `mayRead` grants: the command is known to read
 * whatever it is given, and what lies there now holds no link, and no name that would be taken apart.
 */
export function readsWhatItFinds(command: ShellCommand, policy: Policy, mayRead: (word: Word) => boolean): boolean {
  const { words, meaning, runs } = command;
  if ((words[0] !== 'find' && words[0] !== 'xargs') || meaning === null || runs === null) return false;
  if (whyUnknown({ ...runs, commands: [command] }) !== null || runs.redirects.length > 0) return false;
  if (meaning.files.some(({ access, word }) => access === 'write' || !mayRead(word))) return false;
  return everyCommand(runs).every((inner) => onlyReads(inner, policy, mayRead));
}

function onlyReads(inner: ShellCommand, policy: Policy, mayRead: (word: Word) => boolean): boolean {
  const { words, meaning, assigns, elsewhere, from } = inner;
  if (!meaning?.reads || assigns.length > 0 || elsewhere || words[0] === 'git') return false;
  const open = words.filter((word): word is OpenWord => typeof word === 'object');
  const found = open.map((word) => resultsOfFind(word, from));
  if (!found.every((each) => each !== null && isInPlace(each, policy, mayRead))) return false;
  return meaning.files.every(({ word, elsewhere: isElsewhere }) => !isElsewhere && (isListed(word) || mayRead(word)));
}

function isListed(word: Word): boolean {
  return typeof word === 'object' && word.listed !== undefined;
}

function isInPlace({ places, named, isSplit }: FindResults, policy: Policy, mayRead: (word: Word) => boolean): boolean {
  return places.every((place) => {
    const files = mayRead(place) ? policy.filesBelow?.(resolve(commandCwd(policy), place)) : null;
    if (!files) return false;
    const isMeant = (path: string) => named === null || patternsMeet(named, [path.slice(path.lastIndexOf('/') + 1)]);
    return files.every(({ path, kind }) => !(isSplit && SPLITS.test(path)) && !(kind === 'link' && isMeant(path)));
  });
}
