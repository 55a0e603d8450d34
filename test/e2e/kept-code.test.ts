import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { makePlace, type Place } from '../support/place.ts';
import { ROOT } from '../support/root.ts';

/** A copy of the built command line, so that what it keeps of its code can be damaged. */
let place: Place;
let dist: string;
beforeEach(async () => {
  place = await makePlace();
  dist = join(place.cwd, 'package/dist');
  for (const part of ['heddle.cjs', 'cli.js', 'cli'])
    cpSync(join(ROOT, 'dist', part), join(dist, part), { recursive: true });
  rmSync(join(dist, 'cli/kept'), { recursive: true, force: true });
  symlinkSync(join(ROOT, 'node_modules'), join(place.cwd, 'package/node_modules'));
  writeFileSync(join(place.cwd, 'package/package.json'), '{"type":"module"}');
});

function run({ entry = 'heddle.cjs', args = ['-p', '--model', 'offline', 'read the file a.txt'], env = {} } = {}) {
  const options = { cwd: place.cwd, env: { ...place.env, ...env }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(dist, entry), ...args], options);
  return { status, stdout, stderr };
}

function keptFiles(): string[] {
  try {
    const [folder] = readdirSync(join(dist, 'cli/kept'));
    const path = join(dist, 'cli/kept', folder ?? '');
    return readdirSync(path).map((name) => join(path, name));
  } catch {
    return [];
  }
}

function largest(): string {
  const [file] = keptFiles().sort((a, b) => statSync(b).size - statSync(a).size);
  if (file === undefined) throw new Error('nothing is kept');
  return file;
}

test('characters beyond ASCII mean themselves in the patterns of the built command line, also from kept code', async () => {
  writeFileSync(join(place.cwd, 'a.txt'), 'first\n');
  writeFileSync(join(place.cwd, 'b.txt'), 'second\n');
  const args = ['-p', '--model', 'offline', '\u2022 read the file a.txt\n\u2022 read the file b.txt'];
  for (const time of ['compiled', 'kept']) {
    const { stdout } = run({ args });
    expect(stdout, time).toContain('first');
    expect(stdout, time).toContain('second');
  }
});

describe('the compiled code of the command line', () => {
  test.each(['heddle.cjs', 'cli.js'])('%s: is kept by the first run and left alone by the next ones', (entry) => {
    const first = run({ entry });
    expect(first).toMatchObject({ status: 0, stderr: '' });
    const kept = keptFiles().map((file) => ({ file, at: statSync(file).mtimeMs }));
    expect(kept.length).toBeGreaterThan(0);
    expect(run({ entry })).toEqual(first);
    expect(keptFiles().map((file) => ({ file, at: statSync(file).mtimeMs }))).toEqual(kept);
  });

  test.each([
    [
      'one byte changed',
      (code: Buffer) =>
        Buffer.from(code).fill(code[code.length >> 1]! ^ 0xff, code.length >> 1, (code.length >> 1) + 1),
    ],
    ['cut off', (code: Buffer) => code.subarray(0, code.length >> 1)],
    ['empty', () => Buffer.alloc(0)],
    ['something else', () => Buffer.from('this is no code')],
  ])('is not run when it is damaged (%s), and kept anew', (_what, damage) => {
    const first = run();
    const file = largest();
    const whole = readFileSync(file);
    writeFileSync(file, damage(whole));
    expect(run()).toEqual(first);
    expect(readFileSync(file).length).toBeGreaterThan(whole.length / 2);
    expect(readFileSync(file).equals(damage(whole))).toBe(false);
  });

  test('is not that of another script of the same length', () => {
    run();
    const before = keptFiles().length;
    const script = join(dist, 'cli', largest().replace(/^.*\/(.*)-[0-9a-f]+$/, '$1.js'));
    const text = readFileSync(script, 'utf8');
    expect(text).toMatch(/^\/\*[0-9a-f]{16}\*\//);
    // What the build does when the code changes: another text has another tag.
    writeFileSync(script, text.replace(/^\/\*.{16}/, '/*0000000000000000'));
    run();
    expect(keptFiles()).toHaveLength(before + 1);
  });

  test('is not needed: where nothing can be written, every start compiles, and says nothing', () => {
    mkdirSync(join(dist, 'cli'), { recursive: true });
    writeFileSync(join(dist, 'cli/kept'), 'a file in the way');
    expect(run()).toMatchObject({ status: 0, stderr: '' });
  });

  test('is not kept by a run with flags of V8: others have not got them', () => {
    expect(run({ env: { NODE_OPTIONS: '--max-old-space-size=512' } })).toMatchObject({ status: 0 });
    expect(keptFiles()).toEqual([]);
  });

  test('is none for what needs next to none', () => {
    expect(run({ args: ['--version'] }).stdout).toMatch(/^\d+\.\d+\.\d+ \(Heddle /);
    expect(keptFiles()).toEqual([]);
  });
});
