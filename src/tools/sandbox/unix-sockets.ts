import { readFileSync } from 'node:fs';
import { isInside, isInsideAny } from '../../util/files/path-inside.ts';
import type { Confinement } from './confinement.ts';
import { isReachableInside } from './reachable.ts';

/** Directories whose content a sandbox does not show. Most sockets are in them. */
export const PRIVATE_DIRECTORIES: readonly string[] = ['/run', '/tmp'];

export interface SocketAccess {
  /** Sockets to show in a private directory. */
  readonly shown: readonly string[];
  /** Sockets to cover: a read-only file system does not prevent a connection to a socket in it. */
  readonly covered: readonly string[];
}

/**
 * The unix sockets of the machine to show or to cover: those that the kernel lists for this network and those that the
 * settings name. Sockets bound after a command has started are not covered. Sockets that cannot be reached inside, such
 * as those in other users' directories, need neither.
 */
export function socketAccess(
  { unixSockets, writable }: Pick<Confinement, 'unixSockets' | 'writable'>,
  realPath: (path: string) => string | null,
): SocketAccess {
  const isAllowed = (path: string) => unixSockets === 'all' || unixSockets.some((each) => isInside(each, path));
  const isPrivate = (path: string) => isInsideAny(PRIVATE_DIRECTORIES, path) && !isInsideAny(writable, path);
  const named = unixSockets === 'all' ? [] : unixSockets;
  const sockets = [...new Set([...boundSockets(), ...named])]
    .map((path) => realPath(path))
    .filter((path): path is string => path !== null && isReachableInside(path));
  return {
    shown: sockets.filter((path) => isAllowed(path) && isPrivate(path)),
    covered: sockets.filter((path) => !isAllowed(path) && !isPrivate(path)),
  };
}

/**
 * The eighth column of the kernel's list is the path. Abstract names begin with @ and are not reachable from another
 * network.
 */
function boundSockets(): string[] {
  try {
    const lines = readFileSync('/proc/net/unix', 'utf8').split('\n');
    return lines.flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  } catch {
    return []; // no /proc: nothing that could be listed
  }
}
