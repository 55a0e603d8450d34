import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { createHouse, resultsOf } from '../host/support.ts';

const CALLS = 240;
const PER_ANSWER = 24;
const SECRET = 'hunter2';
/** What each file beside the link holds, inside and outside. */
const files = Array.from({ length: CALLS }, (_, at) => `f${at}.txt`);

/**
 * What the swapping process does about every 0.7 ms. `links`: the link `d` leads inside, then outside. `exchange`: `d` is
 * a directory, then a link to outside.
 */
const SWAPS = {
  links: `
    const lead = (to) => { fs.symlinkSync(to, 'd.new'); fs.renameSync('d.new', 'd'); };
    const swap = (there) => lead(there ? '../outside' : 'real');`,
  // A call that comes while nothing is there may make the directory itself: that one has to go.
  exchange: `
    const put = (from) => {
      for (;;) try { return fs.renameSync(from, 'd'); } catch { fs.rmSync('d', { recursive: true, force: true }); }
    };
    const swap = (there) => {
      fs.renameSync('d', there ? 'd.kept' : 'd.link');
      put(there ? 'd.link' : 'd.kept');
    };`,
};

const SWAPPER = (kind: keyof typeof SWAPS) => `
  const fs = require('node:fs');
  const nap = new Int32Array(new SharedArrayBuffer(4));
  ${SWAPS[kind]}
  process.stdout.write('on');
  for (let there = true; ; there = !there) { swap(there); Atomics.wait(nap, 0, 0, 0.7); }`;

let swapper: ChildProcess | null = null;
afterEach(async () => {
  if (swapper?.exitCode !== null) return;
  swapper.kill('SIGKILL');
  await once(swapper, 'exit');
});

interface Race {
  outside: string;
  /** All that the model and the host get to read. */
  seen: string;
  succeeded: number;
}

/** Runs the calls while `d` is being swapped, in a mode that allows what lies inside and asks nobody. */
async function race(kind: keyof typeof SWAPS, name: string, inputs: readonly JsonObject[]): Promise<Race> {
  const answers: ReturnType<typeof toolUse>[][] = [];
  for (let at = 0; at < inputs.length; at += PER_ANSWER) {
    answers.push(inputs.slice(at, at + PER_ANSWER).map((input) => toolUse(name, input)));
  }
  const house = createHouse([...answers, 'done']);
  const outside = join(dirname(house.dir), 'outside');
  const inside = join(house.dir, kind === 'links' ? 'real' : 'd');
  for (const [dir, text] of [
    [inside, 'inside'],
    [outside, SECRET],
  ] as const) {
    mkdirSync(dir);
    if (name === 'Write') continue;
    for (const file of files) writeFileSync(join(dir, file), `password=${text}\n`);
    writeFileSync(join(dir, `only-${text}.txt`), '');
  }
  symlinkSync(kind === 'links' ? 'real' : '../outside', join(house.dir, kind === 'links' ? 'd' : 'd.link'));
  swapper = spawn(process.execPath, ['-e', SWAPPER(kind)], { cwd: house.dir, stdio: ['ignore', 'pipe', 'inherit'] });
  if (swapper.stdout) await once(swapper.stdout, 'data');
  const client = house.connect({ permissionMode: 'acceptEdits' });
  await client.ask('go');
  expect(swapper.exitCode).toBeNull();
  const results = resultsOf(client.lines);
  expect(results).toHaveLength(inputs.length);
  const data = client.of('user').map(({ tool_use_result }) => JSON.stringify(tool_use_result));
  return {
    outside,
    seen: [...results.map(({ content }) => String(content)), ...data].join('\n'),
    succeeded: results.filter(({ is_error }) => !is_error).length,
  };
}

describe.each(['links', 'exchange'] as const)(
  '[R-8] a path that is swapped between the decision and its use: %s',
  (kind) => {
    test('Write lands where it was allowed, or nowhere', { timeout: 20_000 }, async () => {
      const inputs = files.map((file) => ({ file_path: `d/${file}`, content: 'x' }));
      const { outside, succeeded } = await race(kind, 'Write', inputs);
      expect(readdirSync(outside)).toEqual([]);
      expect(succeeded).toBeGreaterThan(0);
    });

    test('Read shows what was allowed, or nothing', { timeout: 20_000 }, async () => {
      const { seen, succeeded } = await race(
        kind,
        'Read',
        files.map((file) => ({ file_path: `d/${file}` })),
      );
      expect(seen).not.toContain(SECRET);
      expect(succeeded).toBeGreaterThan(0);
    });
  },
);

describe('[R-8] a directory whose link is swapped between the decision and its use', () => {
  const some = files.slice(0, 24);

  test.each(['links', 'exchange'] as const)(
    'Grep finds what is in the one that was allowed: %s',
    { timeout: 20_000 },
    async (kind) => {
      const inputs = some.map((file, at) => ({
        pattern: 'password',
        path: ['.', 'd', `d/${file}`][at % 3],
        output_mode: at % 2 === 0 ? 'content' : 'files_with_matches',
      }));
      const { seen } = await race(kind, 'Grep', inputs);
      expect(seen).not.toMatch(/hunter2/);
      expect(seen).toContain('password=inside');
    },
  );

  test.each(['links', 'exchange'] as const)('Glob lists it: %s', { timeout: 20_000 }, async (kind) => {
    const inputs = some.map((_, at) => ({ pattern: '**/only-*', path: at % 2 === 0 ? 'd' : '.' }));
    const { seen } = await race(kind, 'Glob', inputs);
    expect(seen).not.toMatch(/only-hunter2/);
    expect(seen).toContain('only-inside');
  });
});
