import { programName } from '../shell/program-patterns.ts';
import { type FileUse, isGlob, type OpenWord, type Part, type ShellCommand, type Word } from '../shell/shell-script.ts';
import { namePattern } from './find-results.ts';

/** Files that a command of the line lists, and that another may get as its words. */
export type Listed = Pick<FileUse, 'word' | 'reach' | 'tracked'> & {
  /** What their names are like, if the list has no others. */
  named?: readonly Part[];
};

/**
 * What the words of programs without a grammar may turn out to be: what is known of the words themselves, the other words of
 * the line if a variable is among them, and the files that the line lists if a list reaches them (`find … | xargs tool`).
 */
export function derivedNames(commands: readonly ShellCommand[]): { words: Word[]; listed: Listed[] } {
  const open = commands.flatMap(({ words, meaning }) => (meaning === null ? words.slice(1).filter(isUnknown) : []));
  if (open.length === 0) return { words: [], listed: [] };
  const own = open.flatMap(({ hints = [] }) => hints);
  const isVariable = open.some(({ told }) => !told);
  const isListed = isVariable && (open.some(({ made }) => made) || commands.some(readsNames));
  return {
    words: [...own, ...(isVariable ? commands.flatMap(wordsOf) : [])].flatMap(inBraces),
    listed: isListed ? commands.flatMap(listedBy) : [],
  };
}

function isUnknown(word: Word): word is OpenWord {
  return typeof word === 'object' && !word.pipe && !isGlob(word);
}

/** Words of all commands of the line but their names, and what variables are set to. */
function wordsOf({ words, assigns }: ShellCommand): Word[] {
  const values = assigns.map(({ value }) => value);
  return [...words.slice(1), ...values].flatMap((word) =>
    typeof word === 'string' || isGlob(word) ? [word] : (word.hints ?? []),
  );
}

/** Hints of hints: what braces in a value may become. */
function inBraces(word: Word): Word[] {
  return typeof word === 'object' && word.hints ? [word, ...word.hints] : [word];
}

function readsNames({ words: [name] }: ShellCommand): boolean {
  return typeof name === 'string' && /^(?:read|mapfile|readarray)$/.test(name);
}

function listedBy(command: ShellCommand): Listed[] {
  const [name, ...words] = command.words;
  const program = typeof name === 'string' ? programName(name) : '';
  if (!LISTS.test(program)) return [];
  if (program === 'git') return [{ word: '.', reach: 'below', tracked: true }];
  if (/grep$|^rg$|^ag$/.test(program) && !words.some((word) => typeof word === 'string' && LISTS_ONLY.test(word)))
    return [];
  const named = /find$|^bfs$/.test(program) ? namePattern(words) : null;
  const files = command.meaning?.files.filter(({ access }) => access === 'read') ?? [];
  const places = files.length === 0 ? ['.'] : files.map(({ word }) => word);
  return places.map((word) => ({ word, reach: 'below', ...(named !== null && { named }) }));
}

const LISTS = /^g?(?:find|bfs|fd|fdfind|ls|dir|vdir|tree|e?f?grep|rg|ag|git|locate|plocate|compgen|du)$/;
const LISTS_ONLY = /^(?:-[a-zA-Z]*[lLg].*|--files(?:-with(?:out)?-match(?:es)?)?)$/;
