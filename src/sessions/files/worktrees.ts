import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { existingPath } from '../../util/files/existing-path.ts';
import { smallText } from '../../util/files/small-file.ts';

/**
 * A directory and the other worktrees of its git repository, as real paths. Read from git's own files: starting git costs
 * more than listing the sessions does.
 */
export function withWorktrees(dir: string): string[] {
  const common = commonFolder(dir);
  if (common === null) return [dir];
  const linked = namesIn(join(common, 'worktrees')).map((name) => textOf(join(common, 'worktrees', name, 'gitdir')));
  // Each file names the `.git` file in a worktree; the main worktree is the parent of the repository's folder.
  const roots = [common, ...linked]
    .filter((file) => file !== null)
    .flatMap((file) => existingPath(dirname(file)) ?? []);
  return [...new Set([dir, ...roots])];
}

/**
 * The repository's folder: `.git` in the directory or above it, or the folder that the `.git` file of a worktree names.
 */
function commonFolder(dir: string): string | null {
  for (let at = dir; ; at = dirname(at)) {
    const git = join(at, '.git');
    if (namesIn(git).includes('HEAD')) return git;
    const gitdir = /^gitdir: (.+)$/m.exec(textOf(git) ?? '')?.[1];
    if (gitdir !== undefined) return commonOf(resolve(at, gitdir));
    if (at === dirname(at)) return null;
  }
}

function commonOf(worktree: string): string | null {
  const common = textOf(join(worktree, 'commondir'));
  return common === null ? null : resolve(worktree, common);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Each of these files is one path. */
const MAX_BYTES = 8192;

function textOf(file: string): string | null {
  return smallText(file, MAX_BYTES)?.trim() ?? null;
}
