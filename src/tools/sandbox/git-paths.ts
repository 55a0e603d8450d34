import { existsSync, lstatSync, readFileSync, type Stats } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ProtectedPath } from './protected-paths.ts';

/**
 * What makes git run programs, in a repository whose top is `directory`: hooks, and what says where they and other
 * programs are. Git itself is often run outside of the sandbox, by people and by their prompts and editors.
 */
export function gitPaths(directory: string): ProtectedPath[] {
  const git = join(directory, '.git');
  const stats = lstatOrNull(git);
  if (stats === null) {
    return isGitDirectory(directory) ? ofGitDirectory(directory) : [{ path: git, standIn: { kind: 'directory' } }];
  }
  if (stats.isDirectory()) return ofGitDirectory(git);
  if (stats.isSymbolicLink()) return [{ path: git }];
  const linked = linkedDirectory(git, directory, /^gitdir: */);
  return [{ path: git }, ...(linked === null ? [] : ofGitDirectory(linked))];
}

function ofGitDirectory(git: string): ProtectedPath[] {
  const shared = linkedDirectory(join(git, 'commondir'), git, /^/) ?? git;
  return [
    // An empty one would be an error to git; this one says what its absence says.
    { path: join(git, 'commondir'), standIn: { kind: 'file', content: '.\n' } },
    { path: join(git, 'config.worktree'), standIn: { kind: 'file', content: '' } },
    { path: join(shared, 'config'), standIn: { kind: 'file', content: '' } },
    { path: join(shared, 'hooks'), standIn: { kind: 'directory' } },
    // Directories of the same kind: those of submodules and of other worktrees.
    { path: join(shared, 'modules') },
    { path: join(shared, 'worktrees') },
  ];
}

/** A bare repository, or the inside of another one. */
function isGitDirectory(directory: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(directory, name)));
}

/** The directory that a file names, or null when there is no such file. */
function linkedDirectory(file: string, base: string, prefix: RegExp): string | null {
  try {
    return resolve(base, readFileSync(file, 'utf8').replace(prefix, '').trim());
  } catch {
    return null;
  }
}

function lstatOrNull(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}
