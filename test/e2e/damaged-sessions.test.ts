import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { DAMAGE_CORPUS, SESSION } from '../support/damage-corpus.ts';
import { damagedFile, damageScript, hasTrace, resumeDamaged } from '../support/damage-run.ts';
import { forkFaults } from '../support/fork-damaged.ts';
import { makePlace } from '../support/place.ts';
import { UNREADABLE, unreadableFaults } from '../support/unreadable-sessions.ts';

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
  test.each(['a file that is missing', 'an empty file', 'a directory', 'a FIFO'])('%s', async (kind) => {
    for (const flags of [STREAM_OUT, ['-p'], ['-p', '--output-format', 'json']]) {
      const place = await makePlace(() => 'ok');
      expect(await unreadableFaults(place, UNREADABLE[kind] as (path: string) => void, flags)).toEqual([]);
    }
  });
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

  test.each(DAMAGE_CORPUS.filter(({ name }) => sources.includes(name)))('$name', async (damaged) => {
    expect(await forkFaults(await makePlace(damageScript), damaged)).toEqual([]);
  });
});
