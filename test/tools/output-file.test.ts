import { mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openOutputFile } from '../../src/tools/output-file.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'heddle-output-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A disk with room for so many bytes, which takes at most four at a time. */
function smallDisk(room: number) {
  let left = room;
  return (fd: number, data: Buffer, offset: number) => {
    if (left === 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const count = writeSync(fd, data, offset, Math.min(4, left, data.length - offset));
    left -= count;
    return count;
  };
}

test('a full disk costs the rest of the file, not the command', () => {
  const file = openOutputFile({ dir, name: 'n', extension: 'txt', put: smallDisk(10) });
  file.write(Buffer.from('01234'));
  expect(file).toMatchObject({ state: 'whole', bytes: 5 });
  file.write(Buffer.from('56789abc'));
  expect(file).toMatchObject({ state: { problem: expect.stringMatching(/no space left/) }, bytes: 10 });
  file.write(Buffer.from('more'));
  file.close();
  expect(file.bytes).toBe(10);
  expect(readFileSync(file.path, 'utf8')).toBe('0123456789');
});

test('[M-12] no more than the limit is kept, and the note at the end does not count', () => {
  const file = openOutputFile({ dir, name: 'n', extension: 'txt', maxBytes: 6 });
  file.write(Buffer.from('01234'));
  file.write(Buffer.from('56789'));
  file.write(Buffer.from('more'));
  file.close();
  expect(file).toMatchObject({ state: 'cut', bytes: 6 });
  expect(readFileSync(file.path, 'utf8')).toMatch(/^012345\n\[… the rest is left out/);
});
