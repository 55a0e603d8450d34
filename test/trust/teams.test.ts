import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROMPTS } from '../support/calling-program.ts';
import { seededRandom } from '../support/fuzz.ts';
import { makePlace } from '../support/place.ts';
import { ALL_DONE } from '../support/team-play.ts';
import { sweepTeam, sweepTeamScript } from '../support/team-sweep.ts';
import { CALLED, runLongTeammate } from '../support/team-work.ts';
import { trustSize } from './size.ts';

const seed = trustSize('SEED', 44);
const rounds = trustSize('ROUNDS', 20);
const seen = { kills: 0, stops: 0 };
const seconds = trustSize('SECONDS', 60);

test.each(Array.from({ length: rounds }, (_, round) => ({ round, seed: seed + round })))(
  '[TEAM-02, TEAM-08, TEAM-10] a team of 5, stopped and killed at random (seed $seed): no mail is lost or doubled, nothing is left',
  async ({ seed: own }) => {
    const sweep = { mates: 5, rounds: 4, kills: 3, stops: 3, random: seededRandom(own) };
    const place = await makePlace(sweepTeamScript(sweep));
    const { faults, kills, stops } = await sweepTeam(place, sweep);
    expect(faults).toEqual([]);
    seen.kills += kills;
    seen.stops += stops;
  },
);

test(`the ${rounds} teams were really killed and their members really stopped`, () => {
  console.log(`${seen.kills} kills, ${seen.stops} stops`);
  expect(seen.kills).toBeGreaterThan(rounds);
  expect(seen.stops).toBeGreaterThan(rounds);
});

test(`[TEAM-10, STD-03] a teammate works ${seconds} s behind the first result, and all it needs of the program is there`, async () => {
  const runs = await Promise.all(PROMPTS.map((prompt) => runLongTeammate(prompt, seconds * 1000)));
  for (const [at, { place, lines, called, lastedMs }] of runs.entries()) {
    expect(lines.at(-1), PROMPTS[at]).toMatchObject({ type: 'result', result: ALL_DONE, pending_tasks: [] });
    expect(called, PROMPTS[at]).toEqual(CALLED);
    expect(lastedMs).toBeGreaterThan(seconds * 1000);
    expect(existsSync(join(place.cwd, 'made'))).toBe(true);
  }
});
