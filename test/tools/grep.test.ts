import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { grepTool } from '../../src/tools/grep.ts';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;

beforeEach(() => {
  bench = createBench();
});

afterEach(() => bench.dispose());

async function grep(input: object): Promise<string> {
  return String((await bench.run(grepTool, { output_mode: 'content', ...input })).content);
}

describe('content', () => {
  test('lists lines with path and number', async () => {
    bench.file('a.txt', 'line1\nline2\nline3\n');
    bench.file('b.txt', 'bbb\n');
    const { content, data } = await bench.run(grepTool, { pattern: 'line', output_mode: 'content' });
    const text = 'a.txt:1:line1\na.txt:2:line2\na.txt:3:line3';
    expect(content).toBe(text);
    expect(data).toEqual({ mode: 'content', numFiles: 0, filenames: [], content: text, numLines: 3 });
  });

  test('shows context, marks it, and separates', async () => {
    bench.file('b.txt', 'hit\n2\n3\n4\n5\nhit\n');
    bench.file('a.txt', '1\nhit\n');
    expect(await grep({ pattern: 'hit', '-C': 1 })).toBe(
      'a.txt-1-1\na.txt:2:hit\n--\nb.txt:1:hit\nb.txt-2-2\n--\nb.txt-5-5\nb.txt:6:hit',
    );
    expect(await grep({ pattern: 'hit', path: 'b.txt', '-A': 1, '-n': false })).toBe(
      'b.txt:hit\nb.txt-2\n--\nb.txt:hit',
    );
    expect(await grep({ pattern: '^5', '-B': 1 })).toBe('b.txt-4-4\nb.txt:5:5');
    expect(await grep({ pattern: '^3', context: 1 })).toBe('b.txt-2-2\nb.txt:3:3\nb.txt-4-4');
  });

  test('limits and skips, and says so', async () => {
    bench.file('a.txt', 'x\n'.repeat(1000));
    expect(await grep({ pattern: 'x' })).toMatch(/a\.txt:250:x\n\[250 of 1000 shown/);
    const { content, data } = await bench.run(grepTool, {
      pattern: 'x',
      output_mode: 'content',
      head_limit: 2,
      offset: 5,
    });
    expect(content).toMatch(/^a\.txt:6:x\na\.txt:7:x\n\[2 of 1000 shown/);
    expect(data).toMatchObject({ numLines: 2, appliedLimit: 2, appliedOffset: 5 });
    expect((await grep({ pattern: 'x', head_limit: 0 })).split('\n')).toHaveLength(1000);
  });

  test('finds across lines on request, ignores case on request', async () => {
    bench.file('a.txt', 'one\nTWO\n');
    expect(await grep({ pattern: 'one.TWO' })).toBe('No matches found');
    expect(await grep({ pattern: 'one.TWO', multiline: true })).toBe('a.txt:1:one\na.txt:2:TWO');
    expect(await grep({ pattern: 'two' })).toBe('No matches found');
    expect(await grep({ pattern: 'two', '-i': true })).toBe('a.txt:2:TWO');
  });

  test('handles odd names, odd patterns, CRLF, long lines and binaries', async () => {
    bench.file('-dash:1:x.txt', 'word\r\n');
    expect(await grep({ pattern: 'word' })).toBe('-dash:1:x.txt:1:word');
    expect(await grep({ pattern: 'word', path: '-dash:1:x.txt' })).toBe('-dash:1:x.txt:1:word');
    expect(await grep({ pattern: '--files' })).toBe('No matches found');
    bench.file('long.txt', `long${'x'.repeat(5000)}`);
    expect((await grep({ pattern: 'long' })).length).toBeLessThan(700);
    bench.file('bin', 'bits\0\n');
    expect(await grep({ pattern: 'bits' })).toBe('No matches found');
  });
});

test('files_with_matches is the default: newest first', async () => {
  bench.file('old.txt', 'x', 90);
  bench.file('src/new.txt', 'x', 10);
  const { content, data } = await bench.run(grepTool, { pattern: 'x' });
  expect(content).toBe('Found 2 files\nsrc/new.txt\nold.txt');
  expect(data).toEqual({ mode: 'files_with_matches', filenames: ['src/new.txt', 'old.txt'], numFiles: 2 });
  expect((await bench.run(grepTool, { pattern: 'none' })).content).toBe('No files found');
});

test('count counts per file', async () => {
  bench.file('b.txt', 'x\nx\n');
  bench.file('a.txt', 'x\n');
  const { content, data } = await bench.run(grepTool, { pattern: 'x', output_mode: 'count' });
  expect(content).toBe('a.txt:1\nb.txt:2');
  expect(data).toEqual({ mode: 'count', numFiles: 2, filenames: [], content: 'a.txt:1\nb.txt:2', numMatches: 3 });
});

test('narrows down by glob, type and path; leaves out ignored files and version control', async () => {
  for (const name of ['a.ts', 'b.js', 'src/c.ts', '.git/d.ts', 'out/e.ts']) bench.file(name, 'hit');
  bench.file('.ignore', 'out\n');
  expect(await grep({ pattern: 'hit', glob: '*.ts' })).toBe('a.ts:1:hit\nsrc/c.ts:1:hit');
  expect(await grep({ pattern: 'hit', type: 'js' })).toBe('b.js:1:hit');
  expect(await grep({ pattern: 'hit', path: 'src' })).toBe('src/c.ts:1:hit');
  expect(await grep({ pattern: 'hit', path: '.', glob: '**/*' })).not.toContain('.git');
});

test('says what is wrong with a search', async () => {
  bench.file('a.txt', 'x');
  await expect(grep({ pattern: '(' })).rejects.toMatchObject({
    name: 'ToolError',
    message: expect.stringMatching(/not valid: regex parse error/),
  });
  await expect(grep({ pattern: 'x', type: 'nonsense' })).rejects.toThrow(/unrecognized file type/);
  await expect(grep({ pattern: 'x', path: 'none' })).rejects.toThrow(/does not exist/);
});

test('is not affected by the user’s configuration', async () => {
  bench.file('a.txt', 'HIT');
  const RIPGREP_CONFIG_PATH = bench.file('rc', '--ignore-case\n');
  const env = { ...bench.context.env, RIPGREP_CONFIG_PATH };
  const { content } = await bench.run(grepTool, { pattern: 'hit' }, { env });
  expect(content).toBe('No files found');
});

test('[M-12] a search that finds everything stays bounded', async () => {
  bench.file('a.txt', `${'x'.repeat(400)}\n`.repeat(60_000));
  const content = await grep({ pattern: 'x', head_limit: 3 });
  expect(content).toMatch(/\[3 of \d+ shown.*\n\[There was too much/);
});

test('reads what it searches', () => {
  expect(grepTool.access({ pattern: 'x' }, bench.context.workspace)).toEqual({ kind: 'read', paths: [bench.dir] });
  expect(grepTool.access({ pattern: 'x', path: 's' }, bench.context.workspace)).toEqual({
    kind: 'read',
    paths: [bench.path('s')],
  });
  expect(grepTool.isConcurrencySafe({ pattern: 'x' })).toBe(true);
});
