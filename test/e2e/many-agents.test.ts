import { expect, test } from 'vitest';
import { seededRandom } from '../support/fuzz.ts';
import { manyAgentsFaults, manyAgentsScript } from '../support/many-agents.ts';
import { makePlace } from '../support/place.ts';

test('[BG-03, BG-05] twelve agents in the background at once: each end is told once, and nothing is left', async () => {
  const place = await makePlace(manyAgentsScript(12, seededRandom(7)));
  expect(await manyAgentsFaults(place, 12)).toEqual([]);
});
