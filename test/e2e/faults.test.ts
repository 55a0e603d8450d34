import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fail, raw, reply, startFakeApi, text, toolUse } from '../../src/testing/index.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import type { Line } from '../support/lines.ts';
import { FINE, ORDEALS } from '../support/model-ordeal-suite.ts';
import { invalidRequests, liveThroughAll } from '../support/model-ordeals-run.ts';
import { makePlace, type Place } from '../support/place.ts';
import { conversationText } from '../support/requests.ts';
import { storedEntries } from '../support/session-files.ts';
import { requestsUntilTooLong } from '../support/too-long.ts';

describe('what the model API does wrong', () => {
  test.each(ORDEALS.map((ordeal) => [ordeal.title, ordeal] as const))('%s', async (_title, ordeal) => {
    await liveThroughAll(ordeal);
  });
});

test('[M-2] retry-after is kept to the second', async () => {
  const place = await makePlace([fail(429, 'rate_limit_error', 'slow', { 'retry-after': '1' }), FINE]);
  expect(await ask(place)).toMatchObject({ result: FINE });
  const [first = 0, second = 0] = place.api.requests.map(({ time }) => time);
  expect(second - first).toBeGreaterThanOrEqual(995);
});

test('[K27, M-5, S-8] what a dead attempt had completed is called superseded, kept aside, and never sent', async () => {
  const dead = [text('First look.'), toolUse('Bash', { command: 'touch canary' }), text('half')];
  const place = await makePlace([reply(dead, { fault: { after: { block: 2 }, how: 'cut' } }), FINE, 'Again.']);
  const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash'], { place });
  cli.say('go');
  expect(await cli.nextResult()).toMatchObject({ result: FINE });
  cli.say('again');
  await cli.nextResult();
  const [text1, call] = cli.lines.filter(({ type }) => type === 'assistant');
  const superseded = cli.lines.find(({ subtype }) => subtype === 'superseded');
  expect(superseded?.superseded_uuids).toEqual([text1?.uuid, call?.uuid]);
  expect(storedEntries(place).map(({ uuid }) => uuid)).toEqual(expect.arrayContaining([text1?.uuid, call?.uuid]));
  expect(conversationText(place.api.requests[2])).not.toContain('First look.');
  expect(existsSync(join(place.cwd, 'canary'))).toBe(false);
  expect(invalidRequests(place)).toEqual([]);
});

test('[M-12] 20 MB arrive whole, and 30 MB of a tool go to the model in part', async () => {
  const piece = 'weft 🧵 and warp '.repeat(60_000);
  const pieces = Array.from({ length: 20 }, (_, at) => `${at} ${piece}`);
  const command = `${process.execPath} -e "process.stdout.write('x'.repeat(30e6))"`;
  const place = await makePlace([toolUse('Bash', { command }), reply([text(...pieces)])]);
  const result = await ask(place, '--allowedTools', 'Bash');
  expect(result.result === pieces.join('')).toBe(true);
  expect(place.api.requests[1]?.text.length).toBeLessThan(2e6);
  expect(invalidRequests(place)).toEqual([]);
});

test('[M-13] a conversation that nothing makes fit ends with an error, after five requests at most', async () => {
  const tooLong = fail(400, 'invalid_request_error', 'prompt is too long: 201000 tokens > 200000 maximum');
  expect(await requestsUntilTooLong(tooLong)).toBeLessThanOrEqual(5);
});

test('[M-14] the key does not follow a redirect to another origin', async () => {
  const thief = await startFakeApi(['stolen']);
  const place = await makePlace([raw('', { status: 307, headers: { location: `${thief.url}/v1/messages` } })]);
  expect(await ask(place)).toMatchObject({ is_error: true });
  expect(thief.requests).toEqual([]);
  await thief.close();
});

async function ask(place: Place, ...args: string[]): Promise<Line> {
  const cli = startCli([...STREAM_BOTH, ...args], { place });
  cli.say('go');
  const result = await cli.nextResult();
  cli.endInput();
  await cli.finished;
  return result;
}
