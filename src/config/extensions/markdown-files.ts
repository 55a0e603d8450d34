import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { errorCode } from '../util/error-code.ts';
import { messageOf } from '../util/message-of.ts';
import { readSmallFile } from '../util/small-file.ts';
import { type FrontMatter, readFrontMatter } from './front-matter.ts';
import { shellCommands } from './prompt-template.ts';

/** Where extension files come from, and how far they are believed. */
export interface FileSource {
  scope: 'user' | 'project' | 'plugin';
  /** Stands in front of the names of all that a plugin brings. */
  plugin?: { name: string; root: string };
  /**
   * A real path, where nobody has called the files trustworthy: then what would run, allow or choose something is left
   * out (ruling G1), and no link leads out of this directory. Null: they are trusted.
   */
  confinedTo: string | null;
  notes: FileNotes;
}

/** Told what could not be used. Nothing of it ends a session. */
export interface FileNotes {
  warn(file: string, problem: string, line?: number): void;
  /** What was left out of a file for want of trust, by key. */
  ignore(file: string, keys: readonly string[]): void;
}

export interface MarkdownFile extends FrontMatter {
  path: string;
  /** The shell commands in it may run. */
  mayRun: boolean;
}

/** The Markdown files in a folder, by name. `nested`: and in those within. A folder that is not there has none. */
export function markdownFiles(folder: string, source: FileSource, { nested }: { nested: boolean }): string[] {
  return walk(folder, source, nested ? MAX_NESTING : 0);
}

/** A link may lead back to where it stands. */
const MAX_NESTING = 8;
/** Longer than anybody writes, and short enough to be read a few hundred times at the start of a session. */
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
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1)).filter(({ name }) => !name.startsWith('.'));
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

/** A file taken apart, as far as it is believed. Null when it cannot be used; the notes say why. */
export function readMarkdown(path: string, source: FileSource): MarkdownFile | null {
  const text = readText(path, source);
  if (text === null) return null;
  const matter = readFrontMatter(text);
  for (const { line, message } of matter.problems) source.notes.warn(path, message, line);
  if (source.confinedTo === null) return { ...matter, path, mayRun: true };
  const acting = actingParts(matter).map(({ key }) => key);
  if (acting.length > 0) source.notes.ignore(path, acting);
  const values = Object.entries(matter.values).filter(([key]) => !ACTING_KEYS.includes(key));
  return { ...matter, values: Object.fromEntries(values), path, mayRun: false };
}

/** Keys by which a file lets something run, allows it, or says who answers. */
const ACTING_KEYS: readonly string[] = ['allowed-tools', 'hooks', 'mcpServers', 'memory', 'model', 'permissionMode'];

export interface ActingPart {
  key: string;
  value: unknown;
}

/** What of a file acts only with trust. */
export function actingParts({ values, body }: FrontMatter): ActingPart[] {
  const commands = shellCommands(body);
  return [
    ...ACTING_KEYS.flatMap((key) => (values[key] == null ? [] : [{ key, value: values[key] }])),
    ...(commands.length === 0 ? [] : [{ key: 'shell commands', value: commands }]),
  ];
}

/** The text of a file; null when it cannot be used, which the notes say. A pipe or a device does not hold us up. */
export function readText(path: string, { confinedTo, notes }: FileSource): string | null {
  try {
    const real = confinedTo === null ? path : realpathSync.native(path);
    if (confinedTo !== null && !isBelow(confinedTo, real)) {
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
    // What is gone since the folder was read was never there; a link that leads nowhere is worth a word.
    notes.warn(path, messageOf(error));
    return null;
  }
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
