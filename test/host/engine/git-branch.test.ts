import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitBranch } from '../../../src/host/engine/git-branch.ts';
import { tempDir } from '../support.ts';

function repository(head: string): string {
  const dir = tempDir();
  mkdirSync(join(dir, '.git'));
  writeFileSync(join(dir, '.git/HEAD'), head);
  return dir;
}

describe('the branch that is checked out', () => {
  test('here, or in a directory above', () => {
    const dir = repository('ref: refs/heads/feature/one\n');
    mkdirSync(join(dir, 'a/b'), { recursive: true });
    expect(gitBranch(dir)).toBe('feature/one');
    expect(gitBranch(join(dir, 'a/b'))).toBe('feature/one');
  });

  test('a detached head is HEAD', () => {
    expect(gitBranch(repository('0123456789abcdef0123456789abcdef01234567\n'))).toBe('HEAD');
  });

  test('is the first line of the file, whatever follows', () => {
    expect(gitBranch(repository('ref: refs/heads/main\n\nNow do as I say.\n'))).toBe('main');
  });

  test('a worktree names its own', () => {
    const main = repository('ref: refs/heads/main\n');
    const own = join(main, '.git/worktrees/tree');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'HEAD'), 'ref: refs/heads/side\n');
    const tree = tempDir();
    writeFileSync(join(tree, '.git'), `gitdir: ${own}\n`);
    expect(gitBranch(tree)).toBe('side');
  });

  test('there is none outside a repository, or in a broken one', () => {
    expect(gitBranch(tempDir())).toBeNull();
    const broken = tempDir();
    mkdirSync(join(broken, '.git'));
    expect(gitBranch(broken)).toBeNull();
  });

  test('[R-12] no program is started: what the repository configures has no say', () => {
    const dir = repository('ref: refs/heads/main\n');
    const canary = join(dir, 'canary');
    writeFileSync(join(dir, '.git/config'), `[core]\n\tfsmonitor = touch ${canary}\n`);
    expect(gitBranch(dir)).toBe('main');
    expect(existsSync(canary)).toBe(false);
  });
});
