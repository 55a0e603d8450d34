import { expect, test } from 'vitest';
import { seededRandom } from '../support/fuzz.ts';
import { killPoints, PHASES, type Phase } from '../support/kill-points.ts';
import { killAndResume, sweepScript } from '../support/kill-sweep.ts';
import { makePlace } from '../support/place.ts';
import { figure } from './figures.ts';
import { batches, trustSize } from './size.ts';

const seed = trustSize('SEED', 44);
const points = killPoints(trustSize('POINTS', 500), seededRandom(seed));
const ENOUGH = 30;
/** Agents that run at the same time. */
const LANES = 2;

const seen = new Map<Phase, number>(PHASES.map((phase) => [phase, 0]));
/** Each begins with the id of what it breaks. */
const all: string[] = [];
const killed = () => [...seen.values()].reduce((sum, count) => sum + count, 0);
const faultsOf = (...ids: string[]) => all.filter((fault) => ids.some((id) => fault.startsWith(`${id}:`)));
/** What the whole sweep has shown, in the words of each invariant. */
const tell = (figures: Record<string, string>) => {
  for (const [id, what] of Object.entries(figures)) figure(id, `${killed()} kills, ${faultsOf(id).length} ${what}`);
};

test.each(batches(points.length, 20))(
  `[S-1, S-2, S-5] kill -9 at points $from to $to of seed ${seed}: nothing that was said is lost`,
  async ({ from, to }) => {
    const waiting = points.slice(from, to);
    const lane = async () => {
      for (let point = waiting.shift(); point; point = waiting.shift()) {
        const { phase, faults } = await killAndResume(await makePlace(sweepScript()), point);
        seen.set(phase, (seen.get(phase) ?? 0) + 1);
        all.push(...faults);
        expect(faults, JSON.stringify({ ...point, was: phase })).toEqual([]);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  },
);

test('[S-1, S-2, S-5] after all kills together', () => {
  tell({ 'S-1': 'lost', 'S-2': 'missing in the next request', 'S-5': 'that could not be resumed' });
  expect(faultsOf('S-1', 'S-2', 'S-5')).toEqual([]);
});

test('[S-3, S-4] after all kills every file parses, and its chain is whole', () => {
  tell({ 'S-3': 'corrupt lines', 'S-4': 'faults in the chain' });
  expect(faultsOf('S-3', 'S-4')).toEqual([]);
});

test('[S-6, S-7, S-8] after all kills requests are valid, calls answered once, and nothing ran twice', () => {
  tell({ 'S-6': 'invalid requests', 'S-7': 'calls without their one answer', 'S-8': 'double runs' });
  expect(faultsOf('S-6', 'S-7', 'S-8')).toEqual([]);
});

test(`${points.length} kills fell into every phase of a run`, () => {
  const counts = [...seen].map(([phase, count]) => `${String(count).padStart(5)}  ${phase}`);
  console.log(`killed while it was\n${counts.join('\n')}`);
  // Each phase is aimed at equally often, and not every shot hits.
  const enough = Math.min(ENOUGH, Math.floor(points.length / PHASES.length / 3));
  expect([...seen].filter(([, count]) => count < enough)).toEqual([]);
});
