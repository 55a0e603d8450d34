import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { messageOf } from '../../util/message-of.ts';
import { HeddleError } from '../../wire/errors.ts';
import { pluginError } from '../plugin-error.ts';
import { type ArchiveEntry, MAX_FILES, safeNames } from './safe-names.ts';
import { gunzip, tarEntries } from './tar.ts';
import { zipEntries } from './zip.ts';

/**
 * Unpacks a zip or tar archive into a new folder. Rejects nothing silently: links, devices, and paths that lead elsewhere
 * end it with `plugin_failed`, and the caller removes the folder.
 */
export function unpack(archive: Buffer, to: string, what: string): void {
  try {
    write(entriesIn(archive, what), to, what);
  } catch (error) {
    if (HeddleError.isInstance(error)) throw error;
    throw pluginError(`${what} cannot be unpacked: ${messageOf(error)}`, error);
  }
}

/** The folder with the plugin: archives of repositories hold one folder with everything. */
export function unpackedRoot(folder: string): string {
  const names = readdirSync(folder);
  const [only] = names;
  if (names.length !== 1 || only === undefined || only === '.claude-plugin') return folder;
  const inner = join(folder, only);
  return statSync(inner).isDirectory() && !KINDS.has(only) ? inner : folder;
}

const KINDS: ReadonlySet<string> = new Set(['skills', 'commands', 'agents', 'hooks', 'output-styles', 'bin']);

function entriesIn(archive: Buffer, what: string): Iterable<ArchiveEntry> {
  if (archive.readUInt32LE(0) === 0x04034b50 || archive.readUInt32LE(0) === 0x06054b50)
    return zipEntries(archive, what);
  if (archive.readUInt16BE(0) === 0x1f8b) return tarEntries(gunzip(archive), what);
  if (archive.length >= 512 && archive.toString('latin1', 257, 262) === 'ustar') return tarEntries(archive, what);
  throw pluginError(`${what} is neither a zip nor a tar archive`);
}

function write(entries: Iterable<ArchiveEntry>, to: string, what: string): void {
  const names = safeNames(what);
  makeDirectory(to, 0o700);
  let count = 0;
  for (const { path: written, isFolder, isProgram, data } of entries) {
    if (++count > 2 * MAX_FILES) throw pluginError(`${what} has more than ${MAX_FILES} files`);
    const path = written.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
    if (isFolder && path === '') continue;
    if (isFolder) {
      names.addFolder(path);
      makeDirectory(join(to, path), 0o700);
      continue;
    }
    names.addFile(path, data.length);
    const full = join(to, path);
    if (!existsSync(dirname(full))) makeDirectory(dirname(full), 0o700);
    writeFileSync(full, data, { flag: 'wx', mode: 0o600 });
    if (isProgram) chmodSync(full, 0o700);
  }
  if (count === 0) throw pluginError(`${what} is empty`);
}
