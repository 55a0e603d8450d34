import { expect, test } from 'vitest';
import { fuzzProtocol } from '../support/fuzz-run.ts';
import { makePlace } from '../support/place.ts';
import { batches, trustSize } from './size.ts';

const seed = trustSize('SEED', 1);

test.each(batches(trustSize('LINES', 10_000), 500))(
  `[P-1, P-2, P-3] random and mutated lines $from to $to of seed ${seed}: no death, no trace, the next line is answered`,
  async ({ from, to }) => {
    const place = await makePlace(() => 'ok');
    expect(await fuzzProtocol(place, { lines: to - from, seed: seed + from })).toEqual([]);
  },
);
