import { expect, test } from 'vitest';
import { longScript, runLongSession } from '../support/long-session.ts';
import { makePlace } from '../support/place.ts';

/** Three hundred turns are too few to tell growth from warming up; `npm run trust` has ten thousand. */
test('[L-2, LOOP-02] 300 turns and their compactions in one process: memory stays bounded', async () => {
  const place = await makePlace(longScript());
  const { faults, compactions, memory } = await runLongSession(place, 300);
  expect(faults).toEqual([]);
  expect(compactions).toBeGreaterThan(3);
  expect(Math.max(...memory)).toBeLessThan(150);
});
