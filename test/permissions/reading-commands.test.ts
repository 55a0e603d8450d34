import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

  it('[K50] of a hundred that agents ran in public transcripts, nine of ten run without a rule', () => {
    const file = fileURLToPath(new URL('corpora/transcript-commands.txt', import.meta.url));
    const { cwd, policy } = realPolicy({ namesIn: nodeNames, hasPlainRepository });
    mkdirSync(join(cwd, 'src'), { recursive: true });
    const commands = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const asked = commands.filter(
      (command) => decide(bash(command.replaceAll('DIR', cwd)), policy).behavior !== 'allow',
    );
    expect(commands.length).toBeGreaterThanOrEqual(100);
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(commands.length / 10);
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
      ['core.alternateRefsCommand', './x'],
      ['remote.origin.uploadpack', './x'],
      ['remote.origin.url', 'ext::./x'],
      ['remote.origin.vcs', 'x'],
      ['credential.helper', '!./x'],
      ['protocol.ext.allow', 'always'],
    ] as const) {
      git('config', key, value);
      expect(decide(bash('git diff'), policy).behavior, key).toBe('ask');
      git('config', '--unset', key);
      expect(decide(bash('git diff'), policy).behavior, key).toBe('allow');
    }
    appendFileSync(join(cwd, '.git/config'), '[filter "a]b"] clean = ./x\n');
    expect(decide(bash('git diff'), policy).behavior, 'on one line').toBe('ask');
    git('config', '--unset', 'filter.a]b.clean');
    const bare = join(cwd, 'bare');
    for (const name of ['objects', 'refs']) mkdirSync(join(bare, name), { recursive: true });
    writeFileSync(join(bare, 'HEAD'), 'ref: refs/heads/main\n');
    expect(decide(bash('cd bare && git status'), policy).behavior).toBe('ask');
  });

  it('[K50] git runs itself in the repositories inside of one, by their settings', () => {
    const { cwd, policy } = realPolicy({ hasPlainRepository });
    const [inside, canary] = [join(cwd, 'inside'), join(cwd, 'canary')];
    mkdirSync(inside, { recursive: true });
    const git = (directory: string, ...args: string[]) =>
      execFileSync('git', ['-C', directory, '-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
        stdio: 'ignore',
      });
    for (const directory of [cwd, inside]) git(directory, 'init', '-q');
    writeFileSync(join(inside, 'a'), 'a\n');
    writeFileSync(join(inside, '.gitattributes'), '* filter=z\n');
    git(inside, 'add', '.');
    git(inside, 'commit', '-qm', 'a');
    git(cwd, 'add', 'inside');
    git(cwd, 'commit', '-qm', 'a');
    const command = 'git diff --submodule=diff';
    expect(decide(bash(command), policy).behavior).toBe('allow');
    git(inside, 'config', 'filter.z.clean', `touch '${canary}'; cat`);
    writeFileSync(join(inside, 'a'), 'b\n');
    expect(decide(bash(command), policy).behavior).toBe('ask');
    execFileSync('bash', ['-c', command], { cwd, stdio: 'ignore' });
    expect(existsSync(canary)).toBe(true);
  });

  it('[K50] settings that a directory of git borrows from another one count', () => {
    const { cwd, policy } = realPolicy({ hasPlainRepository });
    mkdirSync(cwd, { recursive: true });
    const git = (...args: string[]) => execFileSync('git', ['-C', cwd, ...args], { stdio: 'ignore' });
    git('init', '-q');
    git('init', '-q', '--bare', 'other');
    git('--git-dir=other', 'config', 'diff.external', './x');
    expect(decide(bash('git diff'), policy).behavior).toBe('allow');
    writeFileSync(join(cwd, '.git/commondir'), '../other\n');
    expect(decide(bash('git diff'), policy).behavior).toBe('ask');
  });

  it('[K50] what a loop reads is known by the list that it goes through', () => {
    const asks = (command: string) => decide(bash(command), policyFor()).behavior === 'ask';
    expect(asks('for f in a.txt src/*.ts; do head -3 "$f"; done')).toBe(false);
    for (const command of [
      'for f in a.txt /etc/passwd; do head -3 "$f"; done',
      'for f in a.txt; do f=/etc/passwd; cat "$f"; done',
      'for f in a.txt; do read f; cat "$f"; done',
      'for fi in a.txt; do read f\\i; cat "$fi"; done',
      'for f in a.txt; do read $\'\\146\'; cat "$f"; done',
      'for f in a.txt; do g() { cat "$f"; }; done; for f in /etc/passwd; do g; done',
      'for f in a.txt; do cat $f; done',
      'for f in *; do cat "$f"/../../x; done',
      'for f in a.txt; do "$f"; done',
      'for f in a; do :; done; cat "$f"',
    ])
      expect(asks(command), command).toBe(true);
  });

  it('[K50] a pipe is read like the commands at its other end', () => {
    const asks = (command: string) => decide(bash(command), policyFor()).behavior === 'ask';
    expect(asks('diff <(sort a.txt) b.txt')).toBe(false);
    for (const command of ['diff <(sort /etc/passwd) b.txt', 'diff <(./x) b.txt', 'jq -f <(cat a) b', 'bash <(cat a)'])
      expect(asks(command), command).toBe(true);
  });
});
