import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { errorCode } from '../../src/util/error-code.ts';
import { replaceFile } from '../../src/util/replace-file.ts';

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
