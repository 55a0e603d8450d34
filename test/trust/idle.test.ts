import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { type RunningCli, STREAM_BOTH, startCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { residentMegabytes } from '../support/processes.ts';

const WATCHED_MS = 5000;

/** What a process has done so far: clock ticks of all its threads, and how often its main thread was woken. */
function doneBy(pid: number): { ticks: number; wakeups: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  const status = readFileSync(`/proc/${pid}/task/${pid}/status`, 'utf8');
  return {
    ticks: (user ?? 0) + (system ?? 0),
    wakeups: Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]),
  };
}

/** Lets what a turn has left settle: idle connections close, the heap is tidied. */
async function settle(cli: RunningCli): Promise<void> {
  let before = doneBy(cli.pid);
  for (let quiet = 0; quiet < 3; ) {
    await sleep(1000);
    const now = doneBy(cli.pid);
    quiet = now.wakeups - before.wakeups <= 1 ? quiet + 1 : 0;
    before = now;
  }
}

const WORK = {
  'nothing yet': { script: [], turns: 0 },
  'a turn with tools': { script: [toolUse('Bash', { command: 'seq 3' }), 'done'], turns: 1 },
  'a background command': {
    script: [toolUse('Bash', { command: 'sleep 600', run_in_background: true }), 'done'],
    turns: 1,
  },
} as const;

test.each(Object.keys(WORK) as (keyof typeof WORK)[])(
  '[H-5, STD-04] a session that waits for input does nothing: no timers, no CPU, no growth; it has done: %s',
  async (name) => {
    const { script, turns } = WORK[name];
    const place = await makePlace([...script]);
    const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash'], { place });
    await cli.control({ subtype: 'initialize' });
    for (let turn = 0; turn < turns; turn++) {
      cli.say('go');
      await cli.nextResult();
    }
    await settle(cli);
    const [before, memory] = [doneBy(cli.pid), residentMegabytes(cli.pid)];
    await sleep(WATCHED_MS);
    const after = doneBy(cli.pid);
    expect(after.ticks - before.ticks).toBeLessThanOrEqual(1);
    expect(after.wakeups - before.wakeups).toBeLessThanOrEqual(3);
    expect(residentMegabytes(cli.pid) - memory).toBeLessThan(1);
    cli.say('still there?');
    await cli.nextResult();
  },
);
