import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readSmallFile } from '../../util/files/small-file.ts';

/** Each of these files has one line. */
const MAX_BYTES = 8192;

/**
 * The branch that is checked out in `cwd`, or null outside a repository. Reads `.git/HEAD` instead of starting git:
 * a repository's configuration can make git run programs, and a process would cost more than the whole start.
 */
export function gitBranch(cwd: string): string | null {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const head = headOf(directory);
    if (head !== null) return head.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length) : 'HEAD';
    if (dirname(directory) === directory) return null;
  }
}

/** The name of the linked worktree that a directory is in; null in the main one, and outside of repositories. */
export function linkedWorktree(cwd: string): string | null {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const target = linkOf(directory);
    if (target !== null) return /\/worktrees\/([^/]+)\/?$/.exec(target)?.[1] ?? null;
    if (dirname(directory) === directory) return null;
  }
}

/** Where the file `.git` of a directory leads; empty where it is a directory, null where there is none. */
function linkOf(directory: string): string | null {
  try {
    const git = join(directory, '.git');
    return statSync(git).isDirectory() ? '' : linkedGitDir(directory, git);
  } catch {
    return null;
  }
}

function headOf(directory: string): string | null {
  try {
    const git = join(directory, '.git');
    const gitDir = statSync(git).isDirectory() ? git : linkedGitDir(directory, git);
    // Only the first line: the model would take further lines of a forged file for Heddle's words.
    return textOf(join(gitDir, 'HEAD')).split('\n', 1).join('').trim();
  } catch {
    return null; // no repository here, or an unreadable one
  }
}

/** A worktree or submodule has a file that says `gitdir: PATH`. */
function linkedGitDir(directory: string, file: string): string {
  const [path = ''] = textOf(file).split('\n', 1);
  return resolve(directory, path.replace(/^gitdir:/, '').trim());
}

function textOf(file: string): string {
  return readSmallFile(file, MAX_BYTES).toString('utf8');
}
