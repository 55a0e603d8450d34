import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { sdk } from '../support/built.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { kindOf, type Line } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { eventually } from '../support/processes.ts';

const BUSY = toolUse('Bash', { command: 'touch began; sleep 600' });
const TASK = toolUse('Bash', { command: 'sleep 0.2; echo done', run_in_background: true });
const ALLOWED = [...STREAM_BOTH, '--allowedTools', 'Bash'];

test('[B-091] interrupt with cancel_queued: what waits is taken back and told, and nothing more runs', async () => {
  const place = await makePlace([BUSY, 'never']);
  const cli = startCli(ALLOWED, { place });
  cli.say('go', { uuid: 'u-go' });
  await eventually(() => existsSync(join(place.cwd, 'began')));
  for (const uuid of ['u-1', 'u-2']) cli.say(`then ${uuid}`, { uuid, priority: 'later' });
  cli.say('and one without a name', { priority: 'later' });
  const { response } = await cli.control({ subtype: 'interrupt', cancel_queued: true });
  expect(response).toEqual({ still_queued: [], cancelled: ['u-1', 'u-2'] });
  expect(await cli.nextResult()).toMatchObject({ subtype: 'error_during_execution', queued_turn_count: 0 });
  cli.endInput();
  const { lines } = await cli.finished;
  expect(statesOf(lines, 'u-1')).toEqual(['queued', 'cancelled']);
  expect(statesOf(lines, 'u-2')).toEqual(['queued', 'cancelled']);
  expect(lines.filter(({ type }) => type === 'result')).toHaveLength(1);
  expect(place.api.requests).toHaveLength(1);
  expect(lines.find((line) => kindOf(line) === 'system/init')?.capabilities).toContain('interrupt_cancel_queued_v1');
});

test('what was taken back may be sent again', async () => {
  const place = await makePlace([BUSY, 'answered']);
  const cli = startCli(ALLOWED, { place });
  cli.say('go');
  await eventually(() => existsSync(join(place.cwd, 'began')));
  cli.say('more', { uuid: '11111111-1111-4111-8111-111111111111', priority: 'later' });
  await cli.control({ subtype: 'interrupt', cancel_queued: true });
  await cli.nextResult();
  cli.say('more', { uuid: '11111111-1111-4111-8111-111111111111' });
  expect(await cli.nextResult()).toMatchObject({ result: 'answered' });
});

test('news of a task that ended wait for the next prompt, and are told then', async () => {
  const place = await makePlace([TASK, BUSY, 'answered', 'noted']);
  const cli = startCli(ALLOWED, { place });
  cli.say('go');
  await eventually(() => existsSync(join(place.cwd, 'began')));
  await cli.next((line) => kindOf(line) === 'system/task_updated');
  await cli.control({ subtype: 'interrupt', cancel_queued: true });
  await cli.nextResult();
  cli.say('go on');
  expect(await cli.nextResult()).toMatchObject({ result: 'answered' });
  expect(await cli.nextResult()).toMatchObject({ result: 'noted', origin: { kind: 'task-notification' } });
  cli.endInput();
  expect((await cli.finished).lines.filter(({ type }) => type === 'result')).toHaveLength(3);
});

test('interrupt({ cancelQueued }) of the SDK', async () => {
  const place = await makePlace([BUSY, 'never']);
  const session = sdk.createSession({ cwd: place.cwd, env: place.env, allowedTools: ['Bash'] });
  await session.send('go');
  await eventually(() => existsSync(join(place.cwd, 'began')));
  const uuid = '22222222-2222-4222-8222-222222222222';
  await session.send({ type: 'user', message: { role: 'user', content: 'later' }, uuid, priority: 'later' });
  expect(await session.interrupt({ cancelQueued: true })).toEqual({ still_queued: [], cancelled: [uuid] });
  await session.close();
  expect(place.api.requests).toHaveLength(1);
});

function statesOf(lines: readonly Line[], uuid: string): unknown[] {
  return lines.filter(({ command_uuid }) => command_uuid === uuid).map(({ state }) => state);
}
