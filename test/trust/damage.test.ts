import { describe, expect, test } from 'vitest';
import { cutFiles } from '../support/damage/cuts.ts';
import { DAMAGE_CORPUS } from '../support/damage-corpus.ts';
import { damageScript, resumeDamaged } from '../support/damage-run.ts';
import { seededRandom } from '../support/fuzz.ts';
import { makePlace } from '../support/place.ts';
import { batches } from './size.ts';

const CUTS = cutFiles(200, seededRandom(9));

describe('[K15, S-9, S-18] a damaged session comes back, is said to be damaged, and goes on', () => {
  test.each(DAMAGE_CORPUS)('$name', async (damaged) => {
    expect(await resumeDamaged(await makePlace(damageScript), damaged)).toEqual([]);
  });

  test.each(batches(CUTS.length, 20))('cut anywhere, files $from to $to', async ({ from, to }) => {
    for (const cut of CUTS.slice(from, to)) {
      expect(await resumeDamaged(await makePlace(damageScript), cut), cut.name).toEqual([]);
    }
  });
});
