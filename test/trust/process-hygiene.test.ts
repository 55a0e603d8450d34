import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type AnswerLike, fail, hang, reply, text, toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { inLanes } from '../support/lanes.ts';
import { textsOf, toolResult } from '../support/lines.ts';
import { ORPHAN_LOADS, type OrphanLoad, pidOfLoad } from '../support/orphan-loads.ts';
import { asked } from '../support/permission-answers.ts';
import { makePlace } from '../support/place.ts';
import { descendantsOf, eventually, isAlive, stateOf } from '../support/processes.ts';
import { conversationText } from '../support/requests.ts';
import { figure } from './figures.ts';

const ALLOWED = ['--allowedTools', 'Bash'];
const bash = (command: string, more: object = {}) => toolUse('Bash', { command, ...more });
const loads = Object.keys(ORPHAN_LOADS) as OrphanLoad[];

test('[H-4] a time-out kills the whole tree, of each kind, and the turn goes on', async () => {
  const left = await inLanes(loads, 2, async (load) => {
    const place = await makePlace([bash(ORPHAN_LOADS[load], { timeout: 1500 }), 'So be it.']);
    const cli = startCli([...STREAM_BOTH, ...ALLOWED], { place });
    cli.say('go');
    const pid = await pidOfLoad(place.cwd, load);
    expect(await cli.nextResult(), load).toMatchObject({ subtype: 'success', result: 'So be it.' });
    expect(conversationText(place.api.requests[1]), load).toMatch(/timeout/);
    return isAlive(pid) ? [load] : [];
  });
  figure('H-4', `${loads.length} time-outs, ${left.flat().length} left`);
  expect(left.flat()).toEqual([]);
});

test('[H-5] a hundred commands in ten turns leave no zombies', async () => {
  const ten = Array.from({ length: 10 }, () => bash('echo x | cat & true'));
  const place = await makePlace((_request, at) => (at % 2 === 0 ? ten : 'ok'));
  const cli = startCli([...STREAM_BOTH, ...ALLOWED], { place });
  for (let turn = 0; turn < 10; turn++) {
    cli.say('go');
    await cli.nextResult();
  }
  const ran = cli.lines.filter((line) => toolResult(line)).length;
  const zombies = descendantsOf(cli.pid).filter((pid) => stateOf(pid) === 'Z').length;
  figure('H-5', `${zombies} zombies after ${ran} commands`);
  expect([ran, zombies]).toEqual([100, 0]);
});

test('[H-6] whatever reads stdin gets end-of-file, never the control stream', async () => {
  const readers = [
    'cat',
    'head -c 1',
    'read line; echo "$line"',
    'sh -c cat',
    'cat /dev/stdin',
    'xargs echo',
    `${process.execPath} -`,
  ];
  const place = await makePlace((_request, at) => (at % 2 ? 'ok' : bash(`${readers[at / 2]}; echo after`)));
  const cli = startCli([...STREAM_BOTH, ...ALLOWED], { place });
  const times: number[] = [];
  for (const reader of readers) {
    cli.say('go');
    const started = Date.now();
    const line = await cli.next((each) => toolResult(each) !== undefined);
    times.push(Date.now() - started);
    expect(textsOf(line.message).join('').trim(), reader).toBe('after');
    cli.send({ type: 'keep_alive' }); // what a reader of our stdin would get to see
    await cli.nextResult();
  }
  figure('H-6', `${readers.length} readers of stdin, ${Math.max(...times)} ms at most`);
  expect(Math.max(...times)).toBeLessThan(5000);
});

test('[H-7] daemons that hold the output, or write to it, do not hold the turn, and it is said that they run', async () => {
  const daemons = [
    'echo hello; sleep 600 & exit 0',
    'echo hello; (sleep 600 &)',
    'echo hello; nohup sleep 600 & exit 0',
    'echo hello; setsid sleep 600 & exit 0',
    'echo hello; (while :; do echo tick; sleep 0.1; done) & exit 0',
    `echo hello; (trap '' TERM HUP; sleep 600) & exit 0`,
  ];
  const runs = await inLanes(daemons, 2, async (command) => {
    const place = await makePlace([bash(command), 'ok']);
    const { code, lines } = await runCli([...STREAM_OUT, 'go', ...ALLOWED], { place });
    const [output = ''] = textsOf(lines.find((line) => toolResult(line))?.message);
    const [asking, told] = place.api.requests.map(({ time }) => time);
    return { ms: (told ?? Number.POSITIVE_INFINITY) - (asking ?? 0), code, output };
  });
  figure('H-7', `${runs.length} daemons, ${Math.max(...runs.map(({ ms }) => ms))} ms at most`);
  for (const { ms, code, output } of runs) {
    expect([code, output]).toEqual([0, expect.stringMatching(/^hello\n[\s\S]*still running/)]);
    expect(ms).toBeLessThan(5000);
  }
});

const STATES: Record<string, AnswerLike | null> = {
  'no turn': null,
  'a silent model': hang(),
  'half of an answer': reply([text('half')], { fault: { after: { block: 0 }, how: 'hang' } }),
  'an answer that goes on': reply([text(...Array.from({ length: 2000 }, () => 'x'))], { deltaMs: 20 }),
  'a wait for the next attempt': fail(529, 'overloaded_error', 'busy', { 'retry-after': '60' }),
  'a command': bash('sleep 600'),
  'a command that was read': bash('for i in 1 2 3; do echo "$i" | cat; sleep 600; done'),
};

test('[H-8] SIGTERM ends it within 5 s, whatever it is at', async () => {
  const times = await inLanes(Object.entries(STATES), 2, async ([name, answer]) => {
    const place = await makePlace(() => answer ?? 'never');
    const cli = startCli([...STREAM_BOTH, ...ALLOWED], { place });
    await cli.control({ subtype: 'initialize' });
    if (answer) cli.say('go');
    await eventually(() => !answer || place.api.requests.length === 1);
    await sleep(300); // the answer has arrived, and the command has begun
    return { name, ...(await endOf(cli)) };
  });
  const { cli } = await asked();
  times.push({ name: 'a question', ...(await endOf(cli)) });
  figure('H-8', `${times.length} states, ${Math.max(...times.map(({ ms }) => ms))} ms at most after SIGTERM`);
  for (const { name, ms, code } of times) expect([name, code, ms < 5000]).toEqual([name, 143, true]);
});

async function endOf(cli: ReturnType<typeof startCli>): Promise<{ code: number | null; ms: number }> {
  const started = Date.now();
  cli.kill('SIGTERM');
  const { code } = await cli.finished;
  return { code, ms: Date.now() - started };
}
