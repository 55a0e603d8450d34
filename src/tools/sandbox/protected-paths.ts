import { join } from 'node:path';
import { gitPaths } from './git-paths.ts';

/** A path that no confined command may write, whether it exists or not (CVE-2026-25725). */
export interface ProtectedPath {
  /** Absolute. */
  path: string;
  /** What stands in its place while it does not exist, so that it cannot be made. Absent: then it may be made. */
  standIn?: StandInKind;
}

/**
 * What is seen inside: an empty directory, a file, or a device that cannot be opened. The last one is for files that
 * would show: git does not add devices.
 */
export type StandInKind = { kind: 'directory' } | { kind: 'file' | 'device'; content: string };

export interface ProtectedPlaces {
  /** Working directories: here programs look for the settings of a project. */
  roots: readonly string[];
  /** Other directories that may be written. */
  others: readonly string[];
  /** Ours: settings, sessions, state of the sandbox. */
  own: readonly string[];
  /** The user's home, or empty. */
  home: string;
}

/** By what a confined command could have commands run outside, later: ruling G6, for commands. */
export function protectedPaths({ roots, others, own, home }: ProtectedPlaces): ProtectedPath[] {
  return [
    ...roots.flatMap((root) => [...projectPaths(root), ...gitPaths(root)]),
    ...others.flatMap((directory) =>
      gitPaths(directory).filter(({ path, standIn }) => !standIn || path !== join(directory, '.git')),
    ),
    ...own.map((path): ProtectedPath => ({ path, standIn: { kind: 'directory' } })),
    ...(home === '' ? [] : homePaths(home)),
  ];
}

function projectPaths(root: string): ProtectedPath[] {
  return [
    { path: join(root, '.claude'), standIn: { kind: 'directory' } },
    { path: join(root, '.mcp.json'), standIn: { kind: 'device', content: '{"mcpServers":{}}\n' } },
  ];
}

const HOME_FILES = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.inputrc',
  '.gitconfig',
];
const HOME_DIRECTORIES = ['.ssh', '.config/git', '.config/fish'];

function homePaths(home: string): ProtectedPath[] {
  return [
    ...HOME_FILES.map((name): ProtectedPath => ({ path: join(home, name), standIn: { kind: 'device', content: '' } })),
    ...HOME_DIRECTORIES.map((name): ProtectedPath => ({ path: join(home, name), standIn: { kind: 'directory' } })),
  ];
}
