import { isInside } from '../../util/files/path-inside.ts';
import type { ProcessSpec } from '../../util/process/process.ts';
import { bridgeArgs, FILTER_FD } from './bridge.ts';
import type { Mount } from './mounts.ts';
import { ownIds, runsAsRoot } from './reachable.ts';
import type { SocketAccess } from './unix-sockets.ts';

export interface BubblewrapOptions {
  /** Parents come before the paths below them. */
  mounts: readonly Mount[];
  sockets: SocketAccess;
  /** The directory that is /tmp inside, kept from command to command. */
  tmp: string;
  /** The socket of the proxy, and the socat that connects to it; null: no network. */
  proxy: { socket: string; socat: string } | null;
  /** For containers in which nothing can be mounted on /proc: commands then see the /proc of the outside. */
  isWeaker: boolean;
  /** Where the filter of system calls begins; null: there is none. */
  filter: 'all' | 'command' | null;
  bwrap: string;
}

/** The path of the proxy's socket inside the sandbox. */
const PROXY_SOCKET = '/run/heddle-proxy.sock';

/**
 * The arguments of bwrap for a process: a file system that is read-only except for the mounts, its own processes and
 * network, no capabilities and no way to gain any. When bwrap ends, by whatever signal, the kernel kills everything
 * inside.
 */
export function bubblewrapArgs({ command, args, cwd }: ProcessSpec, options: BubblewrapOptions): string[] {
  const { proxy, filter } = options;
  if (filter === 'command') return inTwoStages({ command, args, cwd }, options);
  const inner = [command, ...args];
  const bridged = proxy === null ? inner : ['bash', ...bridgeArgs(proxy.socat, PROXY_SOCKET, inner)];
  const filtered = filter === null ? [] : FILTERED;
  return [...filtered, ...ISOLATION, '--unshare-net', ...fileSystem(options), '--chdir', cwd, '--', ...bridged];
}

/**
 * First only a network and the bridge out of it, then all else with the filter, which would stop the bridge. In the first
 * stage the user is root of the namespace, because bwrap wants to be that or to have no powers; then itself again.
 */
function inTwoStages(
  { command, args, cwd }: Pick<ProcessSpec, 'command' | 'args' | 'cwd'>,
  options: BubblewrapOptions,
) {
  const { proxy, bwrap } = options;
  const { uid, gid } = ownIds();
  const confined = [
    ...[bwrap, ...FILTERED, '--unshare-user', '--uid', uid, '--gid', gid, ...ISOLATION],
    ...[...fileSystem({ ...options, proxy: null }), '--chdir', cwd, '--', command, ...args],
  ];
  const bridged = proxy === null ? confined : ['bash', ...bridgeArgs(proxy.socat, proxy.socket, confined)];
  const first = ['--die-with-parent', '--unshare-user', '--uid', '0', '--gid', '0', '--unshare-net', '--unshare-pid'];
  // bwrap reads there of processes that it starts. For root it would cover parts of it, and then nothing can be mounted.
  const proc = runsAsRoot() ? [] : ['--proc', '/proc'];
  return [...first, '--dev-bind', '/', '/', ...proc, '--cap-add', 'ALL', '--', ...bridged];
}

const FILTERED = ['--seccomp', String(FILTER_FD)];

const ISOLATION = [
  '--die-with-parent',
  '--unshare-user-try',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  // Given explicitly, because it is not the default for root: with capabilities a command could remove all
  // restrictions.
  '--cap-drop',
  'ALL',
];

function fileSystem({ mounts, sockets, tmp, proxy, isWeaker }: BubblewrapOptions): string[] {
  const isTmpShared = !mountsBelow('/tmp', mounts, sockets);
  return [
    ...['--ro-bind', '/', '/'],
    ...['--dev', '/dev'],
    // Read-only: for root, even without capabilities, /proc/sys is full of ways out.
    ...(isWeaker ? [] : ['--proc', '/proc', '--remount-ro', '/proc']),
    ...['--tmpfs', '/run'],
    ...['--ro-bind-try', '/run/current-system', '/run/current-system'], // where NixOS keeps its programs
    ...(isTmpShared ? ['--bind', tmp, '/tmp'] : ['--tmpfs', '/tmp']),
    ...mounts.flatMap(mountArgs),
    ...sockets.covered.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    // Their owners may remove them at any moment.
    ...sockets.shown.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(proxy === null ? [] : ['--ro-bind', proxy.socket, PROXY_SOCKET]),
    // Last, because the mounts before may need mount points inside them.
    ...mounts.filter(({ as }) => as === 'empty').flatMap(({ path }) => ['--remount-ro', path]),
  ];
}

/**
 * Nothing must be mounted in a directory that earlier commands have written: they could have left links there, and
 * mounts would follow them. In that case every command gets its own /tmp.
 */
function mountsBelow(directory: string, mounts: readonly Mount[], { shown }: SocketAccess): boolean {
  return [...mounts.map(({ path }) => path), ...shown].some((path) => isInside(directory, path));
}

function mountArgs({ path, as }: Mount): string[] {
  switch (as) {
    case 'writable':
    case 'kept':
      return ['--bind', path, path];
    case 'read-only':
      return ['--ro-bind', path, path];
    case 'device':
      // Devices cannot be opened on such a mount.
      return ['--ro-bind', '/dev/null', path];
    case 'empty':
      return ['--tmpfs', path];
  }
}
