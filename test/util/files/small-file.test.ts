import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readSmallFile, smallText } from '../../../src/util/files/small-file.ts';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'heddle-small-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test.each([0, 1, 1023, 1024])('reads a file of %i bytes, of at most 1024', (size) => {
  const path = join(folder(), 'file');
  writeFileSync(path, 'x'.repeat(size));
  expect(readSmallFile(path, 1024).toString()).toBe('x'.repeat(size));
});

test('refuses more, pipes, devices and directories, and says which', () => {
  const dir = folder();
  writeFileSync(join(dir, 'large'), 'x'.repeat(1025));
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  symlinkSync('/dev/zero', join(dir, 'device'));
  expect(() => readSmallFile(join(dir, 'large'), 1024)).toThrow('large is larger than 1 KB');
  for (const name of ['pipe', 'device', '.']) {
    expect(() => readSmallFile(join(dir, name), 1024)).toThrow('is not a regular file');
    expect(smallText(join(dir, name), 1024)).toBeNull();
  }
});

test.runIf(process.platform === 'linux')('reads files whose size is not told, and ends when they are too large', () => {
  expect(readSmallFile('/proc/self/stat', 64 * 1024).toString()).toMatch(new RegExp(`^${process.pid} `));
  expect(() => readSmallFile('/proc/self/maps', 1024)).toThrow('larger than 1 KB');
});
