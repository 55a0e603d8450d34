import { existsSync, lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { smallText } from '../../util/files/small-file.ts';
import { closed, type ProtectedPath } from './protected-path.ts';

/**
 * The paths that make git run programs, in a repository whose top is `directory`: hooks, and the files that name them
 * and other programs. Git itself is often run outside of the sandbox, by people and by their prompts and editors.
 */
export function gitPaths(directory: string): ProtectedPath[] {
  const git = join(directory, '.git');
  const stats = lstatSync(git, { throwIfNoEntry: false });
  if (stats?.isFile()) {
    const linked = linkedDirectory(git, directory, /^gitdir: */);
    return [closed(git), ...(linked === null ? [] : ofGitDirectory(linked))];
  }
  if (stats?.isDirectory() && existsSync(join(git, 'HEAD'))) return ofGitDirectory(git);
  // Without a repository (also with a `.git` directory that is not one yet), commands cannot make one.
  return isBare(directory) ? ofGitDirectory(directory) : [closed(git)];
}

function ofGitDirectory(git: string): ProtectedPath[] {
  const shared = linkedDirectory(join(git, 'commondir'), git, /^/) ?? git;
  return [
    // Git reports an error for an empty file; this content means the same as no file.
    { path: join(git, 'commondir'), placeholder: { kind: 'file', content: '.\n' } },
    { path: join(git, 'config.worktree'), placeholder: { kind: 'file', content: '' } },
    { path: join(shared, 'config'), placeholder: { kind: 'file', content: '' } },
    closed(join(shared, 'hooks')),
    // Directories of the same kind: those of submodules and of other worktrees.
    { path: join(shared, 'modules') },
    { path: join(shared, 'worktrees') },
  ];
}

/** A repository without a working tree, or the inside of another one. */
function isBare(directory: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(directory, name)));
}

/** Each of these files is one path. */
const MAX_BYTES = 8192;

/** The directory that a file names, or null when there is no such file. */
function linkedDirectory(file: string, base: string, prefix: RegExp): string | null {
  const text = smallText(file, MAX_BYTES);
  return text === null ? null : resolve(base, text.replace(prefix, '').trim());
}
