import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Finished, runCli, STREAM_OUT } from '../support/cli.ts';
import { DAMAGE_CORPUS, SESSION } from '../support/damage-corpus.ts';
import { damagedFile, damageScript, hasTrace, resumeDamaged } from '../support/damage-run.ts';
import { makePlace, type Place } from '../support/place.ts';
import { bodyOf } from '../support/requests.ts';
import { wordFaults } from '../support/restored.ts';
import { sessionFiles } from '../support/session-files.ts';

/** One of each kind; `npm run trust` goes through all of them. */
const CHOSEN = [
  'torn with the result of the second call',
  'half a record, and the next one glued to it',
  'invalid UTF-8 in the uuid of an entry that others hang from',
  'every line twice',
  'the root hangs from the leaf',
  'an orphan in the middle',
  'an old permission, answered once more, with an error below',
  'parallel calls, and one result is missing',
  'the last result hangs from the prompt',
  'branches whose clock is in the year 2999 on the old branch',
  'a boundary whose summary is lost, and the conversation went on',
  'an old file that was gone on with',
  'lone surrogates in texts',
  'a thought without a signature',
];

describe('[S-9, S-10, S-14] a damaged session comes back, is said to be damaged, and goes on', () => {
  test('all chosen ones are in the corpus', () => {
    const names = DAMAGE_CORPUS.map(({ name }) => name);
    expect(CHOSEN.filter((name) => !names.includes(name))).toEqual([]);
  });

  test.each(DAMAGE_CORPUS.filter(({ name }) => CHOSEN.includes(name)))('$name', async (damaged) => {
    expect(await resumeDamaged(await makePlace(damageScript), damaged)).toEqual([]);
  });
});

describe('[S-19, SES-22] what cannot be resumed is an error, at once and aloud', () => {
  test.each<[string, (path: string) => void]>([
    ['a file that is missing', () => {}],
    ['a directory', (path) => mkdirSync(path)],
    ['a FIFO', (path) => execFileSync('mkfifo', [path])],
    ['a socket or device', (path) => execFileSync('mknod', [path, 'c', '1', '3'])],
  ])('%s', async (kind, put) => {
    const place = await makePlace(() => 'ok');
    try {
      put(damagedFile(place));
    } catch (error) {
      if (kind === 'a socket or device') return; // only root can make one
      throw error;
    }
    for (const flags of [STREAM_OUT, ['-p'], ['-p', '--output-format', 'json']]) {
      const started = Date.now();
      const run = await runCli([...flags, 'hi', '--resume', SESSION], { place });
      expect({ code: run.code, requests: place.api.requests.length }, run.stdout + run.stderr).toEqual({
        code: 1,
        requests: 0,
      });
      expect(run.stdout + run.stderr).toContain(SESSION);
      expect(hasTrace(run)).toBe(false);
      expect(Date.now() - started).toBeLessThan(5000);
    }
  });
});

test('[S-19] an empty file is an error, too', async () => {
  const place = await makePlace(() => 'ok');
  writeFileSync(damagedFile(place), '');
  const run = await ask(place, 'hi', '--resume', SESSION);
  expect({ code: run.code, requests: place.api.requests.length }).toEqual({ code: 1, requests: 0 });
});

test('a file in which nothing can be read: it is said that it was damaged, and the file stays', async () => {
  const place = await makePlace(() => 'ok');
  const path = damagedFile(place);
  writeFileSync(path, Buffer.alloc(5000, 0xfe));
  const run = await runCli([...STREAM_OUT, 'hi', '--resume', SESSION], { place });
  expect(hasTrace(run)).toBe(false);
  expect(run.stderr + run.stdout).toMatch(/damaged|could not/i);
  expect(readFileSync(path).subarray(0, 5000).equals(Buffer.alloc(5000, 0xfe))).toBe(true);
});

describe('[S-26, K30] a fork leaves its source as it was, byte for byte', () => {
  const sources = [
    'torn with the result of the second call',
    'an orphan in the middle',
    'an old file without uuids',
    'every line twice',
  ];

  test.each(DAMAGE_CORPUS.filter(({ name }) => sources.includes(name)))('$name', async ({ make, kept }) => {
    const place = await makePlace(damageScript);
    const path = damagedFile(place);
    writeFileSync(path, make(), { mode: 0o600 });
    const before = hashOf(path);
    const first = await ask(place, 'prompt-1', '--resume', SESSION, '--fork-session');
    expect({ code: first.code, hash: hashOf(path) }, first.stdout.slice(-600) + first.stderr).toEqual({
      code: 0,
      hash: before,
    });
    const fork = String(first.lines.at(-1)?.session_id);
    expect(fork).not.toBe(SESSION);
    const second = await ask(place, 'prompt-2', '--resume', fork);
    expect({ code: second.code, hash: hashOf(path), files: sessionFiles(place).length }).toEqual({
      code: 0,
      hash: before,
      files: 2,
    });
    expect(wordFaults(bodyOf(place.api.requests[1]), { kept: [...kept, 'prompt-1', 'reply-1', 'prompt-2'] })).toEqual(
      [],
    );
  });
});

function ask(place: Place, prompt: string, ...flags: string[]): Promise<Finished> {
  return runCli([...STREAM_OUT, prompt, ...flags], { place });
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
