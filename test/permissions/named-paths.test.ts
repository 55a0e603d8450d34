import { expect, test } from 'vitest';
import { namedPaths } from '../../src/permissions/named-paths.ts';
import { CWD, policyFor, rules } from './policy-for.ts';

const named = (kind: 'read' | 'edit', ...texts: string[]) =>
  namedPaths(rules(...texts), kind, policyFor({ home: '/home/u' }));

test.each<[string, string[]]>([
  ['Read(//etc/secrets)', ['/etc/secrets']],
  ['Read(~/.ssh/**)', ['/home/u/.ssh']],
  ['Read(./keys/**)', [`${CWD}/keys`]],
  ['Read(a/b)', [`${CWD}/a/b`]],
  ['Read(/x)', [`${CWD}/x`, '/x']],
  ['Read(.env)', [`${CWD}/.env`]],
  ['Read(**/.env)', [`${CWD}/.env`]],
  ['Read(**)', [CWD]],
  ['Grep(.env)', [`${CWD}/.env`]],
  ['Read(*.pem)', []],
  ['Read(a/*/b)', []],
  ['Read([ab])', []],
  ['Read', []],
  ['Bash(cat:*)', []],
])('%s names %j', (rule, paths) => {
  expect(named('read', rule)).toEqual(paths);
});

test('rules for edits are told from those for reading', () => {
  expect(named('edit', 'Read(a)', 'Edit(b)', 'Write(c/**)')).toEqual([`${CWD}/b`, `${CWD}/c`]);
});

test('in a worktree, a path of the checkout names its copy as well', () => {
  const policy = { ...policyFor(), cwd: '/repo/.claude/worktrees/x', checkouts: ['/repo'] };
  expect(namedPaths(rules('Read(//repo/keys/**)', 'Read(//etc/keys)'), 'read', policy)).toEqual([
    '/repo/keys',
    '/repo/.claude/worktrees/x/keys',
    '/etc/keys',
  ]);
});
