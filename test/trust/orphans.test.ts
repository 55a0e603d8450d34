import { afterAll, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { inLanes } from '../support/lanes.ts';
import { ORPHAN_LOADS, type OrphanLoad, pidOfLoad } from '../support/orphan-loads.ts';
import { endBySignal, RUNNING, serverPids, startRunning, stubbornServer } from '../support/orphan-runs.ts';
import { makePlace } from '../support/place.ts';
import { descendantsOf, eventually, isAlive } from '../support/processes.ts';
import { figure } from './figures.ts';
import { tally } from './tally.ts';

const MOST_MS = 5000;
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;
const loads = Object.keys(ORPHAN_LOADS) as OrphanLoad[];

const isOver = tally(['H-1'], `ends (${RUNNING.length} loads x ${signals.length} signals)`, 'processes left after 6 s');
const isKilled = tally(['H-2'], 'loads, each killed with SIGKILL', 'processes left');
const isEnded = tally(['H-3'], 'normal ends', 'processes left');
const times: number[] = [];
afterAll(() => figure('H-8', `${times.length} ends by a signal, ${Math.max(...times)} ms at most`));

test.each(RUNNING)('[H-1, H-8] four signals leave nothing of what runs: %s', async (running) => {
  const ends = await inLanes(signals, 2, async (signal) => endBySignal(await startRunning(running), signal));
  times.push(...ends.map(({ ms }) => ms));
  isOver(
    ends.flatMap(({ left }) => left),
    ends.length,
  );
  expect(ends.map(({ wasRunning }) => wasRunning)).toEqual(signals.map(() => true));
  expect(Math.max(...ends.map(({ ms }) => ms))).toBeLessThan(MOST_MS);
});

test.each(RUNNING)('[H-2] nor does SIGKILL: %s', async (running) => {
  const { left, wasRunning } = await endBySignal(await startRunning(running), 'SIGKILL');
  isKilled(left);
  expect(wasRunning).toBe(true);
});

test.each(loads)('[H-3] nor does a normal end of what runs in the background: %s', async (load) => {
  const call = toolUse('Bash', { command: ORPHAN_LOADS[load], run_in_background: true });
  const place = await makePlace([call, 'Started.']);
  const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash', '--on-end', 'stop'], { place });
  cli.say('go');
  const pid = await pidOfLoad(place.cwd, load);
  await cli.nextResult();
  expect(isAlive(pid)).toBe(true);
  const all = [pid, ...descendantsOf(cli.pid)];
  cli.endInput();
  expect((await cli.finished).lines.at(-1)).toMatchObject({ terminal_reason: 'background_stopped' });
  await eventually(() => !all.some(isAlive), 6000).catch(() => {});
  isEnded(all.filter(isAlive));
});

test('[H-3] nor does one of a server that ignores it, and of its child', async () => {
  const place = await makePlace(['Done.']);
  const cli = startCli([...STREAM_BOTH, ...stubbornServer(place)], { place });
  cli.say('go');
  const pids = await serverPids(place);
  await cli.nextResult();
  expect(pids.filter(isAlive)).toEqual(pids);
  cli.endInput();
  expect((await cli.finished).code).toBe(0);
  isEnded(pids.filter(isAlive));
});
