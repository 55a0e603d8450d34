import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { smallText } from '../../util/files/small-file.ts';
import type { GuardedSpec } from '../shell-sandbox.ts';
import type { WallMount } from './walls.ts';

export interface GuardPrograms {
  bwrap: string;
  /** For root: enters a user namespace; null for other users. */
  root: RootEntry | null;
}

export interface RootEntry {
  nsenter: string;
  /** The path of the namespace. */
  namespace: string;
  /** The disks, which root could read as a whole. */
  disks: readonly string[];
}

/**
 * The process in a mount namespace with these walls. All else is as outside: network, processes, devices, user.
 *
 * A user namespace keeps it from reaching other processes of the same user, which see the files: their directories in
 * /proc, and debuggers. For root it maps every user to itself and is entered last, so that root keeps its powers over
 * files, but none over these mounts.
 */
export function bubblewrapGuard<Spec extends GuardedSpec>(
  spec: Spec,
  mounts: readonly WallMount[],
  { bwrap, root }: GuardPrograms,
): Spec {
  const inner = [spec.command, ...spec.args];
  return {
    ...spec,
    command: bwrap,
    args: [
      ...(root === null ? ['--unshare-user', '--cap-drop', 'ALL'] : []),
      ...['--dev-bind', '/', '/'],
      ...mounts.flatMap(mountArgs),
      ...(root === null ? [] : rootWalls(root)),
      ...['--chdir', spec.cwd, '--'],
      ...(root === null ? inner : [root.nsenter, `--user=${root.namespace}`, '--preserve-credentials', '--', ...inner]),
    ],
  };
}

function mountArgs(mount: WallMount): string[] {
  const { path, as } = mount;
  switch (as) {
    case 'device':
      // Devices cannot be opened on such a mount.
      return ['--ro-bind', '/dev/null', path];
    case 'empty':
      // Closed, and not only empty: git would take the files of an empty directory for deleted.
      return ['--perms', '0000', '--tmpfs', path, '--remount-ro', path];
    case 'read-only':
      return ['--ro-bind', path, path];
    case 'replaced':
      return ['--ro-bind', mount.by, path];
  }
}

/** Root could make the kernel start programs outside, and read the disks. */
function rootWalls({ disks }: RootEntry): string[] {
  const kernel = ['/proc/sys', '/proc/sysrq-trigger', '/sys'].filter((path) => existsSync(path));
  return [
    ...kernel.flatMap((path) => ['--ro-bind', path, path]),
    ...disks.flatMap((path) => ['--ro-bind', '/dev/null', path]),
  ];
}

/** The disks of this machine that hold something. */
export function disksHere(): string[] {
  const entries = readdirSync('/dev', { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isBlockDevice() && !isEmpty(entry.name) ? [join('/dev', entry.name)] : []));
}

/** A loop device without a file, a drive without a medium. */
function isEmpty(name: string): boolean {
  return smallText(`/sys/class/block/${name}/size`, 8192)?.trim() === '0';
}
