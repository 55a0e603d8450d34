import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { nodeNames } from '../../src/permissions/real-path.ts';
import { hasPlainRepository } from '../../src/permissions/repository-config.ts';
import { BUILD_COMMANDS } from './corpora/build-commands.ts';
import { READING_COMMANDS } from './corpora/reading-commands.ts';
import { bash, policyFor, realPolicy, rules } from './policy-for.ts';

describe('everyday commands', () => {
  it('[K50] of those that only read, nearly all run without a rule', () => {
    const asked = READING_COMMANDS.filter((command) => decide(bash(command), policyFor()).behavior !== 'allow');
    expect(READING_COMMANDS.length).toBeGreaterThanOrEqual(100);
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(READING_COMMANDS.length / 20);
  });

  it('[K44] of those that build, all run where they may, whatever else a rule denies', () => {
    const policy = policyFor({
      mode: 'bypassPermissions',
      deny: rules('Bash(touch:*)', 'Bash(git push:*)', 'Bash(sudo:*)'),
    });
    const refused = BUILD_COMMANDS.flatMap((command) => {
      const decision = decide(bash(command), policy);
      return decision.behavior === 'allow' ? [] : [`${command}: ${decision.reason}`];
    });
    expect(BUILD_COMMANDS.length).toBeGreaterThanOrEqual(100);
    expect(refused).toEqual([]);
  });
});

describe('what looks like reading', () => {
  it.each([
    'git log --output=x',
    'git diff --ext-diff',
    'git show --textconv HEAD',
    'git -c core.pager=x log',
    'git -p log',
    'git --git-dir=x status',
    'git branch new',
    'git branch -D old',
    'git stash',
    'git remote add a b',
    'git grep -Ovi x',
    'git status /etc/../x --weird',
    'find . -delete',
    'find . -exec cat {} +',
    'find . -fprint x',
    'rg --pre x y',
    'sed -n 1w/tmp/x a',
    "sed -n '1e x' a",
    'sed -i s/a/b/ a',
    `awk '{print > "x"}' a`,
    `awk 'BEGIN { system("x") }'`,
    'sort -o x a',
    'cd / && ls',
    'cd .. && ls',
    'cd src && cat ../../x',
    'cat /etc/passwd',
    'ls /etc/*.conf',
    'grep -R x .',
    'jq . /etc/x.json',
    './git status',
    'diff a /etc/passwd',
  ])('[K50] and does more, or elsewhere, is asked for: %s', (command) => {
    expect(decide(bash(command), policyFor()).behavior).toBe('ask');
  });

  it('[K50] a file pattern is read only as far as the names that it finds lie inside', () => {
    const { base, cwd, policy } = realPolicy({ namesIn: nodeNames });
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(cwd, 'a.txt'), '');
    writeFileSync(join(base, 'outside'), '');
    expect(decide(bash('cat *.txt'), policy).behavior).toBe('allow');
    symlinkSync('../outside', join(cwd, 'b.txt'));
    expect(decide(bash('cat *.txt'), policy).behavior).toBe('ask');
  });

  it('[K50] git is asked for where the settings of the repository make it start a program', () => {
    const { cwd, policy } = realPolicy({ hasPlainRepository });
    mkdirSync(cwd, { recursive: true });
    const git = (...args: string[]) => execFileSync('git', ['-C', cwd, ...args], { stdio: 'ignore' });
    git('init', '-q');
    expect(decide(bash('git diff'), policy).behavior).toBe('allow');
    for (const [key, value] of [
      ['core.fsmonitor', './x'],
      ['diff.external', './x'],
      ['diff.z.textconv', './x'],
      ['filter.z.clean', './x'],
      ['include.path', './x'],
    ] as const) {
      git('config', key, value);
      expect(decide(bash('git diff'), policy).behavior, key).toBe('ask');
      git('config', '--unset', key);
      expect(decide(bash('git diff'), policy).behavior, key).toBe('allow');
    }
    const bare = join(cwd, 'bare');
    for (const name of ['objects', 'refs']) mkdirSync(join(bare, name), { recursive: true });
    writeFileSync(join(bare, 'HEAD'), 'ref: refs/heads/main\n');
    expect(decide(bash('cd bare && git status'), policy).behavior).toBe('ask');
  });
});
