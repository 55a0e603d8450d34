import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { beforeEach, describe, expect, test } from 'vitest';
import { makePlace, type Place } from '../support/place.ts';
import { ROOT } from '../support/root.ts';

/** A copy of the built command line, so that the compiled code that it stores can be damaged. */
let place: Place;
let dist: string;
beforeEach(async () => {
  place = await makePlace();
  dist = join(place.cwd, 'package/dist');
  for (const part of ['heddle.cjs', 'cli.js', 'bundles', 'vendor'])
    cpSync(join(ROOT, 'dist', part), join(dist, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(place.cwd, 'package/node_modules'));
  writeFileSync(join(place.cwd, 'package/package.json'), '{"type":"module"}');
});

function run({ entry = 'heddle.cjs', args = ['-p', '--model', 'offline', 'read the file a.txt'], env = {} } = {}) {
  const options = { cwd: place.cwd, env: { ...place.env, ...env }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(dist, entry), ...args], options);
  return { status, stdout, stderr };
}

/** All files below, in whatever folder. */
function keptFiles(folder = join(dist, 'code-cache')): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
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
    for (const name of readdirSync(join(dist, 'bundles'))) {
      const script = join(dist, 'bundles', name);
      const text = readFileSync(script, 'utf8');
      expect(text).toMatch(/^\/\*[0-9a-f]{16}\*\//);
      // What the build does when the code changes: another text has another tag.
      writeFileSync(script, text.replace(/^\/\*.{16}/, '/*0000000000000000'));
    }
    run();
    expect(keptFiles()).toHaveLength(2 * before);
  });

  test('is not needed: where nothing can be written, every start compiles, and says nothing', () => {
    writeFileSync(join(dist, 'code-cache'), 'a file in the way');
    writeFileSync(join(place.root, 'cache'), 'another one');
    expect(run({ env: { XDG_CACHE_HOME: join(place.root, 'cache') } })).toMatchObject({ status: 0, stderr: '' });
  });

  test('is not kept by a run with flags of V8: others have not got them', () => {
    expect(run({ env: { NODE_OPTIONS: '--max-old-space-size=512' } })).toMatchObject({ status: 0 });
    expect(keptFiles()).toEqual([]);
  });

  test('grows when a run goes another way, and then stays as it is', () => {
    run({ args: ['sessions', 'list'] });
    const small = statSync(largest()).size;
    run();
    expect(statSync(largest()).size).toBeGreaterThan(small + 100_000);
    // This run has more code than each of the two before, because it has that of both.
    run({ args: ['sessions', 'list'] });
    const stored = keptFiles().map((file) => ({ file, at: statSync(file).mtimeMs }));
    run({ args: ['sessions', 'list'] });
    run();
    expect(keptFiles().map((file) => ({ file, at: statSync(file).mtimeMs }))).toEqual(stored);
  });

  test('is none for what needs next to none', () => {
    expect(run({ args: ['--version'] }).stdout).toMatch(/^\d+\.\d+\.\d+ \(Heddle /);
    expect(keptFiles()).toEqual([]);
  });
});

describe("where the installation cannot be written to, in the user's cache folder", () => {
  const home = () => join(place.root, 'home/.cache/heddle');
  /** The offline model has code of its own. */
  const BUNDLES = ['models', 'print'];
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  const code = () => keptFiles(home()).map((file) => ({ file, at: statSync(file).mtimeMs }));
  beforeEach(() => writeFileSync(join(dist, 'code-cache'), 'a file in the way'));

  test('the code is kept by the first run and left alone by the next ones; nobody else can get at it', () => {
    const first = run();
    expect(first).toMatchObject({ status: 0, stderr: '' });
    const stored = code();
    expect(stored.map(({ file }) => basename(file)).sort()).toEqual(BUNDLES);
    const folder = dirname(stored[0]?.file ?? '');
    expect(folder).toMatch(/\/[0-9a-f]{16}-[\w.-]+-[a-z0-9]+$/);
    expect([home(), folder].map(modeOf)).toEqual([0o700, 0o700]);
    expect(stored.map(({ file }) => [dirname(file), modeOf(file)])).toEqual(stored.map(() => [folder, 0o600]));
    expect(run()).toEqual(first);
    expect(code()).toEqual(stored);
  });

  test('or in the one that XDG_CACHE_HOME names, if that is a whole path', () => {
    const cache = join(place.root, 'elsewhere');
    run({ env: { XDG_CACHE_HOME: cache } });
    expect(keptFiles(join(cache, 'heddle'))).toHaveLength(BUNDLES.length);
    expect(keptFiles(home())).toEqual([]);
    run({ env: { XDG_CACHE_HOME: 'elsewhere' } });
    expect(keptFiles(home())).toHaveLength(BUNDLES.length);
  });

  /** V8 takes it for the code of the bundle: it is that of a text of the same length. */
  function plantCode(file: string): { hasRun(): boolean } {
    const mark = join(place.root, 'pwned');
    const length = statSync(join(dist, 'bundles/print.cjs')).size;
    const body = `(function(exports,require){require('node:fs').writeFileSync(${JSON.stringify(mark)},'')})`;
    const script = new Script(body.padEnd(length));
    script.runInThisContext()({}, () => ({ writeFileSync() {} }));
    const size = Buffer.alloc(8);
    size.writeDoubleLE(Number.MAX_SAFE_INTEGER);
    const rest = Buffer.concat([size, script.createCachedData()]);
    writeFileSync(file, Buffer.concat([createHash('sha256').update(rest).digest(), rest]));
    return {
      hasRun() {
        const isThere = existsSync(mark);
        rmSync(mark, { force: true });
        return isThere;
      },
    };
  }

  test.each<[string, () => void]>([
    ['a folder that others can write to', () => chmodSync(home(), 0o770)],
    ['a folder that others can write to, inside', () => chmodSync(dirname(keptFiles(home())[0] ?? ''), 0o707)],
    [
      'a link to another folder',
      () => {
        renameSync(home(), join(place.root, 'moved'));
        symlinkSync(join(place.root, 'moved'), home());
      },
    ],
  ])('nothing is read from %s, nor written there', (_what, change) => {
    const first = run();
    const file = keptFiles(home()).find((each) => basename(each) === 'print') ?? '';
    const planted = plantCode(file);
    const before = readFileSync(file);
    run();
    expect(planted.hasRun()).toBe(true); // what the folder keeps others from
    change();
    expect(run()).toEqual(first);
    expect(planted.hasRun()).toBe(false);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('the code of a few versions stays', () => {
    for (let at = 0; at < 12; at++) mkdirSync(join(home(), `old-${at}`), { recursive: true, mode: 0o700 });
    run();
    expect(readdirSync(home())).toHaveLength(8);
    expect(keptFiles(home())).toHaveLength(BUNDLES.length);
  });
});

test('what is planted beside a bundle is not loaded: the start file reads what the build has made, by its name', () => {
  const planted = `require('node:fs').writeFileSync(${JSON.stringify(join(place.root, 'pwned'))}, '')`;
  for (const name of ['print', 'print.js', 'print.json', 'index.js', 'index.cjs', 'package.json', 'node_modules.cjs']) {
    writeFileSync(join(dist, 'bundles', name), planted);
  }
  expect(run()).toMatchObject({ status: 0, stderr: '' });
  expect(existsSync(join(place.root, 'pwned'))).toBe(false);
});
