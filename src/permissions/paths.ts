import { isAbsolute, relative, sep } from 'node:path';
import type { RealPath } from './real-path.ts';

/** True when `path` is `root` or lies below it. Compares whole segments: `/work-evil` is not inside `/work`. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** A path as the kernel takes it: `..` after a link is not what stands before it, so nothing is shortened. */
export function pathFrom(directory: string, path: string): string {
  return isAbsolute(path) ? path : `${directory}/${path}`;
}

export function isInsideAny(roots: readonly string[], path: string): boolean {
  return roots.some((root) => isInside(root, path));
}

/**
 * Makes the test for paths that no mode may write without asking (rulings G6, G12), whether they exist yet or not: this
 * program itself and what configures it, git, or the user's shell, because writing there is a way to run commands later.
 * A directory in which the program or its home lies counts: moved away, it would leave room for another.
 */
export function protectedPaths(options: ProtectedPathsOptions): (path: string) => boolean {
  const { configHome, realPath, ownProgram } = options;
  const homes = [configHome, realPath?.(configHome) ?? configHome].map(fold);
  return (path) => {
    const folded = fold(path);
    const own = [...homes, ...(ownProgram?.paths().map(fold) ?? [])];
    if (own.some((each) => isInside(each, folded) || isInside(folded, each)) || ownProgram?.isOtherName(path))
      return true;
    const names = folded.split('/').filter(Boolean);
    return names.some((name, at) => isProtectedName(name, names.slice(at + 1)));
  };
}

export interface ProtectedPathsOptions {
  configHome: string;
  realPath?: RealPath;
  /** Where this program lies, as real paths, and whether a path is another name of one of its files. */
  ownProgram?: { paths(): readonly string[]; isOtherName(path: string): boolean };
}

const PROTECTED_FILES = new Set([
  '.mcp.json',
  '.gitconfig',
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
]);

function isProtectedName(name: string, below: readonly string[]): boolean {
  if (name === '.git') return true;
  if (PROTECTED_FILES.has(name)) return below.length === 0;
  if (name === '.claude') return isOwnConfiguration(below);
  // The choice of the config home counts also while another home is used (K52).
  if (name === '.heddle') return below[0] === undefined || below[0] === 'home';
  if (name === '.config') return below[0] === 'fish' || below[0] === 'git';
  return false;
}

/** The folder itself counts: moving one into place would bring its own settings. */
function isOwnConfiguration(below: readonly string[]): boolean {
  const [first] = below;
  return first === undefined || first === 'hooks' || /^settings.*\.json$/.test(first);
}

/** Some file systems ignore case and invisible characters, so `.GIT` and `.g<ZWNJ>it` are `.git` to them. */
function fold(path: string): string {
  return path
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
}
