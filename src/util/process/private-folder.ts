import { closeSync, constants, lstatSync, openSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../files/make-directory.ts';

/**
 * Makes a directory that only this user may enter, or checks that it is one. Throws where another user owns it or
 * may enter it: then nothing in it can be relied on.
 */
export function privateFolder(path: string): void {
  makeDirectory(path, 0o700);
  const stats = lstatSync(path);
  if (!stats.isDirectory() || !belongsToUser(stats)) throw new Error(`${path} is not a directory of yours`);
  if ((stats.mode & 0o077) !== 0) throw new Error(`${path} can be entered by others: chmod 700 it`);
}

/** Whether a file is one of the user of this process. */
export function belongsToUser({ uid }: Pick<Stats, 'uid'>): boolean {
  return uid === process.getuid?.();
}

/** The longest path that every system takes for a socket. */
const MOST_BYTES = 100;

/** A path for a socket, and how to let go of what it needs. */
export interface SocketPath {
  path: string;
  release(): void;
}

/** The path of a socket, also below a directory whose path is longer than the system takes for sockets. Throws where it cannot. */
export function socketPath(folder: string, name: string): SocketPath {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= MOST_BYTES) return { path, release: () => {} };
  if (process.platform !== 'linux') throw new Error(`${path} is too long for a socket: choose a shorter config home`);
  const directory = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${directory}/${name}`, release: () => closeSync(directory) };
}
