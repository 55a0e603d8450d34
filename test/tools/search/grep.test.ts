import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { grepTool } from '../../../src/tools/search/grep.ts';
import type { Workspace } from '../../../src/tools/workspace.ts';
import { toolServices } from '../../support/tool-services.ts';
import { type Bench, createBench } from '../bench.ts';

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

  test('-o shows what matches alone, each match on a line; elsewhere it says nothing', async () => {
    bench.file('a.txt', 'one two one\nthree\none\n');
    expect(await grep({ pattern: 'o.e', '-o': true })).toBe('a.txt:1:one\na.txt:1:one\na.txt:3:one');
    const { content } = await bench.run(grepTool, { pattern: 'o.e', '-o': true, output_mode: 'count' });
    expect(content).toContain('a.txt:2');
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

test('a FIFO or a device is refused at once, and inside a directory passed over', async () => {
  bench.file('dir/a.txt', 'hit');
  execFileSync('mkfifo', [bench.path('dir/pipe')]);
  symlinkSync('pipe', bench.path('dir/link'));
  for (const path of ['dir/pipe', 'dir/link', '/dev/zero']) {
    await expect(grep({ pattern: 'hit', path })).rejects.toThrow(/is neither a file nor a directory/);
  }
  expect(await grep({ pattern: 'hit', path: 'dir' })).toBe('dir/a.txt:1:hit');
});

test('a search that takes too long shows what it had found', async () => {
  const printing = (...pieces: string[]): Pick<Workspace, 'exec'> => ({
    async exec({ onOutput }) {
      for (const piece of pieces) onOutput?.('stdout', Buffer.from(piece));
      return { exitCode: null, signal: 'SIGKILL', timedOut: true, stillRunning: false };
    },
  });
  const run = (input: object, exec: Pick<Workspace, 'exec'>) =>
    bench.run(grepTool, { pattern: 'x', ...input }, { workspace: { ...bench.context.workspace, ...exec } });
  const lines = await run({ output_mode: 'content' }, printing('a.txt\x001:x', '\nb.txt\x001:', 'cut o'));
  expect(lines.content).toMatch(/^a\.txt:1:x\n\[The search took too long/);
  const files = await run({}, printing('a.txt\0b.t'));
  expect(files.content).toMatch(/^Found 1 file\na\.txt\n\[The search took too long/);
  await expect(run({}, printing())).rejects.toThrow(/took longer than 60 s/);
});

describe('[K34] the data of a large result is bounded', () => {
  const finding = (input: object, records: string[]) =>
    bench.run(
      grepTool,
      { pattern: 'x', head_limit: 0, ...input },
      {
        workspace: {
          ...bench.context.workspace,
          async exec({ onOutput }) {
            onOutput?.('stdout', Buffer.from(records.join('')));
            return { exitCode: 0, signal: null, timedOut: false, stillRunning: false };
          },
        },
      },
    );
  const all = Array.from({ length: 20_000 }, (_, at) => `some/long/folder/name/${at}.txt`);

  test.each([
    ['content', (name: string) => `${name}\x001:${'x'.repeat(100)}\n`, { numLines: 20_000 }],
    ['count', (name: string) => `${name}\x002\n`, { numFiles: 20_000, numMatches: 40_000 }],
    ['files_with_matches', (name: string) => `${name}\0`, { numFiles: 20_000 }],
  ])('%s', async (output_mode, record, counts) => {
    const { content, data } = await finding({ output_mode }, all.map(record));
    expect(JSON.stringify(data).length).toBeLessThan(201_000);
    expect(data).toMatchObject(counts);
    expect(content.length).toBeGreaterThan(500_000);
  });
});

describe('[R-10] what is hidden is neither shown nor counted', () => {
  const service = toolServices({ search: { readableFilter: async () => (path) => !path.includes('/secret') } });
  const search = (input: object) => bench.run(grepTool, { pattern: 'hit', ...input }, { service });

  beforeEach(() => {
    bench.file('a.txt', 'hit\n', 50);
    bench.file('b.txt', 'before\nhit\nafter\n');
    bench.file('secret/s.txt', 'hit\n'.repeat(9));
    bench.file('deep/secret/s.txt', 'before\nhit\nafter\n');
  });

  test('in any mode', async () => {
    expect(await search({ output_mode: 'content' })).toMatchObject({
      content: 'a.txt:1:hit\nb.txt:2:hit',
      data: { numLines: 2 },
    });
    expect(await search({ output_mode: 'content', '-C': 1 })).toMatchObject({
      content: 'a.txt:1:hit\n--\nb.txt-1-before\nb.txt:2:hit\nb.txt-3-after',
    });
    expect(await search({ output_mode: 'content', multiline: true, pattern: 'hit\nafter' })).toMatchObject({
      content: 'b.txt:2:hit\nb.txt:3:after',
    });
    expect(await search({ output_mode: 'count' })).toMatchObject({
      content: 'a.txt:1\nb.txt:1',
      data: { numFiles: 2, numMatches: 2 },
    });
    expect((await search({})).data).toMatchObject({ numFiles: 2, filenames: ['a.txt', 'b.txt'] });
    expect((await search({ head_limit: 1 })).content).toContain('[1 of 2 shown;');
  });

  test('also when it is much, or named by odd names', async () => {
    bench.file('deep/secret/large.txt', `hit ${'x'.repeat(400)}\n`.repeat(60_000));
    bench.file('deep/secret\ndeep/fake.txt', 'hit\n');
    expect(await search({ output_mode: 'content' })).toMatchObject({ content: 'a.txt:1:hit\nb.txt:2:hit' });
  });
});

test('a name that begins with two dots is a name below the working directory', async () => {
  bench.file('..notes/a.txt', 'hit\n');
  expect(await grep({ pattern: 'hit', path: '..notes' })).toBe('..notes/a.txt:1:hit');
});

test('a name with a line break cannot pass for another file', async () => {
  bench.file('x\ny.txt', 'hit');
  expect(await grep({ pattern: 'hit' })).toBe('No matches found');
  await expect(grep({ pattern: 'hit', path: 'x\ny.txt' })).rejects.toThrow(/line break in its name/);
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
