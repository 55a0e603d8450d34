import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * Whether the repository that git would find from a directory has settings of its own that make a reading subcommand start
 * a program: a driver that shows or filters files, a monitor of the file system, an included file. A directory that is a
 * repository by itself, without `.git`, counts too: it may have been made of plain files. The user's own settings do not
 * count. True when there is no repository.
 */
export function hasPlainRepository(directory: string): boolean {
  let at = directory;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    if (looksBare(at)) return false;
    const kind = kindOf(join(at, '.git'));
    if (kind === 'directory') return areHarmless(join(at, '.git'));
    if (kind === 'file') return linkedIsHarmless(at);
    if (kind !== 'none') return false;
    const parent = dirname(at);
    if (parent === at) return true;
    at = parent;
  }
  return false;
}

const MAX_DEPTH = 64;
/** Larger than settings that people write. */
const MAX_BYTES = 64 * 1024;

function kindOf(path: string): 'none' | 'file' | 'directory' | 'other' {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'none';
  if (stat.isFile()) return 'file';
  return stat.isDirectory() ? 'directory' : 'other';
}

function looksBare(directory: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => kindOf(join(directory, name)) !== 'none');
}

/** The `.git` of a worktree or a submodule is a file that names the real one. */
function linkedIsHarmless(directory: string): boolean {
  const [, target] = /^gitdir: (.+?)\s*$/.exec(smallFile(join(directory, '.git')) ?? '') ?? [];
  if (target === undefined) return false;
  const own = resolve(directory, target);
  const common = smallFile(join(own, 'commondir'));
  return common === null ? areHarmless(own) : areHarmless(resolve(own, common.trim()));
}

function areHarmless(gitDirectory: string): boolean {
  const texts = ['config', 'config.worktree', 'info/attributes'].map((name) => {
    const path = join(gitDirectory, name);
    return kindOf(path) === 'none' ? '' : smallFile(path);
  });
  return texts.every((text) => text !== null && !RUNS_PROGRAMS.test(text.replaceAll(LFS, '')));
}

const RUNS_PROGRAMS =
  /\\\n|^\s*(?:\[\s*(?:include|includeif)\b|(?:\[[^\]]*\])?\s*(?:textconv|external|command|fsmonitor|clean|smudge|process|attributesfile|worktree|program|sshcommand|askpass)\s*=)/im;
/** The filter of git-lfs, as `git lfs install --local` writes it. */
const LFS = /^\s*(?:clean|smudge|process) = git-lfs (?:clean|smudge|filter-process)(?: -- %f)?\s*$/gm;

/** The text of a small plain file; null for anything else. Never waits for a pipe. */
function smallFile(path: string): string | null {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(file);
      if (!stat.isFile() || stat.size > MAX_BYTES) return null;
      const buffer = Buffer.alloc(stat.size);
      return buffer.toString('utf8', 0, readSync(file, buffer, 0, stat.size, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
