import { resolve } from 'node:path';
import type { PathMatcher } from '../path-rules.ts';
import { commandCwd, type Policy } from '../policy.ts';
import { programName } from '../shell/program-patterns.ts';
import {
  ANY_TEXT,
  ANYTHING,
  everyCommand,
  everyRedirect,
  type FileUse,
  isGlob,
  type Part,
  type ShellCommand,
  type ShellScript,
  type Word,
  whyUnknown,
} from '../shell/shell-script.ts';

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
  const opened = everyRedirect(script).filter((each) => kind === 'read' || each.kind === 'write');
  const tracked = changesTracked(script) ? {} : { tracked: true as const };
  const files = [
    ...opened.map(({ target }): NamedFile => ({ word: target, directories })),
    ...everyCommand(script).flatMap((command) => namedFiles(command, kind, directories, policy)),
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

/** Where a script may be when it resolves a path: the directories it changes to, or anywhere. */
interface ScriptDirectories {
  directories: readonly string[];
  /** Those that the script changes to. */
  entered: readonly string[];
  anywhere: boolean;
  /** It makes links: a path may lead elsewhere by the time that it is used. */
  links: boolean;
}

interface NamedFile {
  word: Word;
  directories: ScriptDirectories;
  /** Files below this path are touched as well. */
  below?: FileUse['reach'];
  /** Only files that git tracks. */
  tracked?: true;
}

const MAX_PLACES = 32;

function directoriesOf(script: ShellScript, policy: Policy): ScriptDirectories {
  const directories = new Set([commandCwd(policy)]);
  let anywhere = false;
  let links = false;
  for (const { words, assigns } of everyCommand(script)) {
    if (assigns.some(({ name }) => name === 'CDPATH' || name === 'HOME')) anywhere = true;
    if (makesLinks(words)) links = true;
    if (words[0] !== 'cd' && words[0] !== 'pushd' && words[0] !== 'popd') continue;
    const target = words.slice(1).find((word) => typeof word !== 'string' || !/^-(?:[LPe@]+|-)$/.test(word));
    const known = target === undefined ? (policy.home ?? null) : textOf(target, policy);
    if (known === null || known === '-' || words[0] === 'popd' || directories.size > MAX_PLACES) anywhere = true;
    else for (const each of [...directories]) directories.add(resolve(each, known));
  }
  const all = [...directories];
  return { directories: all, entered: all.slice(1), anywhere, links };
}

function makesLinks([name, ...words]: readonly Word[]): boolean {
  if (typeof name !== 'string') return false;
  const program = programName(name);
  if (/^(?:g?ln|link)$/.test(program)) return true;
  return (
    /^g?cp$/.test(program) &&
    words.some(
      (word) => typeof word !== 'string' || /^(?:-\w*[slaRrdP]|--(?:symbolic|link|archive|recursive))/.test(word),
    )
  );
}

/** A word whose text is known, with the home directory filled in; null for any other word. */
export function textOf(word: Word, { home }: Pick<Policy, 'home'>): string | null {
  if (typeof word === 'string') return word;
  const [first, ...rest] = word.parts;
  if (typeof first !== 'object' || first.any !== 'home' || home === undefined) return null;
  return rest.every((part) => typeof part === 'string') ? home + rest.join('') : null;
}

function namedFiles(
  command: ShellCommand,
  kind: 'read' | 'edit',
  directories: ScriptDirectories,
  { roots }: Policy,
): NamedFile[] {
  const { words, meaning, elsewhere } = command;
  const places = (isElsewhere: boolean | undefined) => (isElsewhere ? { ...directories, anywhere: true } : directories);
  // What changes the files of a whole repository does not show them.
  const uses =
    meaning?.files.filter(({ access, repository }) =>
      access === 'write' ? kind === 'edit' || !repository : kind === 'read',
    ) ?? [];
  // A program that gets a word which no grammar reads may take it for a path.
  const given = meaning === null ? words.slice(1) : meaning.passes;
  return [
    ...uses.flatMap(({ word, elsewhere: isElsewhere, reach: below, repository, tracked }) => {
      const how = { below, ...(tracked && { tracked }) };
      return [
        { word, directories: places(isElsewhere), ...how },
        ...(repository ? roots.map((root) => ({ word: root, directories, ...how })) : []),
      ];
    }),
    ...given
      .filter(isPathLike)
      .flatMap((word) => [...valuesOf(word), ...(meaning === null && namesList(word) ? [ANYTHING] : [])])
      .map((word) => ({ word, directories: places(elsewhere) })),
    ...(meaning === null ? namesInTexts(command) : []).map((word) => ({ word, directories: places(elsewhere) })),
  ];
}

/**
 * Paths within the texts that a program without a grammar is given, whatever language they are in. A bare name counts
 * only where the text may be about files: people write of directories.
 */
function namesInTexts({ words, input, fed = [], codes = [] }: ShellCommand): Word[] {
  const texts = [...words.slice(1), ...(input === undefined ? [] : [input]), ...fed];
  const names = new Set(
    texts.flatMap((word) => {
      if (typeof word !== 'string') return [];
      const isAboutFiles = ABOUT_FILES.test(word);
      return word.split(BETWEEN_NAMES).filter((name) => name !== '' && (isAboutFiles || /[./~]/.test(name)));
    }),
  );
  const patterns = codes.flatMap((code) => everyCommand(code).flatMap((command) => command.words.filter(isOpenName)));
  return [...names, ...patterns];
}

const BETWEEN_NAMES = /[\s"'`()<>|;&:,=@{}[\]!\\$]+/;
const ABOUT_FILES =
  /(?:^|[^\w.-])(?:cat|tac|cp|mv|rm|ln|tar|zip|touch|tee|sed|chmod|chown|truncate|dd|install|rsync|head|tail|less|more|grep|source|open|fopen|load|read\w*|write\w*|include|import|incbin|unlink\w*|rmdir|mkdir|rename\w*|rmtree|remove\w*|copy\w*|dump|get|put|C|L|R|Z|D|addmod|addlib|file|fl)(?![\w-])/i;

function isOpenName(word: Word): boolean {
  return (
    typeof word === 'object' && isGlob(word) && word.parts.some((part) => typeof part === 'string' && /\w/.test(part))
  );
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
    return all.some((pattern) => matcher.mayMatch(pattern));
  }
  const tracked = file.tracked && !directories.anywhere ? trackedIn(directories, policy) : null;
  if (tracked !== null) return tracked.some((path) => matcher.matches(path));
  const isAbsolute = text.startsWith('/');
  // Takes `..` in both ways: by text, and step by step as the kernel does.
  const paths = isAbsolute
    ? [text, resolve(text)]
    : directories.directories.flatMap((directory) => [resolve(directory, text), `${directory}/${text}`]);
  if (paths.some((path) => matcher.matches(path))) return true;
  if (below === 'below' && paths.some((path) => matcher.mayMatchBelow(path))) return true;
  if (below === 'taken' && paths.some((path) => matcher.startsBelow(path))) return true;
  if (directories.links && matcher.mayMatch([ANY_TEXT, '/', lastName(text)])) return true;
  return directories.anywhere && !isAbsolute && matcher.mayMatch(somewhere(text));
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
