import { expect, test } from 'vitest';
import { makePlace } from '../support/place.ts';
import { killScript, killServers } from '../support/server-kills.ts';

test('kill -9 of the server at 30 moments: nothing acknowledged is lost, nothing doubled, no call runs twice', async () => {
  const place = await makePlace(killScript);
  const { faults, ...figures } = await killServers(place, { seed: 7, kills: 30, sessions: 3, messages: 25 });
  const { restarts, ...counts } = figures;
  console.log(JSON.stringify({ ...counts, slowest: Math.round(Math.max(...restarts)) }));
  expect(faults).toEqual([]);
  expect(figures.acknowledged).toBe(75);
  expect(figures.continued).toBeGreaterThan(0);
}, 300_000);
