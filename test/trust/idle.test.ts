import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type FakeApiRequest, type Script, toolUse } from '../../src/testing/index.ts';
import { cast } from '../support/cast.ts';
import { type RunningCli, STREAM_BOTH, startCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { residentMegabytes } from '../support/processes.ts';
import { always, createTeam, startMate } from '../support/team-play.ts';
import { figure } from './figures.ts';

const WATCHED_MS = 5000;
/** By then idle connections are closed, and V8 has tidied its heap, which it does once, eight seconds after the work. */
const SETTLED_MS = 11_000;

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

const WORK: Record<string, Script<FakeApiRequest>> = {
  'nothing yet': [],
  'a turn with tools': [toolUse('Bash', { command: 'seq 3' }), 'done'],
  'a background command': [toolUse('Bash', { command: 'sleep 600', run_in_background: true }), 'done'],
  'a team whose members are idle': cast<FakeApiRequest>({
    LEAD: [createTeam(), [startMate('one', 'MATE go'), startMate('two', 'MATE go')], 'done', ...always(() => 'Noted.')],
    MATE: ['I wait.'],
  }),
};

/** A session that has done this and waits for input since. */
async function sessionAfter(script: Script<FakeApiRequest>): Promise<RunningCli> {
  const place = await makePlace(script);
  const cli = startCli([...STREAM_BOTH, '--teams', '--allowedTools', 'Bash'], { place });
  await cli.control({ subtype: 'initialize' });
  if (script.length > 0) {
    cli.say('LEAD go');
    await cli.nextResult();
  }
  return cli;
}

test('[L-2, STD-04, TEAM-04] sessions that wait for input do nothing: no timers, no CPU, no growth', async () => {
  const sessions = await Promise.all(Object.values(WORK).map(sessionAfter));
  await sleep(SETTLED_MS);
  const facts = () => sessions.map(({ pid }) => ({ ...doneBy(pid), megabytes: residentMegabytes(pid) }));
  const before = facts();
  await sleep(WATCHED_MS);
  const seen = facts();
  figure(
    'L-2',
    `${seen.length} idle sessions, ${Math.ceil(Math.max(...seen.map((each) => each.megabytes)))} MB at most`,
  );
  for (const [at, after] of seen.entries()) {
    const what = `after ${Object.keys(WORK)[at]}`;
    expect(after.ticks - (before[at]?.ticks ?? 0), what).toBeLessThanOrEqual(1);
    expect(after.wakeups - (before[at]?.wakeups ?? 0), what).toBeLessThanOrEqual(1);
    expect(after.megabytes, what).toBeLessThan(120);
    expect(after.megabytes - (before[at]?.megabytes ?? 0), what).toBeLessThan(1);
  }
});
