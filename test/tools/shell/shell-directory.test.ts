import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createShellDirectory, type ShellDirectory } from '../../../src/tools/shell/shell-directory.ts';

let base: string;
let start: string;
let sub: string;
let roots: string[];
let directory: ShellDirectory;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-directory-')));
  start = join(base, 'work');
  sub = join(start, 'sub');
  mkdirSync(sub, { recursive: true });
  roots = [start];
  const isInside = (path: string) => roots.some((root) => `${path}/`.startsWith(`${root}/`));
  directory = createShellDirectory({ start, isInside });
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

test('[TOOL-02] keeps where a command has ended', () => {
  expect(directory.current()).toBe(start);
  directory.endedIn(sub);
  expect([directory.current(), directory.enter(), directory.takeNote()]).toEqual([sub, sub, '']);
});

test('stays where it was when that is not known', () => {
  directory.endedIn(sub);
  directory.endedIn(null);
  expect(directory.current()).toBe(sub);
});

test('leaves no directory of the session, and says so once', () => {
  directory.endedIn(base);
  expect(directory.current()).toBe(start);
  expect(directory.takeNote()).toBe(
    `[${base} is outside the directories of this session; the next command starts in ${start}.]`,
  );
  expect(directory.takeNote()).toBe('');
});

test('the directories of the session may change', () => {
  roots.push(base);
  directory.endedIn(base);
  expect(directory.current()).toBe(base);
  roots.pop();
  expect(directory.current()).toBe(start);
  expect(directory.takeNote()).toContain('outside');
});

/** Puts a symlink to `target`, or to where it was moved, in the place of a directory. */
function replaceByLink(path: string, target = `${path}-moved`): void {
  renameSync(path, `${path}-moved`);
  symlinkSync(target, path);
}

test.each([
  ['was removed', () => rmSync(sub, { recursive: true })],
  ['has become a symlink', () => replaceByLink(sub, '/')],
  ['is below one', () => replaceByLink(start)],
])('goes back to the start when the directory %s', (_what, change) => {
  directory.endedIn(sub);
  change();
  expect(directory.current()).toBe(start);
  expect(directory.takeNote()).toBe(`[${sub} is not there any more; the next command starts in ${start}.]`);
});

test('[R-9] a command that was judged in one directory is not run in another', () => {
  directory.endedIn(sub);
  expect(directory.current()).toBe(sub);
  rmSync(sub, { recursive: true });
  expect(() => directory.enter()).toThrow(/^Nothing was run\. .*sub is not there any more; the next command starts in/);
  expect([directory.enter(), directory.takeNote()]).toEqual([start, '']);
});
