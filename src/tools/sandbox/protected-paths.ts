import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gitPaths } from './git-paths.ts';
import { closed, type ProtectedPath } from './protected-path.ts';

export interface ProtectedRoots {
  /** Working directories: here programs look for the settings of a project. */
  roots: readonly string[];
  /** Other directories that may be written. */
  others: readonly string[];
  /** Heddle's own files: the program, settings, sessions, state of the sandbox. */
  own: readonly string[];
  /** The user's home, or empty. */
  home: string;
}

/** The files through which a confined command could later run commands outside the sandbox. */
export function protectedPaths({ roots, others, own, home }: ProtectedRoots): ProtectedPath[] {
  return [
    ...roots.flatMap((root) => [...projectPaths(root), ...gitPaths(root)]),
    ...others.flatMap((directory) =>
      gitPaths(directory).filter(({ path }) => path !== join(directory, '.git') || existsSync(path)),
    ),
    ...own.map(closed),
    ...(home === '' ? [] : homePaths(home)),
  ];
}

function projectPaths(root: string): ProtectedPath[] {
  return ['.claude', '.mcp.json'].map((name) => closed(join(root, name)));
}

const HOME_NAMES =
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout ' +
  '.kshrc .cshrc .tcshrc .login .inputrc .gitconfig .ssh .heddle .config/git .config/fish';

function homePaths(home: string): ProtectedPath[] {
  return HOME_NAMES.split(' ').map((name) => closed(join(home, name)));
}
