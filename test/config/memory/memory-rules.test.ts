import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRule, ruleFiles, ruleHolds } from '../../../src/config/memory/memory-rules.ts';
import { put } from '../../support/put.ts';
import { tempDir } from '../support.ts';

describe('a folder of rules', () => {
  test('is read to its depths, in the order of names; only Markdown counts, and nothing hidden', () => {
    const folder = tempDir();
    for (const name of ['b.md', 'a/z.md', 'a/deep/y.md', 'c.txt', '.hidden/x.md', '.x.md'])
      put(join(folder, name), 'x');
    const names = ruleFiles({ path: folder, mayEnter: () => true }).map((path) => path.slice(folder.length + 1));
    expect(names).toEqual(['a/deep/y.md', 'a/z.md', 'b.md']);
  });

  test('ends where links lead back, or to nothing', () => {
    const folder = tempDir();
    put(join(folder, 'a.md'), 'x');
    mkdirSync(join(folder, 'sub'));
    symlinkSync('..', join(folder, 'sub/up'));
    symlinkSync('loop', join(folder, 'loop'));
    symlinkSync('nowhere', join(folder, 'gone'));
    expect(ruleFiles({ path: folder, mayEnter: () => true })).toEqual([join(folder, 'a.md')]);
  });

  test('follows a link to a directory only where it may', () => {
    const folder = tempDir();
    const other = tempDir();
    put(join(other, 'shared.md'), 'x');
    symlinkSync(other, join(folder, 'link'));
    expect(ruleFiles({ path: folder, mayEnter: () => false })).toEqual([]);
    expect(ruleFiles({ path: folder, mayEnter: () => true })).toEqual([join(folder, 'link/shared.md')]);
  });

  test('that is not there has none', () => {
    expect(ruleFiles({ path: join(tempDir(), 'rules'), mayEnter: () => true })).toEqual([]);
  });
});

describe('a rule', () => {
  test.each([
    ['no front matter', null],
    ['---\ndescription: x\n---\nText', null],
    ['---\npaths:\n---\nText', null],
    ['---\npaths:\n  - "src/**/*.ts"\n  - lib/*.js\n---\nText', ['src/**/*.ts', 'lib/*.js']],
    ['---\npaths: src/**/*.{ts,tsx}, docs/*.md\n---\nText', ['src/**/*.{ts,tsx}', 'docs/*.md']],
    ['---\npaths: "**/*.go"\n---\nText', ['**/*.go']],
    ['---\npaths: ["a/*", "b/*"]\n---\nText', ['a/*', 'b/*']],
  ])('%j is for %j', (text, globs) => {
    expect(readRule(text).globs).toEqual(globs);
  });

  test('is told without its front matter', () => {
    expect(readRule('---\npaths: a\n---\nText\n')).toMatchObject({ body: 'Text\n' });
  });

  test('of a project holds for what lies in it, the user’s for what lies where the session works', () => {
    const globs = ['src/*.ts'];
    const ofProject = { path: '/p/.claude/rules/deep/a.md', kind: 'project' as const, globs };
    expect(ruleHolds(ofProject, '/p/src/a.ts', ['/q'])).toBe(true);
    expect(ruleHolds(ofProject, '/q/src/a.ts', ['/q'])).toBe(false);
    const ofUser = { path: '/home/.heddle/rules/a.md', kind: 'user' as const, globs };
    expect(ruleHolds(ofUser, '/q/src/a.ts', ['/p', '/q'])).toBe(true);
    expect(ruleHolds(ofUser, '/r/src/a.ts', ['/p', '/q'])).toBe(false);
  });
});
