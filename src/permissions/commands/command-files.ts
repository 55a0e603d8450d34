import { basename, resolve } from 'node:path';
import { namedPath, type PathMatcher } from '../path-rules.ts';
import type { Policy } from '../policy.ts';
import { patternsMeet, programName } from '../shell/program-patterns.ts';
import {
  ANY_TEXT,
  ANYTHING,
  everyCommand,
  everyRedirect,
  type FileUse,
  isGlob,
  type OpenWord,
  type Part,
  type ShellCommand,
  type ShellScript,
  type Word,
  whyUnknown,
} from '../shell/shell-script.ts';
import { derivedNames } from './derived-names.ts';
import { type FindResults, resultsOfFind, SPLITS } from './find-results.ts';
import { namesInTexts } from './names-in-texts.ts';
import { directoriesOf, isNowhere, type ScriptDirectories, textOf } from './script-directories.ts';

/**
 * The first file of a script that a path rule matches, as written; null when no file matches. It counts the files that
 * the shell opens, the files that commands with a known grammar name, and the words of all other commands; files that
 * other programs open by themselves cannot be seen here. A word or text that is not known beforehand counts as every path
 * it could be: `cat 0<secret` still names a file. A script that is not known may touch any file.
 */
export function caughtFile(
  script: ShellScript,
  kind: 'read' | 'edit',
  matcher: PathMatcher,
  policy: Policy,
): string | null {
  const unknown = whyUnknown(script);
  if (unknown !== null) return `a file that cannot be told beforehand (${unknown})`;
  const directories = directoriesOf(script, policy);
  const commands = everyCommand(script);
  const changers = commands.filter(mayBringFiles);
  const opened = everyRedirect(script).filter((each) => kind === 'read' || each.kind === 'write');
  const tracked = changesTracked(script) ? {} : { tracked: true as const };
  const files = [
    ...opened.map(({ target }): NamedFile => ({ word: target, directories })),
    ...commands.flatMap((command) => {
      const isStill = changers.every((each) => each === command);
      return namedFiles(command, kind, { directories, policy }).map((file) => ({
        ...file,
        ...(isStill && { isStill: true as const }),
      }));
    }),
    ...derivedFiles(commands, { directories, isStill: changers.length <= 1 }),
  ].map(({ tracked: isTracked, ...file }) => ({ ...file, ...(isTracked && tracked) }));
  if (files.length * policy.deny.length > MAX_COMPARED)
    return `one of ${files.length} files, which are too many to check`;
  if (lettersOfOpen(files) > MAX_OPEN_LETTERS) return 'one of many files whose names are not known beforehand';
  const worked = kind === 'edit' && worksIn(script, directories, matcher);
  if (worked) return 'the directory that it works in';
  const caught = files.find((file) => mayTouch(file, matcher, policy));
  return caught === undefined ? null : shown(caught.word);
}

/** Comparing two patterns takes time that grows with the product of their lengths, and nothing else runs meanwhile. */
const MAX_OPEN_LETTERS = 3000;
/** Files times rules: more would hold up everything else. */
const MAX_COMPARED = 20_000;

function lettersOfOpen(files: readonly NamedFile[]): number {
  const letters = (part: Part) => (typeof part === 'string' ? part.length : 1);
  return files.reduce(
    (sum, { word }) => (typeof word === 'string' ? sum : word.parts.reduce((more, part) => more + letters(part), sum)),
    0,
  );
}

/** Whether a program that may write works in a directory that the rule names, and that the script changes to. */
function worksIn(script: ShellScript, { entered }: ScriptDirectories, matcher: PathMatcher): boolean {
  const isWork = ({ meaning, words }: ShellCommand) =>
    words.length > 0 &&
    meaning?.reads !== true &&
    !/^(?:cd|pushd|popd|echo|printf|read|set|export)$/.test(String(words[0]));
  return entered.some((directory) => matcher.matches(directory)) && everyCommand(script).some(isWork);
}

/** Whether a script would run a file that leads to a device or to another process: its code comes from elsewhere. */
export function runsDevice(script: ShellScript, policy: Policy): boolean {
  const { directories } = directoriesOf(script, policy);
  const run = everyCommand(script).flatMap(({ meaning }) => meaning?.files.filter(({ isRun }) => isRun) ?? []);
  return run.some(({ word }) => {
    if (typeof word !== 'string') return true;
    const paths = word.startsWith('/') ? [word] : directories.map((directory) => `${directory}/${word}`);
    return paths.some((path) => {
      const real = policy.realPath(path);
      return real === null || /^\/(?:dev|proc)(?:\/|$)/.test(real);
    });
  });
}

interface NamedFile {
  word: Word;
  directories: ScriptDirectories;
  /** Files below this path are touched as well. */
  below?: FileUse['reach'];
  /** Only files that git tracks. */
  tracked?: true;
  /** Only files of this name. */
  named?: readonly Part[];
  /** What lies below is there now, and nothing else in the script changes it. */
  isStill?: true;
  /** It is a part of a text, which may be anything. */
  isGuess?: true;
  /** They are taken apart at blanks. */
  isSplit?: true;
  /** History may hold further files. */
  isHistory?: true;
}

/** Whether a command may bring files to a place: all but those that read, make directories, remove, or only start others. */
function mayBringFiles({ words, meaning, runs }: ShellCommand): boolean {
  const [name, ...rest] = words;
  if (name === undefined || meaning?.reads || runs !== null) return false;
  if (name === 'mkdir') return rest.some((word) => typeof word !== 'string' || SPLITS.test(word));
  return !/^(?:echo|printf|read|test|\[|:|cd|rm|rmdir)$/.test(String(name));
}

function namedFiles(
  command: ShellCommand,
  kind: 'read' | 'edit',
  { directories, policy: { roots } }: { directories: ScriptDirectories; policy: Policy },
): NamedFile[] {
  const { words, meaning, elsewhere } = command;
  const isHistory = typeof words[0] === 'string' && programName(words[0]) === 'git';
  const places = (isElsewhere: boolean | undefined) => (isElsewhere ? { ...directories, anywhere: true } : directories);
  // What changes the files of a whole repository, or writes to names that a pattern finds, does not show them.
  const uses =
    meaning?.files.filter(
      ({ access, repository, word, reach }) =>
        !(typeof word === 'object' && word.pipe) &&
        (access === 'write'
          ? kind === 'edit' || !(repository || (reach === undefined && typeof word === 'object' && isGlob(word)))
          : kind === 'read'),
    ) ?? [];
  // A program that gets a word which no grammar reads may take it for a path.
  const given = meaning === null ? words.slice(1) : meaning.passes;
  return [
    ...uses.flatMap(({ word, elsewhere: isElsewhere, reach: below, repository, tracked }): NamedFile[] => {
      const found = isElsewhere || below !== undefined ? null : resultsOfFind(word, command.from);
      if (found !== null) return filesFound(found, places(isElsewhere));
      const how = { below, ...(tracked && { tracked }), ...(isHistory && { isHistory: true as const }) };
      return [
        { word, directories: places(isElsewhere), ...how },
        ...(repository ? roots.map((root) => ({ word: root, directories, ...how })) : []),
      ];
    }),
    ...given
      .filter(isPathLike)
      .flatMap((word) => [...valuesOf(word), ...(meaning === null && namesList(word) ? [ANYTHING] : [])])
      .map((word) => ({ word, directories: places(elsewhere), ...(meaning === null && { isGuess: true as const }) })),
    ...(meaning === null ? namesInTexts(command) : []).map((word) => ({
      word,
      directories: places(elsewhere),
      isGuess: true as const,
    })),
  ];
}

/** What lies below the places where `find` begins. */
function filesFound({ places, named, isSplit }: FindResults, directories: ScriptDirectories): NamedFile[] {
  const how = { below: 'below' as const, directories, ...(named !== null && { named }), ...(isSplit && { isSplit }) };
  return places.map((word) => ({ word, ...how }));
}

/** The files that programs without a grammar may get by words whose values are not known. */
function derivedFiles(
  commands: readonly ShellCommand[],
  { directories, isStill }: { directories: ScriptDirectories; isStill: boolean },
): NamedFile[] {
  const { words, listed } = derivedNames(commands);
  const isElsewhere = commands.some(({ meaning, elsewhere }) => meaning === null && elsewhere);
  const places = isElsewhere ? { ...directories, anywhere: true } : directories;
  const still = isStill ? { isStill: true as const } : {};
  return [
    ...words.flatMap(valuesOf).map((word) => ({ word, directories: places })),
    ...listed.map(({ reach, ...file }) => ({ ...file, below: reach, directories: places, ...still })),
  ];
}

/** A file with further words: a program that takes such a word opens whatever is listed there. */
function namesList(word: Word): boolean {
  return typeof word === 'string' && /^@./.test(word);
}

function isPathLike(word: Word): boolean {
  return typeof word === 'string' || (isGlob(word) && typeof word.parts[0] === 'string' && word.parts[0] !== '');
}

/** The word and every part of it that may be a path: `--file=x`, `-fx`, `if=x`, `@x`, `file://x`. */
function valuesOf(word: Word): Word[] {
  if (typeof word !== 'string') {
    const [start, ...parts] = word.parts;
    return typeof start === 'string' && /=$/.test(start) ? [{ ...word, parts }] : [word];
  }
  const [, value] = /^(?:[^=]*=@?|-\w|@|file:\/\/)(.+)$/s.exec(word) ?? [];
  const isOption = word.startsWith('-');
  return [...(isOption ? [] : [word]), ...(value === undefined ? [] : [value])];
}

function mayTouch(file: NamedFile, matcher: PathMatcher, policy: Policy): boolean {
  const { word, directories, below } = file;
  const text = textOf(word, policy);
  if (text === null) {
    const patterns = patternsOf(word, directories, policy);
    const all = below === undefined ? patterns : patterns.flatMap((each) => [each, [...each, '/', ANY_TEXT]]);
    if (!all.some((pattern) => matcher.mayMatch(pattern))) return false;
    const found = below === 'below' && typeof word === 'object' ? placesOf(word, directories) : null;
    return found === null || !isClear(file, found, matcher, policy);
  }
  const tracked = file.tracked && !directories.anywhere ? trackedIn(directories, policy) : null;
  if (tracked !== null) return tracked.some((path) => matcher.matches(path));
  const isAbsolute = text.startsWith('/');
  // Takes `..` in both ways: by text, and step by step as the kernel does.
  const paths = isAbsolute
    ? [text, resolve(text)]
    : directories.directories.flatMap((directory) => [resolve(directory, text), `${directory}/${text}`]);
  if (file.isGuess && !isAbsolute && isNowhere(text, directories)) {
    const asWritten = { ...policy, realPath: (each: string) => each };
    return paths.some((path) => matcher.matchesOne(namedPath(path, asWritten, 'forbid')));
  }
  if (paths.some((path) => matcher.matches(path))) return true;
  if (below === 'below' && paths.some((path) => matcher.mayMatchBelow(path)))
    return !isClear(file, paths, matcher, policy);
  if (below === 'taken' && paths.some((path) => matcher.startsBelow(path))) return true;
  if (directories.links && matcher.mayMatch([ANY_TEXT, '/', lastName(text)])) return true;
  return directories.anywhere && !isAbsolute && matcher.mayMatch(somewhere(text));
}

/** Whether none of the files that lie below these paths now is one that the rule means. */
function isClear(file: NamedFile, paths: readonly string[], matcher: PathMatcher, policy: Policy): boolean {
  const { isStill, isHistory, named, directories, word } = file;
  if (!isStill || isHistory || directories.anywhere) return false;
  const pattern = typeof word === 'object' ? word.parts : null;
  return [...new Set(paths.map((path) => resolve(path)))].every((path) => {
    const files = policy.filesBelow?.(path) ?? null;
    // Too many: then the names decide, if they are known.
    if (files === null) return named !== undefined && !file.isSplit && !matcher.mayBeNamed(named);
    if (file.isSplit && files.some((each) => SPLITS.test(each.path))) return false;
    const meant = files.filter(
      ({ path: each }) =>
        (named === undefined || patternsMeet(named, [basename(each)])) &&
        (pattern === null || findsOnTheWay(pattern, each.slice(path.length + 1))),
    );
    if (directories.links && files.some(({ kind }) => kind === 'link')) return false;
    const real = policy.realPath(path);
    const asWritten = { ...policy, realPath: (each: string) => each };
    const isMeant = (each: string) => matcher.matchesOne(namedPath(each, asWritten, 'forbid'));
    return !meant.some(({ path: each, kind }) =>
      kind === 'link' || real === null
        ? matcher.matches(each)
        : isMeant(each) || isMeant(`${real}${each.slice(path.length)}`),
    );
  });
}

/** The directory before the first name that a pattern leaves open; null for a word that is more than a pattern. */
function placesOf(word: OpenWord, { directories }: ScriptDirectories): string[] | null {
  const [first = ''] = word.parts;
  if (!isGlob(word)) return null;
  const fixed = typeof first === 'string' ? first.slice(0, first.lastIndexOf('/') + 1) : '';
  return directories.map((directory) => resolve(directory, fixed));
}

/** Whether a pattern may find a path or a directory around it. Stars do not find names that begin with a dot. */
function findsOnTheWay(pattern: readonly Part[], below: string): boolean {
  const [first = ''] = pattern;
  const open = typeof first === 'string' ? [first.slice(first.lastIndexOf('/') + 1), ...pattern.slice(1)] : pattern;
  const isHidden = below.startsWith('.') && (open[0] === '' || typeof open[0] === 'object');
  const rest = open.filter((part) => part !== '');
  return !isHidden && (patternsMeet(rest, [below]) || patternsMeet([...rest, '/', ANY_TEXT], [below]));
}

/** Whether some command of a script may change what git tracks. */
function changesTracked(script: ShellScript): boolean {
  return everyCommand(script).some(
    ({ words: [name], meaning }) => typeof name === 'string' && programName(name) === 'git' && meaning?.reads !== true,
  );
}

/** The files that git tracks, wherever the script may be. */
function trackedIn({ directories }: ScriptDirectories, { trackedFiles }: Policy): string[] | null {
  const lists = directories.map((directory) => trackedFiles?.(directory) ?? null);
  const known = lists.filter((list) => list !== null);
  return known.length < lists.length ? null : known.flat();
}

function lastName(path: string): string {
  return path.split('/').findLast((name) => name !== '' && name !== '.') ?? '';
}

function somewhere(text: string): Part[] {
  const plain = text.replace(/^(?:\.\/+)+/, '');
  return /(?:^|\/)\.{0,2}(?:\/|$)/.test(plain) ? [ANY_TEXT] : [ANY_TEXT, '/', plain];
}

/** Every path that a word could become. A path that goes up again after an unknown part could be anything. */
function patternsOf(word: Word, directories: ScriptDirectories, policy: Policy): (readonly Part[])[] {
  const parts = (typeof word === 'string' ? [word] : word.parts).map((part) =>
    typeof part === 'object' && part.any === 'home' ? (policy.home ?? ANY_TEXT) : part,
  );
  const [first] = parts;
  if (parts.some((part, at) => at > 0 && typeof part === 'string' && UPWARDS.test(part))) return [ANYTHING.parts];
  if (typeof first === 'object' && first.any === 'text') return [parts];
  const start = typeof first === 'string' ? first : '';
  const slash = start.lastIndexOf('/') + 1;
  const rest = [start.slice(slash), ...(typeof first === 'string' ? parts.slice(1) : parts)];
  const directory = start.slice(0, slash);
  const written = start.startsWith('/') ? [directory] : directories.directories.map((each) => `${each}/${directory}`);
  const real = written.flatMap((each) => policy.realPath(each) ?? []);
  if (real.length < written.length) return [ANYTHING.parts];
  const bases = [...written.map((each) => resolve(each)), ...real];
  const patterns = bases.map((base) => [base === '/' ? '' : base, '/', ...rest]);
  return directories.anywhere && !start.startsWith('/') ? [...patterns, [ANY_TEXT, '/', ...parts]] : patterns;
}

const UPWARDS = /\/\.{0,2}(?:\/|$)/;

function shown(word: Word): string {
  return typeof word === 'string' ? word : 'a file whose name is not known beforehand';
}
