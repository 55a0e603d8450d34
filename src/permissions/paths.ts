import { isAbsolute } from 'node:path';
import { isInside } from '../util/files/path-inside.ts';
import type { RealPath } from './real-path.ts';

/** A path as the kernel takes it: `..` after a link leads to the parent of its target, so the path is not shortened. */
export function pathFrom(directory: string, path: string): string {
  return isAbsolute(path) ? path : `${directory}/${path}`;
}

/**
 * Makes the test for paths that no mode may write without asking, whether they exist yet or not: Heddle itself and the
 * files that configure it, git, or the user's shell, because writing there is a way to run commands later. A directory
 * that contains the program or its home counts: once it is moved away, another could take its name.
 */
export function protectedPaths(options: ProtectedPathsOptions): (path: string) => boolean {
  const { configHome, realPath, ownProgram } = options;
  const homes = [configHome, realPath?.(configHome) ?? configHome].map(foldCase);
  return (path) => {
    const folded = foldCase(path);
    const own = [...homes, ...(ownProgram?.paths().map(foldCase) ?? [])];
    if (own.some((each) => isInside(each, folded) || isInside(folded, each)) || ownProgram?.isOtherName(path))
      return true;
    const names = folded.split('/').filter(Boolean);
    return names.some((name, at) => isProtectedName(name, names.slice(at + 1)));
  };
}

export interface ProtectedPathsOptions {
  configHome: string;
  realPath?: RealPath;
  /** The real paths of this program, and whether a path is another name of one of its files. */
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
  // The file that selects the config home is protected even while another home is used.
  if (name === '.heddle') return below[0] === undefined || below[0] === 'home';
  if (name === '.config') return below[0] === 'fish' || below[0] === 'git';
  return false;
}

/** The folder itself counts: moving a folder to this path would bring its own settings. */
function isOwnConfiguration(below: readonly string[]): boolean {
  const [first] = below;
  return first === undefined || first === 'hooks' || /^settings.*\.json$/.test(first);
}

/** Some file systems ignore case and invisible characters, so `.GIT` and `.g<ZWNJ>it` are `.git` to them. */
function foldCase(path: string): string {
  return path
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
}
