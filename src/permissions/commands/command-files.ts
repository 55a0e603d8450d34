import { resolve } from 'node:path';
import type { PathMatcher } from '../path-rules.ts';
import { commandCwd, type Policy } from '../policy.ts';
import { programName } from '../shell/program-patterns.ts';
import {
  ANY_TEXT,
  ANYTHING,
  argvOf,
  everyCommand,
  everyRedirect,
  isUnread,
  type Part,
  type ShellScript,
  type SimpleCommand,
  type Word,
} from '../shell/shell-script.ts';
import { fileCommandPaths } from './file-commands.ts';
import { readOnlyPaths } from './read-only-commands.ts';

/**
 * The first file of a script that a path rule matches, as written; null when no file matches. It counts the files that
 * the shell opens and the words of commands that are known to read or write files; files that other programs open
 * cannot be seen here. A word or text that is not known beforehand counts as every path it could be: `cat 0<secret`
 * still names a file.
 */
export function caughtFile(
  script: ShellScript,
  kind: 'read' | 'edit',
  matcher: PathMatcher,
  policy: Policy,
): string | null {
  if (isUnread(script)) return 'a file that could not be found in the command';
  const directories = directoriesOf(script, policy);
  const opened = everyRedirect(script).filter((each) => kind === 'read' || each.kind === 'write');
  const files = [
    ...opened.map(({ target }): NamedFile => ({ word: target, directories })),
    ...everyCommand(script).flatMap((command) => namedFiles(command, kind, directories)),
  ];
  if (files.length * policy.deny.length > MAX_COMPARED)
    return `one of ${files.length} files, which are too many to check`;
  if (lettersOfOpen(files) > MAX_OPEN_LETTERS) return 'one of many files whose names are not known beforehand';
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

/** Where a script may be when it resolves a path: the directories it changes to, or anywhere. */
interface ScriptDirectories {
  directories: readonly string[];
  anywhere: boolean;
}

interface NamedFile {
  word: Word;
  directories: ScriptDirectories;
  /** Files below this path are touched as well: read one by one, or moved along as a whole. */
  below?: 'read' | 'taken' | undefined;
}

const MAX_PLACES = 32;

function directoriesOf(script: ShellScript, policy: Policy): ScriptDirectories {
  const directories = new Set([commandCwd(policy)]);
  let anywhere = false;
  for (const { words, assigns } of everyCommand(script)) {
    if (assigns.some(({ name }) => name === 'CDPATH' || name === 'HOME')) anywhere = true;
    if (words[0] !== 'cd' && words[0] !== 'pushd' && words[0] !== 'popd') continue;
    const target = words.slice(1).find((word) => typeof word !== 'string' || !/^-(?:[LPe@]+|-)$/.test(word));
    const known = target === undefined ? (policy.home ?? null) : textOf(target, policy);
    if (known === null || known === '-' || words[0] === 'popd' || directories.size > MAX_PLACES) anywhere = true;
    else for (const each of [...directories]) directories.add(resolve(each, known));
  }
  return { directories: [...directories], anywhere };
}

/** A word whose text is known, with the home directory filled in; null for any other word. */
export function textOf(word: Word, { home }: Pick<Policy, 'home'>): string | null {
  if (typeof word === 'string') return word;
  const [first, ...rest] = word.parts;
  if (typeof first !== 'object' || first.any !== 'home' || home === undefined) return null;
  return rest.every((part) => typeof part === 'string') ? home + rest.join('') : null;
}

function namedFiles(command: SimpleCommand, kind: 'read' | 'edit', directories: ScriptDirectories): NamedFile[] {
  const [name, ...args] = command.words;
  const where = command.elsewhere ? { ...directories, anywhere: true } : directories;
  // A program that is not known beforehand may open any of its arguments.
  if (typeof name !== 'string') return args.flatMap(valuesOf).map((word) => ({ word, directories: where }));
  const program = programName(name);
  const argv = argvOf({ words: args });
  const below = reach(program, args);
  const exact = argv === null ? null : exactPaths([program, ...argv], kind);
  if (exact !== null) return exact.map((word) => ({ word, directories: where, below }));
  if (!touchesFiles(program, args, kind)) return [];
  return [...args.flatMap(valuesOf), ...implied(args, below)].map((word) => ({ word, directories: where, below }));
}

/** The operands of a command whose options are all known; null otherwise. */
function exactPaths(argv: readonly string[], kind: 'read' | 'edit'): string[] | null {
  const changed = fileCommandPaths(argv);
  if (changed !== null) return changed;
  const read = readOnlyPaths(argv);
  return read !== null && kind === 'edit' ? [] : read;
}

const READERS = new Set(
  (
    'cat tac nl head tail less more most bat od xxd hexdump strings base64 base32 md5sum sha1sum sha256sum sha512sum ' +
    'b2sum cksum sum wc sort uniq cut paste join comm diff cmp sdiff colordiff grep egrep fgrep zgrep zcat bzcat xzcat ' +
    'rg ag ack sed awk gawk mawk nawk rev fold fmt pr column expand unexpand jq yq file stat ls dir du realpath tr ' +
    'tar zip 7z gzip bzip2 xz zstd cpio rsync scp dd split csplit openssl gpg curl wget nc view source . shuf iconv ' +
    'tsort ptx look hd ul basenc batcat sha224sum sha384sum shasum diff3 vimdiff zless zmore tree'
  ).split(' '),
);
const WRITERS = new Set(
  (
    'touch mkdir rmdir rm unlink mv cp ln install tee truncate dd shred chmod chown chgrp mkfifo mknod patch split ' +
    'csplit rsync scp tar unzip 7z gzip gunzip bzip2 xz zstd cpio wget vim vi nvim nano emacs ed ex sponge rename'
  ).split(' '),
);
/** These programs write only with an option that says so. */
const WRITES_WITH: ReadonlyMap<string, RegExp> = new Map([
  ['sed', /^(?:-[a-zA-Z]*i|--in-place)/],
  ['perl', /^-[a-zA-Z]*i/],
  ['ruby', /^-[a-zA-Z]*i/],
  ['awk', /inplace/],
  ['gawk', /inplace/],
  ['sort', /^(?:-[a-zA-Z]*o|--output)/],
  ['curl', /^(?:-[a-zA-Z]*[oO]|--output|--remote)/],
]);

function touchesFiles(program: string, args: readonly Word[], kind: 'read' | 'edit'): boolean {
  if (WRITERS.has(program) || (kind === 'read' && READERS.has(program))) return true;
  const option = WRITES_WITH.get(program);
  return option !== undefined && args.some((arg) => typeof arg !== 'string' || option.test(arg));
}

/** Programs that walk whole directories, some of them only with an option. */
function reach(program: string, args: readonly Word[]): 'read' | 'taken' | undefined {
  if (program === 'mv') return 'taken';
  if (/^(?:rg|ag|ack|tar|zip|7z|rsync|cpio)$/.test(program)) return 'read';
  const recursive = /^(?:-[a-zA-Z]*[rRa]|--(?:recursive|archive|dereference-recursive|directories))/;
  if (!args.some((arg) => typeof arg !== 'string' || recursive.test(arg))) return undefined;
  if (/^(?:[ef]?grep|cp|scp|diff)$/.test(program)) return 'read';
  return /^(?:rm|chmod|chown|chgrp)$/.test(program) ? 'taken' : undefined;
}

/** A search that names a pattern and no path walks the current directory. */
function implied(args: readonly Word[], below: NamedFile['below']): Word[] {
  const operands = args.filter((arg) => typeof arg !== 'string' || !arg.startsWith('-'));
  return below === 'read' && operands.length < 2 ? ['.'] : [];
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

function mayTouch({ word, directories, below }: NamedFile, matcher: PathMatcher, policy: Policy): boolean {
  const text = textOf(word, policy);
  if (text === null) return patternsOf(word, directories, policy).some((pattern) => matcher.mayMatch(pattern));
  const isAbsolute = text.startsWith('/');
  // Takes `..` in both ways: by text, and step by step as the kernel does.
  const paths = isAbsolute
    ? [text, resolve(text)]
    : directories.directories.flatMap((directory) => [resolve(directory, text), `${directory}/${text}`]);
  if (paths.some((path) => matcher.matches(path))) return true;
  if (below === 'read' && paths.some((path) => matcher.mayMatchBelow(path))) return true;
  if (below === 'taken' && paths.some((path) => matcher.startsBelow(path))) return true;
  return directories.anywhere && !isAbsolute && matcher.mayMatch(somewhere(text));
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
