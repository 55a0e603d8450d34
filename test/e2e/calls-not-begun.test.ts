import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { apiFaults } from '../support/api-faults.ts';
import { type RunningCli, runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import type { Line } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { bodyOf, conversationText } from '../support/requests.ts';

const isQuestion = ({ type }: Line) => type === 'control_request';

function allow(cli: RunningCli, { request_id }: Line): void {
  const response = { subtype: 'success', request_id, response: { behavior: 'allow' } };
  cli.send({ type: 'control_response', response });
}

/** A run that is killed in the first of two calls: the second waits for the first. */
async function killedInFirstCall(...answers: string[]): Promise<Place> {
  const first = toolUse('Bash', { command: 'echo one >> ran; sleep 60' });
  const second = toolUse('Bash', { command: 'echo two >> ran' });
  const place = await makePlace([[first, second], ...answers]);
  const cli = startCli([...STREAM_BOTH, '--permission-prompt-tool', 'stdio'], { place });
  cli.say('go');
  allow(cli, await cli.next(isQuestion));
  await expect.poll(() => existsSync(join(place.cwd, 'ran')), { timeout: 15_000 }).toBe(true);
  cli.kill('SIGKILL');
  await cli.finished;
  return place;
}

const ran = (place: Place) => readFileSync(join(place.cwd, 'ran'), 'utf8').trim().split('\n');

const CONTINUE = [...STREAM_OUT, '--continue', '--continue-turn', '--allowedTools', 'Bash'];

test('[S-27] a call that had not begun runs when the turn is continued, and the one before it is not run again', async () => {
  const place = await killedInFirstCall('all done', 'again');
  expect(ran(place)).toEqual(['one']);
  const run = await runCli(CONTINUE, { place });
  expect(run.lines.at(-1)).toMatchObject({ subtype: 'success', result: 'all done' });
  expect(ran(place)).toEqual(['one', 'two']);
  const sent = bodyOf(place.api.requests.at(-1)).messages;
  expect(apiFaults(bodyOf(place.api.requests.at(-1)))).toEqual([]);
  const results = sent.flatMap(({ content }) => (typeof content === 'string' ? [] : content)) as { type: string }[];
  const texts = results.filter(({ type }) => type === 'tool_result').map((block) => JSON.stringify(block));
  expect(texts).toHaveLength(2);
  expect(texts[0]).toContain('It may have run in part or not at all');
  expect(texts[1]).not.toContain('is_error":true');

  const again = await runCli([...STREAM_OUT, '--continue', 'and now?'], { place });
  expect(again.lines.at(-1)).toMatchObject({ subtype: 'success', result: 'again' });
  expect(ran(place)).toEqual(['one', 'two']);
});

test('[S-27] after a new message a call that had not begun does not run, and the model is told so', async () => {
  const place = await killedInFirstCall('never mind');
  const run = await runCli([...STREAM_OUT, '--continue', 'something else', '--allowedTools', 'Bash'], { place });
  expect(run.lines.at(-1)).toMatchObject({ subtype: 'success', result: 'never mind' });
  expect(ran(place)).toEqual(['one']);
  const sent = conversationText(place.api.requests.at(-1));
  expect(sent).toContain('before this tool call began: it did not run');
  expect(sent).toContain('It may have run in part or not at all');
});

test('[S-27] a call whose question was open when the process died is asked about again', async () => {
  const place = await makePlace([toolUse('Bash', { command: 'echo one >> ran' }), 'done']);
  const asking = [...STREAM_BOTH, '--permission-prompt-tool', 'stdio'];
  const cli = startCli(asking, { place });
  cli.say('go');
  await cli.next(isQuestion);
  cli.kill('SIGKILL');
  await cli.finished;
  const next = startCli([...asking, '--continue', '--continue-turn'], { place });
  allow(next, await next.next(isQuestion));
  expect(await next.nextResult()).toMatchObject({ subtype: 'success', result: 'done' });
  expect(ran(place)).toEqual(['one']);
  next.endInput();
  expect((await next.finished).code).toBe(0);
  expect(readdirSync(join(place.home, 'locks'))).toEqual([]);
});
