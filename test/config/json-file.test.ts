import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { changeJsonFile } from '../../src/config/json-file.ts';
import { ROOT } from '../support/root.ts';
import { put, tempDir } from './support.ts';

describe('changing a settings file', () => {
  test('[R-17] makes the file and its folder, for the user alone', async () => {
    const path = join(tempDir(), 'deep', 'settings.json');
    await changeJsonFile(path, (values) => ({ ...values, a: 1 }));
    await changeJsonFile(path, (values) => ({ ...values, b: 2 }));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ a: 1, b: 2 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  test('a link stays a link, and the file keeps its mode', async () => {
    const dir = tempDir();
    const real = put(join(dir, 'dotfiles', 'settings.json'), '{"a":1}');
    chmodSync(real, 0o640);
    const link = join(dir, 'settings.json');
    symlinkSync(real, link);
    await changeJsonFile(link, (values) => ({ ...values, b: 2 }));
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({ a: 1, b: 2 });
    expect(statSync(real).mode & 0o777).toBe(0o640);
  });

  test('a change that is none leaves it alone', async () => {
    const path = put(join(tempDir(), 'settings.json'), '{ "a": 1 }');
    await changeJsonFile(path, () => null);
    expect(readFileSync(path, 'utf8')).toBe('{ "a": 1 }');
    expect(readdirSync(join(path, '..'))).toEqual(['settings.json']);
  });

  test('a file that is no JSON is left as it is', async () => {
    const path = put(join(tempDir(), 'settings.json'), '{oops');
    await expect(changeJsonFile(path, () => ({}))).rejects.toThrow(/not valid JSON/);
    expect(readFileSync(path, 'utf8')).toBe('{oops');
  });

  test.each(['', 'no JSON'])('a lock that a dead process left does not last: %j', async (content) => {
    const path = join(tempDir(), 'settings.json');
    const lock = put(`${path}.lock`, content);
    utimesSync(lock, Date.now() / 1000 - 60, Date.now() / 1000 - 60);
    await changeJsonFile(path, () => ({ a: 1 }));
    expect(readdirSync(join(path, '..'))).toEqual(['settings.json']);
  });

  test('who waits for a lock does not hold up the process', async () => {
    const path = join(tempDir(), 'settings.json');
    const lock = put(`${path}.lock`, { id: 'other', pid: process.pid, host: hostname() });
    let isDone = false;
    const changed = changeJsonFile(path, () => ({ a: 1 })).then(() => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isDone).toBe(false);
    rmSync(lock);
    await changed;
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ a: 1 });
  });

  test('a lock that is lost is noticed, and the change is made on what came in between', async () => {
    const path = put(join(tempDir(), 'settings.json'), { n: 1 });
    let tries = 0;
    await changeJsonFile(path, ({ n }) => {
      if (++tries === 1) {
        rmSync(`${path}.lock`);
        void changeJsonFile(path, () => ({ n: 10 })); // done at once: nobody has the lock
      }
      return { n: Number(n) + 1 };
    });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ n: 11 });
    expect(readdirSync(join(path, '..'))).toEqual(['settings.json']);
  });

  test('[R-12] what a project puts in the place of the lock holds nothing up', async () => {
    const path = join(tempDir(), 'settings.json');
    execFileSync('mkfifo', [`${path}.lock`]);
    await expect(changeJsonFile(path, () => ({}))).rejects.toThrow(/in the way/);
    rmSync(`${path}.lock`);
    symlinkSync('/dev/zero', `${path}.lock`);
    await expect(changeJsonFile(path, () => ({}))).rejects.toThrow(/in the way/);
  });
});

describe('many processes that change one file at once', () => {
  test('lose nothing, also when some are killed in the middle, and nobody sees half a file', {
    timeout: 20_000,
  }, async () => {
    const dir = tempDir();
    const path = join(dir, 'settings.json');
    const script = join(dir, 'change.mjs');
    buildSync({
      stdin: { contents: WORKER, resolveDir: ROOT, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: script,
    });
    const start = (job: string) => {
      const child = spawn(process.execPath, [script, path, job], { stdio: ['ignore', 'pipe', 'inherit'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    };
    const ended = (child: ReturnType<typeof start>) => new Promise((resolve) => child.on('close', resolve));
    const killed = async (job: string) => {
      for (let count = 0; count < 6; count++) {
        const holder = start(job);
        holder.stdout.once('data', () => holder.kill('SIGKILL'));
        await ended(holder);
      }
    };
    const counters = Array.from({ length: 6 }, () => ended(start('count')));
    const all = Promise.all([...counters, killed('hold'), killed('hold old')]);
    let isOver = false;
    all.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (readdirSync(dir).includes('settings.json')) JSON.parse(readFileSync(path, 'utf8'));
    }
    expect((await all).slice(0, 6)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ n: 6 * 60 });
  });
});

/** Counts; or takes the lock, says so and never ends. `old`: the lock looks as if it was left long ago. */
const WORKER = `
  import { utimesSync, writeSync } from 'node:fs';
  import { changeJsonFile } from '${join(ROOT, 'src/config/json-file.ts')}';
  const [, , path, job] = process.argv;
  const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  if (job.startsWith('hold')) {
    await changeJsonFile(path, () => {
      if (job === 'hold old') utimesSync(path + '.lock', 0, 0);
      writeSync(1, 'held');
      pause(60_000);
      return { n: -1000 };
    });
  }
  for (let i = 0; i < 60; i++) {
    const next = ({ n = 0 }) => ({ n: n + 1 });
    await changeJsonFile(path, next);
    pause(Math.random() * 20);
  }
`;
