import { execFile } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { updateJsonFile } from '../../src/config/json-file.ts';
import { ROOT } from '../support/root.ts';
import { put, tempDir } from './support.ts';

describe('changing a settings file', () => {
  test('[R-17] makes the file and its folder, for the user alone', () => {
    const path = join(tempDir(), 'deep', 'settings.json');
    updateJsonFile(path, (values) => ({ ...values, a: 1 }));
    updateJsonFile(path, (values) => ({ ...values, b: 2 }));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ a: 1, b: 2 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  test('a link stays a link, and the file keeps its mode', () => {
    const dir = tempDir();
    const real = put(join(dir, 'dotfiles', 'settings.json'), '{"a":1}');
    chmodSync(real, 0o640);
    const link = join(dir, 'settings.json');
    symlinkSync(real, link);
    updateJsonFile(link, (values) => ({ ...values, b: 2 }));
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({ a: 1, b: 2 });
    expect(statSync(real).mode & 0o777).toBe(0o640);
  });

  test('a change that is none leaves it alone', () => {
    const path = put(join(tempDir(), 'settings.json'), '{ "a": 1 }');
    updateJsonFile(path, () => null);
    expect(readFileSync(path, 'utf8')).toBe('{ "a": 1 }');
    expect(readdirSync(join(path, '..'))).toEqual(['settings.json']);
  });

  test('a file that is no JSON is left as it is', () => {
    const path = put(join(tempDir(), 'settings.json'), '{oops');
    expect(() => updateJsonFile(path, () => ({}))).toThrow(/not valid JSON/);
    expect(readFileSync(path, 'utf8')).toBe('{oops');
  });

  test('a lock that a dead process left does not last', () => {
    const path = join(tempDir(), 'settings.json');
    const lock = put(`${path}.lock`, '');
    utimesSync(lock, Date.now() / 1000 - 60, Date.now() / 1000 - 60);
    updateJsonFile(path, () => ({ a: 1 }));
    expect(readdirSync(join(path, '..'))).toEqual(['settings.json']);
  });

  test('many processes at once lose nothing, and nobody sees half a file', async () => {
    const dir = tempDir();
    const path = join(dir, 'settings.json');
    const script = join(dir, 'count.mjs');
    buildSync({
      stdin: {
        contents: `import { updateJsonFile } from '${join(ROOT, 'src/config/json-file.ts')}';
          for (let i = 0; i < 50; i++) updateJsonFile(process.argv[2], ({ n = 0 }) => ({ n: n + 1 }));`,
        resolveDir: ROOT,
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: script,
    });
    const run = promisify(execFile);
    const runs = Promise.all(Array.from({ length: 6 }, () => run(process.execPath, [script, path])));
    let isOver = false;
    runs.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (readdirSync(dir).includes('settings.json')) JSON.parse(readFileSync(path, 'utf8'));
    }
    await runs;
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ n: 300 });
  });
});
