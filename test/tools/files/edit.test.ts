import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { editTool } from '../../../src/tools/files/edit.ts';
import { readTool } from '../../../src/tools/files/read.ts';
import { markBytesSeen } from '../../../src/tools/files/seen-files.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;

beforeEach(() => {
  bench = createBench();
});

afterEach(() => bench.dispose());

/** Reads the file, as a model must, then edits it. */
async function edit(path: string, old_string: string, new_string: string, more: object = {}) {
  await bench.run(readTool, { file_path: path });
  return bench.run(editTool, { file_path: path, old_string, new_string, ...more });
}

const wrapped = (message: RegExp) => ({ name: 'ToolError', wrap: true, message: expect.stringMatching(message) });

test('[TOOL-04] changes the file and tells what changed', async () => {
  const path = bench.file('a.txt', 'line1\nline2\nline3\n');
  const { data } = await edit(path, 'line2', 'LINE2');
  expect(readFileSync(path, 'utf8')).toBe('line1\nLINE2\nline3\n');
  expect(data).toEqual({
    filePath: path,
    oldString: 'line2',
    newString: 'LINE2',
    originalFile: 'line1\nline2\nline3\n',
    structuredPatch: [
      { oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [' line1', '-line2', '+LINE2', ' line3'] },
    ],
    userModified: false,
    replaceAll: false,
  });
});

test('may be repeated without reading again', async () => {
  const path = bench.file('a.txt', 'one two');
  await edit(path, 'one', '1');
  await bench.run(editTool, { file_path: path, old_string: 'two', new_string: '2' });
  expect(readFileSync(path, 'utf8')).toBe('1 2');
});

test('replaces all occurrences only when told to', async () => {
  const path = bench.file('a.txt', 'a b a c a');
  await expect(edit(path, 'a', 'x')).rejects.toMatchObject(wrapped(/occurs 3 times/));
  expect(readFileSync(path, 'utf8')).toBe('a b a c a');
  const { content, data } = await edit(path, 'a', 'x', { replace_all: true });
  expect(readFileSync(path, 'utf8')).toBe('x b x c x');
  expect(content).toContain('3 occurrences');
  expect(data).toMatchObject({ replaceAll: true });
});

test('says in which lines it occurs', async () => {
  const path = bench.file('a.txt', 'x\r\n\nx x\n');
  await expect(edit(path, 'x', 'y')).rejects.toMatchObject(wrapped(/occurs 3 times in .*a\.txt \(lines 1, 3, 3\)\./));
  const many = bench.file('many.txt', 'x\n'.repeat(50));
  await expect(edit(many, 'x', 'y')).rejects.toMatchObject(wrapped(/50 times .*\(lines 1, 2, .*9, 10, …\)/));
});

test('takes the new text literally', async () => {
  const path = bench.file('a.txt', 'price: X');
  await edit(path, 'X', "$& $1 $$ $'");
  expect(readFileSync(path, 'utf8')).toBe("price: $& $1 $$ $'");
});

describe('refuses', () => {
  test('a file that was not read', async () => {
    const path = bench.file('a.txt', 'text');
    const input = { file_path: path, old_string: 'text', new_string: 'x' };
    await expect(bench.run(editTool, input)).rejects.toMatchObject(wrapped(/has not been read/));
    expect(readFileSync(path, 'utf8')).toBe('text');
  });

  test('a file that has changed since', async () => {
    const path = bench.file('a.txt', 'text');
    await bench.run(readTool, { file_path: path });
    writeFileSync(path, 'TEXT');
    const input = { file_path: path, old_string: 'TEXT', new_string: 'x' };
    await expect(bench.run(editTool, input)).rejects.toMatchObject(wrapped(/has changed since it was read/));
  });

  test('text that is not there', async () => {
    const path = bench.file('a.txt', 'text');
    await expect(edit(path, 'other', 'x')).rejects.toMatchObject(wrapped(/not found/));
    await expect(edit(path, '     1→text', 'x')).rejects.toMatchObject(wrapped(/line numbers/));
    await expect(edit(path, ' Text', 'x')).rejects.toMatchObject(wrapped(/nearest is at line 1:\n {5}1→text\n.*case/));
    expect(readFileSync(path, 'utf8')).toBe('text');
  });

  test('a change that changes nothing', async () => {
    const path = bench.file('a.txt', 'text');
    await expect(edit(path, 'text', 'text')).rejects.toMatchObject(wrapped(/the same/));
  });

  test('a missing file, a directory, and what is not UTF-8', async () => {
    const missing = { file_path: 'none.txt', old_string: 'a', new_string: 'b' };
    await expect(bench.run(editTool, missing)).rejects.toMatchObject(wrapped(/does not exist/));
    await expect(bench.run(editTool, { ...missing, file_path: '.' })).rejects.toMatchObject(wrapped(/directory/));
    const latin = bench.file('latin1.txt', Buffer.from('caf\xe9', 'latin1'));
    await expect(edit(latin, 'caf', 'x')).rejects.toMatchObject(wrapped(/not UTF-8/));
  });
});

describe('an empty old_string', () => {
  test('creates a file, with its directories', async () => {
    await bench.run(editTool, { file_path: 'new/dir/a.txt', old_string: '', new_string: 'hello\n' });
    expect(readFileSync(bench.path('new/dir/a.txt'), 'utf8')).toBe('hello\n');
    const next = { file_path: 'new/dir/a.txt', old_string: 'hello', new_string: 'bye' };
    await expect(bench.run(editTool, next)).resolves.toBeDefined();
  });

  test('fills an empty file, and keeps its mode', async () => {
    const path = bench.file('empty.sh', '');
    chmodSync(path, 0o755);
    await bench.run(editTool, { file_path: path, old_string: '', new_string: 'echo\n' });
    expect(readFileSync(path, 'utf8')).toBe('echo\n');
    expect(statSync(path).mode & 0o777).toBe(0o755);
  });

  test('is refused where there is one', async () => {
    const path = bench.file('a.txt', 'text');
    await expect(edit(path, '', 'x')).rejects.toMatchObject(wrapped(/exists already/));
  });
});

describe('keeps', () => {
  test('CRLF, also in text that spans lines', async () => {
    const path = bench.file('a.txt', 'a\r\nb\r\nc\r\n');
    await edit(path, 'a\nb', 'x\ny\nz');
    expect(readFileSync(path, 'utf8')).toBe('x\r\ny\r\nz\r\nc\r\n');
    await edit(path, 'c', 'd\ne');
    expect(readFileSync(path, 'utf8')).toBe('x\r\ny\r\nz\r\nd\r\ne\r\n');
  });

  test('a byte order mark and a missing final newline', async () => {
    const path = bench.file('a.txt', '\uFEFFfirst\nlast');
    const { data } = await edit(path, 'first', 'FIRST');
    expect(readFileSync(path, 'utf8')).toBe('\uFEFFFIRST\nlast');
    expect(JSON.stringify(data)).not.toContain('No newline');
  });

  test('the mode, and the symlink that leads to the file', async () => {
    const path = bench.file('script.sh', 'echo a');
    chmodSync(path, 0o751);
    symlinkSync('script.sh', bench.path('link'));
    await edit(bench.path('link'), 'a', 'b');
    expect(readFileSync(path, 'utf8')).toBe('echo b');
    expect(statSync(path).mode & 0o777).toBe(0o751);
    expect(lstatSync(bench.path('link')).isSymbolicLink()).toBe(true);
  });
});

test('[K34] bounds what the result carries', async () => {
  const text = '"\u0001"\n'.repeat(60_000); // grows fourfold in JSON
  const changed = '\\\t\n'.repeat(100_000);
  const path = bench.file('big.txt', text);
  await bench.run(readTool, { file_path: path });
  const { data } = await bench.run(editTool, { file_path: path, old_string: text, new_string: changed });
  expect(readFileSync(path, 'utf8')).toBe(changed);
  expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(900_000);
});

test('a text with countless matches is refused in no time, and left alone', async () => {
  const path = bench.file('many.txt', 'a'.repeat(20_000_000));
  markBytesSeen(path, readFileSync(path), bench.context, { whole: false });
  const input = { file_path: path, old_string: 'a', new_string: 'bb' };
  await expect(bench.run(editTool, input)).rejects.toThrow(/more than 1000 times/);
  await expect(bench.run(editTool, { ...input, replace_all: true })).rejects.toThrow(/more than 200000 times/);
});
