import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { maskText, withMaskedLog } from '../../../src/tui/term/masked-log.ts';
import { afterTest } from '../../support/after-test.ts';
import { createFakeTerminal } from '../../support/fake-terminal.ts';

test('the log has the sequences as they were, and no letter and no digit of a text', () => {
  expect(maskText('\x1b[2A\x1b[1mSecret 42 日本\x1b[0m ok: \x1b[K\r\n')).toBe(
    '\x1b[2A\x1b[1mxxxxxx 00 字字\x1b[0m xx: \x1b[K\r\n',
  );
  expect(maskText('\x1b]0;title\x07')).toBe('\x1b]0;xxxxx\x07');
});

test('what goes to the terminal and what comes from it is in the file, which only its owner reads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-log-'));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'log');
  const fake = createFakeTerminal();
  const terminal = withMaskedLog(fake, path);
  const typed: string[] = [];
  terminal.on('input', (bytes) => typed.push(Buffer.from(bytes).toString()));
  terminal.write('\x1b[Ksecret');
  fake.type('key');
  const lines = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toEqual([
    [expect.any(Number), 'out', '\x1b[Kxxxxxx'],
    [expect.any(Number), 'in', 'xxx'],
  ]);
  expect([fake.bytes, typed]).toEqual([['\x1b[Ksecret'], ['key']]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  terminal.close();
});

test('a log that cannot be written changes nothing', () => {
  const fake = createFakeTerminal();
  expect(withMaskedLog(fake, '/proc/nowhere/log')).toBe(fake);
});
