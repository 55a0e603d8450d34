import { readFileSync } from 'node:fs';
import type { Confinement } from './confinement.ts';
import { isInside, isInsideAny } from './inside.ts';
import { isReachableInside } from './reachable.ts';

/** Directories whose content a sandbox does not show. Most sockets are in them. */
export const PRIVATE_DIRECTORIES: readonly string[] = ['/run', '/tmp'];

export interface SocketAccess {
  /** To be shown in a private directory. */
  readonly shown: readonly string[];
  /** To be covered: a file system that can only be read does not keep anyone from connecting to a socket in it. */
  readonly covered: readonly string[];
}

/**
 * Which unix sockets of the machine have to be shown or covered. Known are those that the kernel lists for our network
 * and those that the settings name; what is bound after a command has started is not. Those that cannot be reached
 * inside, such as the sockets of others in directories of their own, need neither.
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

/** The eighth column of the kernel's list is the path; abstract names begin with @ and stay behind in their network. */
function boundSockets(): string[] {
  try {
    const lines = readFileSync('/proc/net/unix', 'utf8').split('\n');
    return lines.flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  } catch {
    return []; // no /proc: nothing that could be listed
  }
}
