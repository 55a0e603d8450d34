import { expect, test } from 'vitest';
import { makePlace } from '../support/place.ts';
import { killScript, killServers } from '../support/server-kills.ts';
import { trustSize } from './size.ts';

const SEED = trustSize('SEED', 11);
const KILLS = trustSize('POINTS', 500);
/** Kills of one home; each group has a seed of its own. */
const GROUP = 100;

test.each(Array.from({ length: Math.ceil(KILLS / GROUP) }, (_, at) => SEED + at))(
  'kill -9 of the server, seed %d: nothing acknowledged is lost, nothing doubled, no call runs twice',
  async (seed) => {
    const place = await makePlace(killScript);
    const kills = Math.min(GROUP, KILLS);
    const { faults, restarts, ...counts } = await killServers(place, { seed, kills, sessions: 4, messages: 90 });
    restarts.sort((a, b) => a - b);
    const p99 = restarts[Math.floor(restarts.length * 0.99)] ?? 0;
    console.log(`${JSON.stringify(counts)}, restart p99 ${Math.round(p99)} ms`);
    expect(faults).toEqual([]);
  },
);
