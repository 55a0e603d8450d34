import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../util/error-code.ts';
import { isInside } from '../../util/files/path-inside.ts';
import { readSmallFile } from '../../util/files/small-file.ts';
import { messageOf } from '../../util/message-of.ts';
import { type FrontMatter, readFrontMatter } from './front-matter.ts';
import { shellCommands } from './prompt-template.ts';

/** Where extension files come from, and whether Heddle trusts them. */
export interface FileSource {
  scope: 'user' | 'project' | 'plugin';
  /** The plugin whose name prefixes the names of its extensions. */
  plugin?: { name: string; root: string };
  /**
   * A real path, for files that the user has not trusted: Heddle ignores the parts that would run, allow or select
   * something, and follows no link out of this directory. Null: the files are trusted.
   */
  confinedTo: string | null;
  notes: FileNotes;
}

/** Receives the problems with files. None of them ends a session. */
export interface FileNotes {
  warn(file: string, problem: string, line?: number): void;
  /** Reports the keys of a file that were left out for lack of trust. */
  ignore(file: string, keys: readonly string[]): void;
}

export interface MarkdownFile extends FrontMatter {
  path: string;
  /** Whether the shell commands in the file may run. */
  mayRun: boolean;
}

/** The Markdown files in a folder, by name. `nested`: also those in subfolders. A missing folder has none. */
export function markdownFiles(folder: string, source: FileSource, { nested }: { nested: boolean }): string[] {
  const all = walk(folder, source, nested ? MAX_NESTING : 0);
  if (all.length > MAX_FILES) source.notes.warn(folder, TOO_MANY);
  return all.slice(0, MAX_FILES);
}

/** A link may lead back to a parent folder. */
const MAX_NESTING = 8;
/** More than any real folder has: all are read before the session starts. */
const MAX_FILES = 1000;
const TOO_MANY = `has more than ${MAX_FILES} entries: the others are left out`;
/** Longer than any real file, and short enough to be read a few hundred times at the start of a session. */
const MAX_BYTES = 256 * 1024;

function walk(folder: string, source: FileSource, depth: number): string[] {
  return entriesOf(folder, source).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name.endsWith('.md') && !entry.isDirectory()) return [path];
    return depth > 0 && isFolder(entry, path) ? walk(path, source, depth - 1) : [];
  });
}

/** In the order of their names, which does not depend on the machine. */
export function entriesOf(folder: string, { notes }: FileSource): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
    if (entries.length > MAX_FILES) notes.warn(folder, TOO_MANY);
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MAX_FILES);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') notes.warn(folder, messageOf(error));
    return [];
  }
}

export function isFolder(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * A parsed file, without the parts that need trust where it lacks trust. Null when it cannot be used; the notes get the
 * reason.
 */
export function readMarkdown(path: string, source: FileSource): MarkdownFile | null {
  const text = readText(path, source);
  if (text === null) return null;
  const matter = readFrontMatter(text);
  for (const { line, message } of matter.problems) source.notes.warn(path, message, line);
  if (source.confinedTo === null) return { ...matter, path, mayRun: true };
  const acting = partsNeedingTrust(matter).map(({ key }) => key);
  if (acting.length > 0) source.notes.ignore(path, acting);
  const values = Object.entries(matter.values).filter(([key]) => !ACTING_KEYS.includes(key));
  return { ...matter, values: Object.fromEntries(values), path, mayRun: false };
}

/** Keys by which a file runs or allows something, or selects the model. */
const ACTING_KEYS: readonly string[] = ['allowed-tools', 'hooks', 'mcpServers', 'memory', 'model', 'permissionMode'];

export interface PartNeedingTrust {
  key: string;
  value: unknown;
}

/** The parts of a file that need trust. */
export function partsNeedingTrust({ values, body }: FrontMatter): PartNeedingTrust[] {
  const commands = shellCommands(body);
  return [
    ...ACTING_KEYS.flatMap((key) => (values[key] == null ? [] : [{ key, value: values[key] }])),
    ...(commands.length === 0 ? [] : [{ key: 'shell commands', value: commands }]),
  ];
}

/**
 * The text of a file; null when it cannot be used, with the reason in the notes. Reading a pipe or a device does not
 * block.
 */
export function readText(path: string, { confinedTo, notes }: FileSource): string | null {
  try {
    const real = confinedTo === null ? path : realpathSync.native(path);
    if (confinedTo !== null && !isInside(confinedTo, real)) {
      notes.warn(path, 'is a link that leads out of a directory that is not trusted');
      return null;
    }
    const stats = statSync(real);
    if (!stats.isFile() || stats.size > MAX_BYTES) {
      notes.warn(path, stats.isFile() ? `is larger than ${MAX_BYTES / 1024} KB` : 'is not a regular file');
      return null;
    }
    return readSmallFile(real, MAX_BYTES).toString('utf8');
  } catch (error) {
    // A file that was removed since the folder was read is ignored; a broken link gets a warning.
    notes.warn(path, messageOf(error));
    return null;
  }
}
