import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { submodulesIn } from './git-index.ts';

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
    if (kind !== 'none') return isHarmlessAt(at, 0);
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

/** The repository whose `.git` lies here, and those inside of it: git runs itself in each of them. */
function isHarmlessAt(directory: string, depth: number): boolean {
  const own = ownDirectory(directory);
  if (own === null || depth > MAX_NESTED) return false;
  const common = smallFile(join(own, 'commondir'));
  if (common === null && kindOf(join(own, 'commondir')) !== 'none') return false;
  const places = common === null ? [own] : [own, resolve(own, common.trim())];
  if (!places.every(areHarmless)) return false;
  const isHarmless = (path: string) => kindOf(join(path, '.git')) === 'none' || isHarmlessAt(path, depth + 1);
  return submodulesIn(own, directory)?.every(isHarmless) ?? false;
}

const MAX_NESTED = 8;

/** The `.git` of a worktree or a submodule is a file that names the real one. */
function ownDirectory(directory: string): string | null {
  const path = join(directory, '.git');
  if (kindOf(path) === 'directory') return path;
  const [, target] = /^gitdir: (.+?)\s*$/.exec(smallFile(path) ?? '') ?? [];
  return target === undefined ? null : resolve(directory, target);
}

/** What a driver, a filter or a monitor starts, and what git starts to fetch an object that is missing. */
function areHarmless(gitDirectory: string): boolean {
  const texts = ['config', 'config.worktree', 'info/attributes'].map((name) => {
    const path = join(gitDirectory, name);
    return kindOf(path) === 'none' ? '' : smallFile(path);
  });
  return texts.every(
    (text) => text !== null && !RUNS_PROGRAMS.test(text.replaceAll(LFS, '')) && !FETCHES_BY_PROGRAM.test(text),
  );
}

const RUNS_PROGRAMS =
  /\\\n|^\s*(?:.*\[\s*(?:include|includeif)\b|(?:\[(?:[^\]"\\]|"(?:[^"\\]|\\.)*")*\]\s*)*(?:textconv|external|command|cmd|fsmonitor|clean|smudge|process|attributesfile|worktree|program|sshcommand|askpass|alternaterefscommand|uploadpack|receivepack|vcs|gitproxy)\s*=)/im;
const FETCHES_BY_PROGRAM = /\bext::|^\s*(?:\[.*\])?\s*helper\s*=\s*["']?[!/.~]|\[\s*protocol\b/im;
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
