import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { errorCode } from '../../../src/util/error-code.ts';
import { orIfMissing } from '../../../src/util/files/or-if-missing.ts';
import { replaceFile, replacePrivateText } from '../../../src/util/files/replace-file.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'heddle-replace-'));
  writeFileSync(join(dir, 'a'), 'old');
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('the old content is there until the new one is whole', async () => {
  await replaceFile(join(dir, 'a'), async (temporary) => {
    expect(dirname(temporary)).toBe(dir);
    await writeFile(temporary, 'new', { flag: 'wx' });
    expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('old');
  });
  expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('new');
  expect(readdirSync(dir)).toEqual(['a']);
});

test('what fails half way changes nothing and leaves nothing behind', async () => {
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  const replaced = replaceFile(join(dir, 'a'), async (temporary) => {
    await writeFile(temporary, 'ne');
    throw full;
  });
  expect(errorCode(await replaced.catch((error: unknown) => error))).toBe('ENOSPC');
  expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('old');
  expect(readdirSync(dir)).toEqual(['a']);
});

test.each([null, undefined, 'text', { code: 'ENOENT' }, new Error('no code')])('%o has no code', (thrown) => {
  expect(errorCode(thrown)).toBeUndefined();
});

test('a private text replaces the old one and is for the user alone', async () => {
  await replacePrivateText(join(dir, 'a'), 'new');
  expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('new');
  expect(statSync(join(dir, 'a')).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual(['a']);
});

test('only a missing file has a fallback', async () => {
  expect(await orIfMissing(readFile(join(dir, 'a'), 'utf8'), null)).toBe('old');
  expect(await orIfMissing(readFile(join(dir, 'none'), 'utf8'), null)).toBeNull();
  await expect(orIfMissing(readFile(dir, 'utf8'), null)).rejects.toThrow('EISDIR');
});
