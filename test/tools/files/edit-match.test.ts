import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { editTool } from '../../../src/tools/files/edit.ts';
import { applyReplacements, findReplacements } from '../../../src/tools/files/edit-match.ts';
import { readTool } from '../../../src/tools/files/read.ts';
import { writeTool } from '../../../src/tools/files/write.ts';
import { type Bench, createBench } from '../bench.ts';

async function replaced(text: string, from: string, to: string): Promise<string> {
  return applyReplacements(text, await findReplacements(text, from, to));
}

describe('line endings', () => {
  test('line feeds match CRLF, and new lines get it', async () => {
    expect(await replaced('a\r\nb\r\nc', 'a\nb', 'x\ny\nz')).toBe('x\r\ny\r\nz\r\nc');
    expect(await replaced('a\r\nb\r\nc\r\n', 'b', 'b\nB')).toBe('a\r\nb\r\nB\r\nc\r\n');
    expect(await replaced('a\r\nlast', 'last', 'last\nmore')).toBe('a\r\nlast\r\nmore');
    expect(await replaced('a\r\nb\r\n', '\nb\n', '\n')).toBe('a\r\n');
  });

  test('mixed: the ending of the place is used, and untouched lines keep theirs', async () => {
    const mixed = 'one\r\ntwo\nthree\r\nfour\n';
    expect(await replaced(mixed, 'two', 'two\n2')).toBe('one\r\ntwo\n2\nthree\r\nfour\n');
    expect(await replaced(mixed, 'three', 'three\n3')).toBe('one\r\ntwo\nthree\r\n3\r\nfour\n');
    expect(await replaced(mixed, 'one\ntwo\nthree\nfour', 'one\ntwo\nTHREE\nfour')).toBe('one\r\ntwo\nTHREE\r\nfour\n');
  });

  test('mixed: all occurrences, each with its own', async () => {
    expect(await replaced('x\r\nx\nx', 'x', 'x\ny')).toBe('x\r\ny\r\nx\ny\nx\ny');
  });

  test('CRs that are written out mean themselves', async () => {
    expect(await replaced('a\nb\n', 'a\n', 'a\r\n')).toBe('a\r\nb\n');
    expect(await replaced('a\r\nb\r\n', 'a\r\n', 'a\n')).toBe('a\nb\r\n');
    expect(await replaced('a\r\nb\r\n', 'a\r\nb', 'x\r\ny')).toBe('x\r\ny\r\n');
    expect(await replaced('a\nb\n', 'a\r\nb', 'x\r\ny')).toBe('x\ny\n');
  });

  test('a text without any is replaced as it is', async () => {
    expect(await replaced('a\nb\n', 'a\nb', '$&\n$1')).toBe('$&\n$1\n');
    expect(await findReplacements('abc', 'x', 'y')).toEqual([]);
    expect(await findReplacements('a\r\nb', 'x\ny', 'y')).toEqual([]);
  });
});

describe('in files', () => {
  let bench: Bench;

  beforeEach(() => {
    bench = createBench();
  });

  afterEach(() => bench.dispose());

  test('[TOOL-04] untouched lines of a mixed file stay byte for byte', async () => {
    const path = bench.file('a.txt', 'one\r\ntwo\nthree\r\nfour');
    await bench.run(readTool, { file_path: path });
    await bench.run(editTool, { file_path: path, old_string: 'two\nthree', new_string: '2\n3' });
    expect(readFileSync(path, 'utf8')).toBe('one\r\n2\n3\r\nfour');
  });

  test('an edit that would change nothing is refused', async () => {
    const path = bench.file('a.txt', 'a\r\nb\r\n');
    await bench.run(readTool, { file_path: path });
    const edit = bench.run(editTool, { file_path: path, old_string: 'a\n', new_string: 'a\r\n' });
    await expect(edit).rejects.toThrow(/nothing to change/);
  });

  test('Write takes the line endings of its content, also over a CRLF file', async () => {
    const path = bench.file('a.txt', 'a\r\nb\r\n');
    await bench.run(readTool, { file_path: path });
    await bench.run(writeTool, { file_path: path, content: 'a\nB\n' });
    expect(readFileSync(path, 'utf8')).toBe('a\nB\n');
    await bench.run(writeTool, { file_path: path, content: 'a\r\nB' });
    expect(readFileSync(path, 'utf8')).toBe('a\r\nB');
  });
});
