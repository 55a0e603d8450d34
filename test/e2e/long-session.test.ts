import { expect, test } from 'vitest';
import { growth, longScript, runLongSession } from '../support/long-session.ts';
import { makePlace } from '../support/place.ts';

/** 10,000 turns are in test/trust. */
test('[L-2, LOOP-02] 300 turns and their compactions in one process: memory stays bounded', async () => {
  const place = await makePlace(longScript());
  const { faults, compactions, memory } = await runLongSession(place, 300);
  console.log(
    compactions,
    growth(memory),
    memory
      .filter((_, i) => i % 20 === 0)
      .map(Math.round)
      .join(' '),
  );
  expect(faults).toEqual([]);
  expect(compactions).toBeGreaterThan(5);
});
