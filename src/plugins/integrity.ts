import { createHash, type Hash } from 'node:crypto';
import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isInside } from '../util/files/path-inside.ts';
import { readSmallFile } from '../util/files/small-file.ts';
import { isObject, type JsonObject } from '../util/json.ts';

/** What the files of a folder are, in a form that two machines compare. */
export interface FolderIntegrity {
  /** `sha256-…` over path, executable bit and content of every file. */
  integrity: string;
  /** Changes when a file of this machine was written, even where its content is the same. */
  stamp: string;
  /** The hash of each file, by its path in the folder. */
  files: ReadonlyMap<string, string>;
}

/** More than any plugin has; what is larger cannot be checked, and so is never accepted. */
const MAX_FILES = 20_000;
const MAX_BYTES = 200 * 1024 * 1024;

/** What git stores of a checkout, and what programs leave at the top of a folder that they use. */
const NOT_CONTENT = /(?:^|\/)\.git(?:\/|$)|^\.(?:in_use|orphaned_at)(?:\/|$)/;

interface FoundFile {
  /** In the folder, with slashes. */
  path: string;
  full: string;
  stats: Stats;
}

/** Cheap: looks at sizes and times only. Throws an Error with the reason for a folder that cannot be checked. */
export function stampOf(folder: string): string {
  return stampOfFiles(filesIn(folder));
}

/** Reads every file. Throws an Error with the reason for a folder that cannot be checked. */
export function integrityOf(folder: string): FolderIntegrity {
  const found = filesIn(folder);
  const stamp = stampOfFiles(found);
  const files = new Map(found.map((file) => [file.path, fileHash(file, folder)]));
  const hash = createHash('sha256');
  for (const [path, content] of files) addTo(hash, [path, content]);
  return { integrity: `sha256-${hash.digest('base64')}`, stamp, files };
}

/**
 * The integrity of a folder together with what its marketplace says of its contents: hooks may stand there, too. `entry`
 * without contents changes nothing.
 */
export function withEntry(integrity: string, entry: JsonObject | null | undefined): string {
  const { name: _name, version: _version, ...contents } = entry ?? {};
  if (contents.strict !== false) delete contents.strict;
  if (Object.keys(contents).length === 0) return integrity;
  const hash = createHash('sha256');
  addTo(hash, [integrity, ordered(contents)]);
  return `sha256-${hash.digest('base64')}`;
}

/** The same text for the same values, in whatever order they were written. */
function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${ordered(value[key])}`).join(',')}}`;
}

/** The integrity of some of the files, in the same form. */
export function integrityOfFiles(files: ReadonlyMap<string, string>, isMeant: (path: string) => boolean): string {
  const hash = createHash('sha256');
  for (const [path, content] of files) if (isMeant(path)) addTo(hash, [path, content]);
  return `sha256-${hash.digest('base64')}`;
}

function filesIn(folder: string): FoundFile[] {
  const found: FoundFile[] = [];
  let bytes = 0;
  const walk = (directory: string, below: string) => {
    for (const { name } of readdirSync(directory, { withFileTypes: true })) {
      const full = join(directory, name);
      const path = below === '' ? name : `${below}/${name}`;
      if (NOT_CONTENT.test(path)) continue;
      const stats = lstatSync(full);
      if (stats.isDirectory()) {
        walk(full, path);
        continue;
      }
      bytes += stats.size;
      found.push({ path, full, stats });
      if (found.length > MAX_FILES) throw new Error(`it has more than ${MAX_FILES} files`);
      if (bytes > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES / 1024 / 1024} MB`);
    }
  };
  walk(folder, '');
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function stampOfFiles(files: readonly FoundFile[]): string {
  const hash = createHash('sha256');
  for (const { path, stats } of files) {
    addTo(hash, [path, String(stats.size), String(stats.mtimeMs), String(stats.ctimeMs), String(stats.mode)]);
  }
  return hash.digest('base64');
}

function fileHash({ path, full, stats }: FoundFile, folder: string): string {
  if (stats.isSymbolicLink()) {
    const target = readlinkSync(full);
    // What it leads to may change without a file of the folder changing.
    const root = realpathSync(folder);
    const real = realOf(full) ?? resolve(full, '..', target);
    if (!isInside(root, real)) throw new Error(`${path} is a link that leads out of it`);
    if (NOT_CONTENT.test(relative(root, real))) throw new Error(`${path} is a link to what does not belong to it`);
    return `link ${target}`;
  }
  if (!stats.isFile()) throw new Error(`${path} is neither a file nor a folder`);
  const kind = (stats.mode & 0o100) === 0 ? 'file' : 'program';
  return `${kind} ${createHash('sha256').update(readSmallFile(full, MAX_BYTES)).digest('base64')}`;
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null; // it leads nowhere yet
  }
}

/** With their lengths, so that no text can take a part of the next one. */
function addTo(hash: Hash, texts: readonly string[]): void {
  for (const text of texts) hash.update(`${Buffer.byteLength(text)}:${text}`);
}
