import { expect, test } from 'vitest';
import { seededRandom } from '../support/fuzz.ts';
import { manyAgentsFaults, manyAgentsScript } from '../support/many-agents.ts';
import { makePlace } from '../support/place.ts';
import { trustSize } from './size.ts';

const agents = trustSize('AGENTS', 50);
const rounds = trustSize('ROUNDS', 5);
const seed = trustSize('SEED', 44);

test.each(Array.from({ length: rounds }, (_, round) => ({ seed: seed + round })))(
  `[BG-03, BG-05, H-3] ${agents} agents in the background at once (seed $seed): each end is told once, and nothing is left`,
  async ({ seed: own }) => {
    const place = await makePlace(manyAgentsScript(agents, seededRandom(own)));
    expect(await manyAgentsFaults(place, agents)).toEqual([]);
  },
);
