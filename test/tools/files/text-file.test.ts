import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { editTool } from '../../../src/tools/files/edit.ts';
import { readTool } from '../../../src/tools/files/read.ts';
import { binaryKind, textFormat } from '../../../src/tools/files/text-file.ts';
import { writeTool } from '../../../src/tools/files/write.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;

beforeEach(() => {
  bench = createBench();
});

afterEach(() => bench.dispose());

type Encode = (text: string) => Buffer;

const utf16le: Encode = (text) => Buffer.from(text, 'utf16le');
const utf16be: Encode = (text) => Buffer.from(text, 'utf16le').swap16();

const ENCODINGS: [name: string, encode: Encode][] = [
  ['UTF-8', (text) => Buffer.from(text)],
  ['UTF-8 with a mark', (text) => Buffer.from(`\uFEFF${text}`)],
  ['UTF-16 LE with a mark', (text) => utf16le(`\uFEFF${text}`)],
  ['UTF-16 BE with a mark', (text) => utf16be(`\uFEFF${text}`)],
  ['UTF-16 LE without a mark', utf16le],
  ['UTF-16 BE without a mark', utf16be],
];

describe.each(ENCODINGS)('%s', (_name, encode) => {
  const text = 'first line\r\nsecond: ü, €, 😀\r\nlast, without an end';

  test('[TOOL-03] is read as text', async () => {
    bench.file('a.txt', encode(text));
    const { content, data } = await bench.run(readTool, { file_path: 'a.txt' });
    expect(content).toMatch(/^ {5}1→first line\n {5}2→second: ü, €, 😀\n {5}3→last, without an end\n/);
    expect(data).toMatchObject({ file: { content: text, totalLines: 3 } });
  });

  test('[TOOL-04] is edited without another byte changing', async () => {
    const path = bench.file('a.txt', encode(text));
    await bench.run(readTool, { file_path: path });
    const { data } = await bench.run(editTool, { file_path: path, old_string: 'ü, €', new_string: 'ö\nand é' });
    expect(readFileSync(path)).toEqual(encode(text.replace('ü, €', 'ö\r\nand é')));
    expect(data).toMatchObject({ originalFile: text });
    await bench.run(editTool, { file_path: path, old_string: 'first', new_string: '1st' });
    expect(readFileSync(path).subarray(0, 2)).toEqual(encode('1st').subarray(0, 2));
  });

  test('is kept when the content is replaced', async () => {
    const path = bench.file('a.txt', encode(text));
    await bench.run(readTool, { file_path: path });
    await bench.run(writeTool, { file_path: path, content: 'all new\n' });
    expect(readFileSync(path)).toEqual(encode('all new\n'));
    await bench.run(editTool, { file_path: path, old_string: 'all', new_string: 'quite' });
    expect(readFileSync(path)).toEqual(encode('quite new\n'));
  });
});

test('a mark that the model writes is not doubled', async () => {
  const path = bench.file('a.txt', '\uFEFFold');
  await bench.run(readTool, { file_path: path });
  await bench.run(writeTool, { file_path: path, content: '\uFEFFnew' });
  expect(readFileSync(path, 'utf8')).toBe('\uFEFFnew');
});

test('unpaired surrogates of UTF-16 survive an edit', async () => {
  const bytes = Buffer.concat([utf16le('\uFEFFname: '), Buffer.from([0x00, 0xd8]), utf16le(' end')]);
  const path = bench.file('a.txt', bytes);
  await bench.run(readTool, { file_path: path });
  await bench.run(editTool, { file_path: path, old_string: 'end', new_string: 'END' });
  expect(readFileSync(path)).toEqual(Buffer.concat([bytes.subarray(0, -6), utf16le('END')]));
});

test('half a UTF-16 character at the end is shown without, and not edited', async () => {
  const path = bench.file('a.txt', Buffer.concat([utf16le('\uFEFFtext'), Buffer.from([0x41])]));
  const { content } = await bench.run(readTool, { file_path: path });
  expect(content).toMatch(/^ {5}1→text\n/);
  const edit = bench.run(editTool, { file_path: path, old_string: 'text', new_string: 'x' });
  await expect(edit).rejects.toMatchObject({ wrap: true, message: expect.stringMatching(/half a character/) });
});

test('Latin-1 is shown with replacement characters, not edited, and may be replaced whole', async () => {
  const latin = Buffer.from('caf\xe9\n', 'latin1');
  const path = bench.file('latin1.txt', latin);
  const { content } = await bench.run(readTool, { file_path: path });
  expect(content).toContain('1→caf\uFFFD');
  const edit = bench.run(editTool, { file_path: path, old_string: 'caf', new_string: 'x' });
  await expect(edit).rejects.toMatchObject({ wrap: true, message: expect.stringMatching(/not UTF-8.*iconv/) });
  expect(readFileSync(path)).toEqual(latin);
  await bench.run(writeTool, { file_path: path, content: 'café\n' });
  expect(readFileSync(path, 'utf8')).toBe('café\n');
});

describe('what is no text', () => {
  test.each([
    ['a ZIP archive', 'PK\x03\x04\x14\0'],
    ['a gzip file', '\x1f\x8b\x08'],
    ['an ELF program', '\x7fELF\x02\x01\x01\0'],
    ['a Windows program', 'MZ\x90\0\x03'],
    ['an SQLite database', 'SQLite format 3\0'],
    ['a tar archive', `${'name'.padEnd(257, '\0')}ustar\0`],
    ['a BMP image', 'BM\0\0'],
    ['an AVIF image', '\0\0\0\x20ftypavif'],
    ['an MP4 video', '\0\0\0\x20ftypisom'],
    ['UTF-32 text', '\xff\xfe\0\0a\0\0\0'],
    ['a binary file', 'abc\0def'],
  ])('%s', (name, bytes) => {
    expect(binaryKind(Buffer.from(bytes, 'latin1'))).toBe(name);
  });

  test('is not what only begins like it', () => {
    for (const text of ['BMW is a car', 'MZ', 'ID3 tags', 'GIF89a is a format', 'RIFF 1', '', 'a\0'.repeat(20)]) {
      expect(binaryKind(Buffer.from(text))).toBeNull();
    }
  });

  test('numbers of two bytes are not taken for UTF-16', () => {
    const numbers = Uint16Array.from({ length: 50 }, (_, index) => index + 9);
    expect(binaryKind(Buffer.from(numbers.buffer))).toBe('a binary file');
    expect(textFormat(Buffer.from('a\0b\0', 'latin1'))).toEqual({ encoding: 'utf-8', bom: false });
  });

  test('is neither edited nor replaced', async () => {
    const path = bench.file('a.zip', Buffer.from('PK\x03\x04\0\0', 'latin1'));
    const bytes = readFileSync(path);
    const { markBytesSeen } = await import('../../../src/tools/files/seen-files.ts');
    markBytesSeen(path, bytes, bench.context, { whole: true });
    const edit = bench.run(editTool, { file_path: path, old_string: 'PK', new_string: 'x' });
    await expect(edit).rejects.toMatchObject({ wrap: true, message: expect.stringMatching(/a ZIP archive/) });
    const write = bench.run(writeTool, { file_path: path, content: 'x' });
    await expect(write).rejects.toMatchObject({ wrap: true, message: expect.stringMatching(/a ZIP archive/) });
    expect(readFileSync(path)).toEqual(bytes);
  });
});
