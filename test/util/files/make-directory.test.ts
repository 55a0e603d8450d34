import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDirectory } from '../../../src/util/files/make-directory.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'heddle-mkdir-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test('makes a directory with its parents, each with the mode', () => {
  makeDirectory(join(base, 'a/b/c'), 0o700);
  makeDirectory(join(base, 'a/b/c'), 0o700);
  expect(statSync(join(base, 'a/b/c')).mode & 0o777).toBe(0o700);
  expect(statSync(join(base, 'a')).mode & 0o777).toBe(0o700);
});

test('a file in the way is an error', () => {
  writeFileSync(join(base, 'file'), '');
  expect(() => makeDirectory(join(base, 'file/sub'))).toThrow(/ENOTDIR/);
});

test.runIf(existsSync('/proc/self'))('[S-21] a place that can hold no directory is an error, at once', () => {
  expect(() => makeDirectory('/proc/nowhere/projects/x')).toThrow(/ENOENT/);
});
