import { describe, expect, test } from 'vitest';
import { DAMAGE_CORPUS } from '../support/damage-corpus.ts';
import { damageScript, resumeDamaged } from '../support/damage-run.ts';
import { makePlace } from '../support/place.ts';

describe('[K15, S-9, S-18] a damaged session comes back, is said to be damaged, and goes on', () => {
  test.each(DAMAGE_CORPUS)('$name', async (damaged) => {
    expect(await resumeDamaged(await makePlace(damageScript), damaged)).toEqual([]);
  });
});
