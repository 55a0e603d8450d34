import { expect, test } from 'vitest';
import { growth, longScript, runLongSession } from '../support/long-session.ts';
import { makePlace } from '../support/place.ts';
import { trustSize } from './size.ts';

const turns = trustSize('TURNS', 10_000);

test(`[L-2, LOOP-02] ${turns} turns`, async () => {
  const place = await makePlace(longScript());
  const { faults, compactions, memory } = await runLongSession(place, turns);
  console.log(compactions, growth(memory), memory.filter((_, i) => i % Math.ceil(turns/50) === 0).map(Math.round).join(' '));
  expect(faults).toEqual([]);
  expect(compactions).toBeGreaterThan(turns / 100);
  expect(growth(memory)).toBeLessThanOrEqual(1.3);
});
