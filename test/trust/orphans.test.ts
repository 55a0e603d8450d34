import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { ORPHAN_LOADS, type OrphanLoad, pidOfLoad } from '../support/orphan-loads.ts';
import { makePlace } from '../support/place.ts';
import { descendantsOf, eventually, isAlive } from '../support/processes.ts';

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const;
const loads = Object.keys(ORPHAN_LOADS) as OrphanLoad[];

test.each(signals.flatMap((signal) => loads.map((load) => ({ signal, load }))))(
  '[H-1, H-2, H-8] $signal leaves nothing of a command: $load',
  async ({ signal, load }) => {
    const place = await makePlace([toolUse('Bash', { command: ORPHAN_LOADS[load] })]);
    const cli = startCli([...STREAM_OUT, 'go', '--allowedTools', 'Bash'], { place });
    const pid = await pidOfLoad(place.cwd, load);
    const all = [pid, ...descendantsOf(cli.pid)];
    expect(isAlive(pid)).toBe(true);
    const started = Date.now();
    cli.kill(signal);
    await cli.finished;
    expect(Date.now() - started).toBeLessThan(5000);
    await eventually(() => !all.some(isAlive), 6000 - (Date.now() - started));
  },
);

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
  await eventually(() => !all.some(isAlive), 6000);
});
