import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { errorCode } from '../util/error-code.ts';
import { messageOf } from '../util/message-of.ts';
import { printable } from '../util/printable.ts';
import { type MemoryImport, memoryImports } from './memory-imports.ts';
import type { MemoryPlace } from './memory-places.ts';

/** A memory file as it is now. */
export interface MemoryFile extends MemoryPlace {
  text: string;
  /** The file that imports it. */
  importedBy?: string;
}

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

  function add(place: MemoryPlace, from: MemoryFile | null, depth: number): void {
    const text = textOf(place, from, reading, seen);
    if (text === null) return;
    if (text.length > room) {
      reading.warn(`Memory files are too long together; left out: ${printable(place.path)}`);
      return;
    }
    room -= text.length;
    const file = { ...place, text, ...(from && { importedBy: from.path }) };
    found.push(file);
    for (const wanted of memoryImports(text, { directory: dirname(place.path), userHome: reading.userHome })) {
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
      add({ path, kind: file.kind, ...(file.isNested && { isNested: true }) }, file, depth);
    }
  }

  for (const place of places) add(place, null, 0);
  return found;
}

/** The text of a file that is there, may be read and was not read before; null otherwise. */
function textOf(place: MemoryPlace, from: MemoryFile | null, reading: MemoryReading, seen: Set<string>): string | null {
  const stats = statOf(place.path);
  if (!stats) return null;
  const identity = `${stats.dev}.${stats.ino}`;
  if (seen.has(identity) || !reading.mayRead(place.path)) return null;
  seen.add(identity);
  const problem = problemOf(place, stats, from, reading);
  if (problem !== null) {
    reading.warn(`A memory file was not read: ${printable(place.path)} ${problem}`);
    return null;
  }
  const text = read(place.path, reading);
  if (text === null || text.trim() === '' || seen.has(text)) return null;
  seen.add(text);
  return text;
}

function problemOf(
  { path, kind }: MemoryPlace,
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
function isOwn(path: string, from: MemoryFile | null, { roots }: MemoryReading): boolean {
  const real = realPath(path);
  const home = realPath(projectOf(from?.path ?? path));
  return real !== null && [home, ...roots].some((root) => root !== null && isInside(root, real));
}

/** What is in `.claude` speaks for the directory around it. */
function projectOf(path: string): string {
  const directory = dirname(path);
  return directory.endsWith(`${sep}.claude`) ? dirname(directory) : directory;
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
    return `${text.replace(/\uFFFD+$/, '')}\n[The file goes on; only its start is shown here.]`;
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
