import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withWorktrees } from '../../../src/sessions/files/worktrees.ts';
import { tempDir } from '../support.ts';

test('[B-093] a directory has the other worktrees of its repository, from whichever of them one looks', () => {
  const base = realpathSync(tempDir());
  const [main, linked] = [join(base, 'main'), join(base, 'linked')];
  mkdirSync(join(main, 'src'), { recursive: true });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: main, env: { ...process.env, HOME: base } });
  git('init', '-q');
  git('-c', 'user.name=n', '-c', 'user.email=e@example.com', 'commit', '-q', '--allow-empty', '-m', 'first');
  git('worktree', 'add', '-q', linked);
  expect(withWorktrees(main)).toEqual([main, linked]);
  expect(withWorktrees(linked)).toEqual([linked, main]);
  expect(withWorktrees(join(main, 'src'))).toEqual([join(main, 'src'), main, linked]);
});

test('a directory without a repository stands alone, also when it is gone', () => {
  const dir = realpathSync(tempDir());
  expect(withWorktrees(dir)).toEqual([dir]);
  expect(withWorktrees(join(dir, 'gone'))).toEqual([join(dir, 'gone')]);
});
