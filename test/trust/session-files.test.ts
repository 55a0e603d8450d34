import { describe, expect, test } from 'vitest';
import { STREAM_OUT } from '../support/cli.ts';
import { HUGE_FILES } from '../support/damage/sizes.ts';
import { DAMAGE_CORPUS } from '../support/damage-corpus.ts';
import { damageScript } from '../support/damage-run.ts';
import { forkFaults } from '../support/fork-damaged.ts';
import { makePlace } from '../support/place.ts';
import { UNREADABLE, unreadableFaults } from '../support/unreadable-sessions.ts';
import { tally } from './tally.ts';

describe('[S-19] what cannot be resumed is an error, at once and aloud', () => {
  const check = tally(['S-19'], 'tries', 'silent, slow or with a trace');
  const faces = [STREAM_OUT, ['-p'], ['-p', '--output-format', 'json']];

  test.for(Object.entries(UNREADABLE).flatMap(([kind, put]) => faces.map((flags) => ({ kind, put, flags }))))(
    '$kind, $flags',
    async ({ kind, put, flags }, { skip }) => {
      if (kind.includes('only root') && process.getuid?.() !== 0) skip('NOT TESTED: only root can make a device');
      check(await unreadableFaults(await makePlace(() => 'ok'), put, flags));
    },
  );
});

describe('[S-26] a fork leaves its source as it was, byte for byte', () => {
  const check = tally(['S-26'], 'forks', 'sources changed');
  const huge = new Set(HUGE_FILES.map(({ name }) => name));

  test.each(DAMAGE_CORPUS.filter(({ name }) => !huge.has(name)))('of a file with $name', async (damaged) => {
    expect(damaged.make().length).toBeGreaterThan(0);
    check(await forkFaults(await makePlace(damageScript), damaged));
  });
});
