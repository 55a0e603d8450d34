import { expect, test } from 'vitest';
import { seededRandom } from '../support/fuzz.ts';
import { type KillPoint, killAndResume, SWEEP_LINES, sweepScript } from '../support/kill-sweep.ts';
import { makePlace } from '../support/place.ts';
import { batches, trustSize } from './size.ts';

const seed = trustSize('SEED', 44);
const random = seededRandom(seed);
/** Half of them by the clock, from the first millisecond on; half of them shortly after a line, where the risk is. */
const points: KillPoint[] = Array.from({ length: trustSize('POINTS', 150) }, (_, at) =>
  at % 2 === 0
    ? { lines: 0, thenMs: Math.floor(random() * 600) }
    : { lines: 1 + Math.floor(random() * SWEEP_LINES), thenMs: Math.floor(random() * 12) },
);

test.each(batches(points.length, 10))(
  `[S-1, S-2, S-5] kill -9 at points $from to $to of seed ${seed}: nothing that was said is lost`,
  async ({ from, to }) => {
    for (const point of points.slice(from, to)) {
      const place = await makePlace(sweepScript());
      expect(await killAndResume(place, point), JSON.stringify(point)).toEqual([]);
    }
  },
);
