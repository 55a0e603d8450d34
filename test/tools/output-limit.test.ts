import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOutput, limitOutput } from '../../src/tools/output-limit.ts';

let spillDir: string;

beforeEach(() => {
  spillDir = join(mkdtempSync(join(tmpdir(), 'heddle-spill-')), 'a', 'b');
});

afterEach(() => rmSync(join(spillDir, '../..'), { recursive: true, force: true }));

const limit = (maxChars: number, name = 'n') => ({ maxChars, spillDir, name });

test('leaves short text alone', () => {
  expect(limitOutput('short', limit(5))).toBe('short');
});

test('keeps both ends and counts what is missing', () => {
  const text = limitOutput('abcdefghij', limit(4));
  const [file = ''] = readdirSync(spillDir);
  expect(text).toBe(
    `ab\n\n[… 6 of 10 characters left out here; the whole output is in ${join(spillDir, file)} …]\n\nij`,
  );
  expect(readFileSync(join(spillDir, file), 'utf8')).toBe('abcdefghij');
});

test('never parts a character, neither in bytes nor in halves', () => {
  const whole = '😀é'.repeat(50);
  const output = createOutput(limit(21));
  for (const byte of Buffer.from(whole)) output.add(Buffer.from([byte]));
  const text = output.end();
  expect(text).not.toContain('\uFFFD');
  expect(text.isWellFormed()).toBe(true);
  const [file = ''] = readdirSync(spillDir);
  expect(readFileSync(join(spillDir, file), 'utf8')).toBe(whole);
});

test('the name cannot lead elsewhere', () => {
  limitOutput('abc', limit(1, '../../../etc/passwd'));
  expect(readdirSync(spillDir)[0]).toMatch(/^_+etc_passwd\.txt$/);
});

test('each output has a file of its own, and the same name in every run', () => {
  limitOutput('abc', limit(1));
  limitOutput('def', limit(1));
  expect(readdirSync(spillDir).sort()).toEqual(['n-2.txt', 'n.txt']);
  expect(readFileSync(join(spillDir, 'n-2.txt'), 'utf8')).toBe('def');
});

test('does without the file when it cannot be written', () => {
  writeFileSync(dirname(spillDir), 'a file where a directory should be');
  expect(limitOutput('abcdef', limit(2))).toMatch(/^a\n\n\[… 4 of 6 .* it could not be saved: .*\]\n\nf$/);
});

test('stays quick and small with many pieces', () => {
  const output = createOutput(limit(1000));
  const piece = Buffer.from('0123456789\n'.repeat(100));
  for (let n = 0; n < 20_000; n++) output.add(piece);
  expect(output.end().length).toBeLessThan(1300);
});

test('a limit of nothing shows nothing but the note', () => {
  const output = createOutput(limit(0));
  output.add(Buffer.from('abc'));
  output.add(Buffer.from('def'));
  expect(output.end()).toMatch(/^\[… 6 of 6 characters left out here; the whole output is in \S+ …\]$/);
});
