import { expect, test } from 'vitest';
import { apiFaults } from '../support/api-faults.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { growth, longScript, runLongSession, WARM_UP_TURNS } from '../support/long-session.ts';
import { makePlace } from '../support/place.ts';
import { bodyOf } from '../support/requests.ts';
import { trustSize } from './size.ts';

const turns = Math.max(2 * WARM_UP_TURNS, trustSize('TURNS', 10_000));

test(`[L-2, S-18] ${turns} turns and their compactions in one process: no growth, and the session can be resumed`, async () => {
  const place = await makePlace(longScript());
  const { sessionId, faults, compactions, memory } = await runLongSession(place, turns);
  expect(faults).toEqual([]);
  expect(compactions).toBeGreaterThan(turns / 100);
  expect(growth(memory), `megabytes: ${memory.filter((_, turn) => turn % 500 === 0).map(Math.round)}`).toBeLessThan(
    1.3,
  );

  const started = Date.now();
  const { code, stderr } = await runCli([...STREAM_OUT, 'and now?', '--resume', sessionId], { place });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(Date.now() - started).toBeLessThan(10_000);
  expect(bodyOf(place.api.requests[0]).messages.length).toBeLessThan(200); // from the last summary on
  expect(apiFaults(bodyOf(place.api.requests[0]))).toEqual([]);
});
