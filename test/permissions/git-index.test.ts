import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { trackedFiles } from '../../src/permissions/git-index.ts';
import { bash, realPolicy, rules } from './policy-for.ts';

function repository() {
  const { cwd, policy } = realPolicy({ mode: 'bypassPermissions', deny: rules('Read(./.env)'), trackedFiles });
  const git = (...args: string[]) => execFileSync('git', ['-C', cwd, ...args], { stdio: 'pipe' });
  const put = (name: string) => writeFileSync(join(cwd, name), 'x\n');
  mkdirSync(join(cwd, 'sub'), { recursive: true });
  git('init', '--quiet', '--template=');
  for (const name of ['.env', 'a.txt', 'sub/long-name-of-a-file.txt']) put(name);
  git('add', 'a.txt', 'sub');
  return { cwd, git, judge: (command: string) => decide(bash(command), policy).behavior };
}

describe('git diff without a revision', () => {
  it('[R-8] [K50] shows what git tracks, and is denied when that is hidden', () => {
    const { git, judge } = repository();
    expect(judge('git diff')).toBe('allow');
    expect(judge('cd sub && git diff -U9')).toBe('allow');
    git('add', '--intent-to-add', '.env');
    expect(judge('git diff')).toBe('deny');
    expect(judge('cd sub && git diff')).toBe('deny');
    expect(judge('git diff --stat')).toBe('allow');
    expect(judge('git diff -- a.txt')).toBe('allow');
  });

  it.each([
    'git add -N . && git diff',
    'git reset -q --soft HEAD~1; git diff',
    'git diff --cached',
    'git diff --staged -p',
    'git commit -v --dry-run',
    'git add -p',
    'git -C sub diff',
  ])('[R-8] is denied where something else may be shown: %s', (command) => {
    expect(repository().judge(command)).toBe('deny');
  });

  it('[R-8] is denied where the index cannot be read', () => {
    const { cwd, git, judge } = repository();
    git('update-index', '--index-version', '4');
    expect(trackedFiles(cwd)).toBeNull();
    expect(judge('git diff')).toBe('deny');
    git('update-index', '--index-version', '2');
    expect(judge('git diff')).toBe('allow');
    git('update-index', '--split-index');
    expect(trackedFiles(cwd)).toBeNull();
    git('update-index', '--no-split-index');
    expect(trackedFiles(cwd)).toEqual(['a.txt', 'sub/long-name-of-a-file.txt'].map((name) => join(cwd, name)));
    truncateSync(join(cwd, '.git/index'), 90);
    expect(trackedFiles(cwd)).toBeNull();
  });

  it('shows nothing where there is no repository', () => {
    const { cwd } = realPolicy();
    mkdirSync(cwd, { recursive: true });
    expect(trackedFiles(cwd)).toEqual([]);
  });
});

describe('a pattern that is walked through', () => {
  it.each([
    'grep KEY -r -- *',
    'grep -r KEY p*',
    'tar c p*',
    'scp -r p y',
    'npm pack',
    'npm publish ./p',
    'cp -r p* y',
  ])('[R-8] names what lies below what it finds: %s', (command) => {
    const { policy } = realPolicy({ mode: 'bypassPermissions', deny: rules('Read(./p/sub/.env)') });
    expect(decide(bash(command), policy).behavior).toBe('deny');
  });
});
