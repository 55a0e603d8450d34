import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { errorCode } from '../util/error-code.ts';
import { messageOf } from '../util/message-of.ts';
import { printable } from '../util/printable.ts';
import { withoutTrailing } from '../util/without-trailing.ts';
import { type MemoryImport, memoryImports } from './memory-imports.ts';
import type { MemoryPlace } from './memory-places.ts';
import { projectOf, readRule, ruleFiles, type ScopedRule } from './memory-rules.ts';

/** A memory file as it is now. */
export interface MemoryFile extends Omit<MemoryPlace, 'isFolder'> {
  /** Without the front matter of a rule. */
  text: string;
  /** The files that it is for; absent: it is for all. */
  globs?: readonly string[];
  /** The file that imports it. */
  importedBy?: string;
}

type FilePlace = Omit<MemoryFile, 'text' | 'importedBy'>;

export interface MemoryReading {
  /** A real path. */
  cwd: string;
  /** Where the session works; imports from there need no trust. */
  roots: readonly string[];
  userHome: string;
  /** Whether no rule hides the file. */
  mayRead(path: string): boolean;
  /** Whether the project may have files read that lie outside of it. Asked when it wants to. */
  isTrusted(): boolean;
  /** Whether a rule that holds for some files is to be read now. */
  isDue(rule: ScopedRule): boolean;
  warn(text: string): void;
}

/** How many files one imports through another; further ones are left out. */
const MAX_IMPORT_DEPTH = 5;
/** Enough for any instructions; what is behind it would only push out the conversation. */
const MAX_FILE_BYTES = 100_000;
const MAX_TOTAL_CHARS = 400_000;

/**
 * Reads memory files, each followed by what it imports. A file is read once, however many names lead to it, and so is a
 * text that several files hold. What cannot be read is said and left out: nothing here throws.
 */
export function readMemory(places: readonly MemoryPlace[], reading: MemoryReading): MemoryFile[] {
  const found: MemoryFile[] = [];
  const seen = new Set<string>();
  let room = MAX_TOTAL_CHARS;

  function add(place: FilePlace, from: MemoryFile | null, depth: number): void {
    const text = textOf(place, from, reading, seen);
    if (text !== null) keep({ ...place, text, ...(from && { importedBy: from.path }) }, text, depth);
  }

  function addRules({ path: folder, isFolder: _, ...place }: MemoryPlace): void {
    for (const path of rulePaths({ path: folder, kind: place.kind }, reading)) {
      const text = textOf({ ...place, path }, null, reading, seen);
      if (text === null) continue;
      const { body, globs, problems } = readRule(text);
      for (const { line, message } of problems) reading.warn(printable(`${path}:${line}: ${message}`));
      const file = { ...place, path, text: body, ...(globs && { globs }) };
      if (body.trim() !== '' && (!globs || reading.isDue({ ...place, path, globs }))) keep(file, text, 0);
    }
  }

  /** `whole` is the text of the file. */
  function keep(file: MemoryFile, whole: string, depth: number): void {
    const { path, text } = file;
    if (text.length > room) {
      reading.warn(`Memory files are too long together; left out: ${printable(path)}`);
      return;
    }
    room -= text.length;
    for (const mark of marksOf(path, whole)) seen.add(mark);
    found.push(file);
    for (const wanted of memoryImports(text, { directory: dirname(path), userHome: reading.userHome })) {
      follow(wanted, file, depth + 1);
    }
  }

  function follow(wanted: MemoryImport, file: MemoryFile, depth: number): void {
    const path = wanted.candidates.find((candidate) => statOf(candidate)?.isFile());
    const name = `@${printable(wanted.written)} in ${printable(file.path)}`;
    if (path === undefined) {
      if (wanted.isPath) reading.warn(`A memory file imports a file that is not there: ${name}`);
    } else if (depth > MAX_IMPORT_DEPTH) {
      reading.warn(`Memory files import each other more than ${MAX_IMPORT_DEPTH} deep; left out: ${name}`);
    } else {
      const { kind, isNested, globs } = file;
      add({ path, kind, ...(isNested && { isNested }), ...(globs && { globs }) }, file, depth);
    }
  }

  for (const place of places) {
    if (place.isFolder) addRules(place);
    else add(place, null, 0);
  }
  return found;
}

/** The rules in a folder, as far as it may be looked into: a link leads out of a project only with trust. */
export function rulePaths({ path, kind }: MemoryPlace, reading: Pick<MemoryReading, 'roots' | 'isTrusted'>): string[] {
  const mayEnter = (link: string) => kind === 'user' || isOwn(link, null, reading) || reading.isTrusted();
  return ruleFiles({ path, mayEnter });
}

/** The text of a file that is there, may be read and was not read before; null otherwise. */
function textOf(place: FilePlace, from: MemoryFile | null, reading: MemoryReading, seen: Set<string>): string | null {
  const stats = statOf(place.path);
  if (!stats || seen.has(identityOf(stats)) || !reading.mayRead(place.path)) return null;
  const problem = problemOf(place, stats, from, reading);
  if (problem !== null) {
    seen.add(identityOf(stats));
    reading.warn(`A memory file was not read: ${printable(place.path)} ${problem}`);
    return null;
  }
  const text = read(place.path, reading);
  return text === null || text.trim() === '' || seen.has(text) ? null : text;
}

/** By which a file that was taken is known again, under whatever name. */
function marksOf(path: string, text: string): string[] {
  const stats = statOf(path);
  return stats ? [identityOf(stats), text] : [text];
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}.${ino}`;
}

function problemOf(
  { path, kind }: FilePlace,
  stats: Stats,
  from: MemoryFile | null,
  reading: MemoryReading,
): string | null {
  if (!stats.isFile()) return 'is not a regular file';
  if (kind === 'user') return null;
  if (!from && isStrangers(path, stats, reading)) return 'belongs to another user, and lies above this directory';
  if (isOwn(path, from, reading) || reading.isTrusted()) return null;
  const way = from ? `is imported by ${printable(from.path)}` : 'is a link that leads there';
  return `lies outside of the project and ${way}. \`heddle trust\` or --trust lets it be read.`;
}

/** In a directory above that everybody may write to, others could leave instructions. */
function isStrangers(path: string, { uid }: Stats, { cwd }: MemoryReading): boolean {
  if (isInside(cwd, path)) return false;
  return uid !== 0 && uid !== statOf(cwd)?.uid;
}

/** Whether a file really lies where the project is: beside the file that names it, or where the session works. */
function isOwn(path: string, from: MemoryFile | null, { roots }: Pick<MemoryReading, 'roots'>): boolean {
  const real = realPath(path);
  const home = realPath(projectOf(from?.path ?? path));
  return real !== null && [home, ...roots].some((root) => root !== null && isInside(root, real));
}

function isInside(directory: string, path: string): boolean {
  return path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);
}

/** The start of a file. Nobody has trusted the project yet, so that it may be a pipe or a device by now. */
function read(path: string, { warn }: MemoryReading): string | null {
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

/** Null for what is not there. What cannot be looked at cannot be read either. */
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
