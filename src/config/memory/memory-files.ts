import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../../util/error-code.ts';
import { isInside } from '../../util/files/path-inside.ts';
import { messageOf } from '../../util/message-of.ts';
import { printable } from '../../util/text/printable.ts';
import { withoutTrailing } from '../../util/text/without-trailing.ts';
import { type MemoryImport, memoryImports } from './memory-imports.ts';
import type { MemoryLocation } from './memory-locations.ts';
import { projectOf, readRule, ruleFiles, type ScopedRule } from './memory-rules.ts';

/** A memory file as it is now. */
export interface MemoryFile extends Omit<MemoryLocation, 'isFolder'> {
  /** The text, without the front matter of a rule. */
  text: string;
  /** The files that the rule applies to; absent: all. */
  globs?: readonly string[];
  /** The file that imports it. */
  importedBy?: string;
}

type MemoryFileOrigin = Omit<MemoryFile, 'text' | 'importedBy'>;

export interface MemoryOptions {
  /** A real path. */
  cwd: string;
  /** The directories in which the session works; imports from there need no trust. */
  roots: readonly string[];
  userHome: string;
  /** Whether no rule hides the file. */
  mayRead(path: string): boolean;
  /** Whether the project may import files from outside of it. Called only when it does. */
  isTrusted(): boolean;
  /** Whether a rule for certain files applies now. */
  isDue(rule: ScopedRule): boolean;
  warn(text: string): void;
}

/** How deep files may import each other; deeper imports are left out. */
const MAX_IMPORT_DEPTH = 5;
/** Enough for any instructions; more would only fill the context window. */
const MAX_FILE_BYTES = 100_000;
const MAX_TOTAL_CHARS = 400_000;

/**
 * Reads memory files, each followed by its imports. It reads a file once, however many names lead to it, and a text
 * once, however many files contain it. It skips unreadable files with a warning and never throws.
 */
export function readMemory(locations: readonly MemoryLocation[], options: MemoryOptions): MemoryFile[] {
  const found: MemoryFile[] = [];
  const seen = new Set<string>();
  let room = MAX_TOTAL_CHARS;

  function add(origin: MemoryFileOrigin, from: MemoryFile | null, depth: number): void {
    const text = textOf(origin, from, options, seen);
    if (text !== null) keep({ ...origin, text, ...(from && { importedBy: from.path }) }, text, depth);
  }

  function addRules({ path: folder, isFolder: _, ...place }: MemoryLocation): void {
    for (const path of rulePaths({ path: folder, kind: place.kind }, options)) {
      const text = textOf({ ...place, path }, null, options, seen);
      if (text === null) continue;
      const { body, globs, problems } = readRule(text);
      for (const { line, message } of problems) options.warn(printable(`${path}:${line}: ${message}`));
      const file = { ...place, path, text: body, ...(globs && { globs }) };
      if (body.trim() !== '' && (!globs || options.isDue({ ...place, path, globs }))) keep(file, text, 0);
    }
  }

  /** `whole` is the text of the file. */
  function keep(file: MemoryFile, whole: string, depth: number): void {
    const { path, text } = file;
    if (text.length > room) {
      options.warn(`Memory files are too long together; left out: ${printable(path)}`);
      return;
    }
    room -= text.length;
    for (const mark of marksOf(path, whole)) seen.add(mark);
    found.push(file);
    for (const wanted of memoryImports(text, { directory: dirname(path), userHome: options.userHome })) {
      follow(wanted, file, depth + 1);
    }
  }

  function follow(wanted: MemoryImport, file: MemoryFile, depth: number): void {
    const path = wanted.candidates.find((candidate) => statOf(candidate)?.isFile());
    const name = `@${printable(wanted.written)} in ${printable(file.path)}`;
    if (path === undefined) {
      if (wanted.isPath) options.warn(`A memory file imports a file that is not there: ${name}`);
    } else if (depth > MAX_IMPORT_DEPTH) {
      options.warn(`Memory files import each other more than ${MAX_IMPORT_DEPTH} deep; left out: ${name}`);
    } else {
      const { kind, isNested, globs } = file;
      add({ path, kind, ...(isNested && { isNested }), ...(globs && { globs }) }, file, depth);
    }
  }

  for (const location of locations) {
    if (location.isFolder) addRules(location);
    else add(location, null, 0);
  }
  return found;
}

/** The rules in a folder, as far as it may be read: a link leads out of a project only with trust. */
export function rulePaths(
  { path, kind }: MemoryLocation,
  options: Pick<MemoryOptions, 'roots' | 'isTrusted'>,
): string[] {
  const mayEnter = (link: string) => kind === 'user' || isOwn(link, null, options) || options.isTrusted();
  return ruleFiles({ path, mayEnter });
}

/** The text of a file that exists, may be read and was not read before; null otherwise. */
function textOf(
  origin: MemoryFileOrigin,
  from: MemoryFile | null,
  options: MemoryOptions,
  seen: Set<string>,
): string | null {
  const stats = statOf(origin.path);
  if (!stats || seen.has(identityOf(stats)) || !options.mayRead(origin.path)) return null;
  const problem = problemOf(origin, stats, from, options);
  if (problem !== null) {
    seen.add(identityOf(stats));
    options.warn(`A memory file was not read: ${printable(origin.path)} ${problem}`);
    return null;
  }
  const text = read(origin.path, options);
  return text === null || text.trim() === '' || seen.has(text) ? null : text;
}

/** Keys by which a file that was read is recognised under any name. */
function marksOf(path: string, text: string): string[] {
  const stats = statOf(path);
  return stats ? [identityOf(stats), text] : [text];
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}.${ino}`;
}

function problemOf(
  { path, kind }: MemoryFileOrigin,
  stats: Stats,
  from: MemoryFile | null,
  options: MemoryOptions,
): string | null {
  if (!stats.isFile()) return 'is not a regular file';
  if (kind === 'user') return null;
  if (!from && isStrangers(path, stats, options)) return 'belongs to another user, and lies above this directory';
  if (isOwn(path, from, options) || options.isTrusted()) return null;
  const way = from ? `is imported by ${printable(from.path)}` : 'is a link that leads there';
  return `lies outside of the project and ${way}. \`heddle trust\` or --trust lets it be read.`;
}

/** In a parent directory that everyone may write to, other users could leave instructions. */
function isStrangers(path: string, { uid }: Stats, { cwd }: MemoryOptions): boolean {
  if (isInside(cwd, path)) return false;
  return uid !== 0 && uid !== statOf(cwd)?.uid;
}

/** Whether a file really is in the project: next to the file that imports it, or in a directory of the session. */
function isOwn(path: string, from: MemoryFile | null, { roots }: Pick<MemoryOptions, 'roots'>): boolean {
  const real = realPath(path);
  const home = realPath(projectOf(from?.path ?? path));
  return real !== null && [home, ...roots].some((root) => root !== null && isInside(root, real));
}

/** The beginning of a file. The project may be untrusted, so that the file may be a pipe or a device. */
function read(path: string, { warn }: MemoryOptions): string | null {
  try {
    const bytes = startOf(path);
    if (bytes.includes(0)) {
      warn(`A memory file was not read: ${printable(path)} is not a text`);
      return null;
    }
    const text = bytes
      .subarray(0, MAX_FILE_BYTES)
      .toString('utf8')
      .replace(/^\uFEFF/, '');
    if (bytes.length <= MAX_FILE_BYTES) return text;
    warn(`Only the first ${MAX_FILE_BYTES} bytes of a memory file are used: ${printable(path)}`);
    return `${withoutTrailing(text, '\uFFFD')}\n[The file goes on; only its start is shown here.]`;
  } catch (error) {
    warn(`A memory file was not read: ${printable(messageOf(error))}`);
    return null;
  }
}

function startOf(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw new Error(`${path} is not a regular file`);
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
    let length = 0;
    for (let got = -1; got !== 0 && length < buffer.length; length += got) {
      got = readSync(file, buffer, length, buffer.length - length, null);
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** Null for a missing file, or one without access. */
function statOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return null;
  }
}
