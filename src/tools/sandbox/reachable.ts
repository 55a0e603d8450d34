import { existsSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

const SEARCH = { owner: 0o100, group: 0o010, others: 0o001 };

/**
 * True when a path can be reached from within a sandbox. For most users that is the same as outside. Root reaches every
 * file outside, but in its own namespace it has no rights on the files of other users, and bubblewrap fails as a whole
 * when it has to mount such a path.
 */
export function isReachableInside(path: string): boolean {
  return existsSync(path) && areParentsOpen(path);
}

/** Like `isReachableInside`, for a path that need not exist yet. */
export function areParentsOpen(path: string): boolean {
  const root = asRoot();
  return root === null || areOpenTo(root, dirname(path));
}

/** True when the user of this process is root. */
export function runsAsRoot(): boolean {
  return asRoot() !== null;
}

/** The effective user and group of this process, for programs that take them as words. */
export function ownIds(): { uid: string; gid: string } {
  const status = statusOfProcess();
  const effective = (name: string) => new RegExp(`^${name}:\\s+\\d+\\s+(\\d+)`, 'm').exec(status)?.[1] ?? '0';
  return { uid: effective('Uid'), gid: effective('Gid') };
}

interface Root {
  groups: readonly number[];
}

/** Null when the user is not root. */
function asRoot(): Root | null {
  const status = statusOfProcess();
  const effectiveUser = /^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1];
  if (effectiveUser !== '0') return null;
  return { groups: [0, ...(/^Groups:\s*(.*)$/m.exec(status)?.[1] ?? '').trim().split(/\s+/).map(Number)] };
}

function statusOfProcess(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return ''; // no /proc: nothing is known of the user
  }
}

function areOpenTo(root: Root, directory: string): boolean {
  const stats = statSync(directory, { throwIfNoEntry: false });
  if (!stats || !maySearch(stats, root)) return false;
  return dirname(directory) === directory || areOpenTo(root, dirname(directory));
}

/** The kernel's decision for root in a namespace that knows no other user. */
function maySearch({ uid, gid, mode }: Stats, { groups }: Root): boolean {
  if (uid === 0) return gid === 0 || (mode & SEARCH.owner) !== 0;
  return (mode & (groups.includes(gid) ? SEARCH.group : SEARCH.others)) !== 0;
}
