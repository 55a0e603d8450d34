import { expect } from 'vitest';
import type { AnswerLike, FakeApiRequest, Script } from '../../src/testing/index.ts';
import { apiFaultsOf } from './api-faults.ts';
import { type RunningCli, STREAM_BOTH, startCli } from './cli.ts';
import { isResult } from './lines.ts';
import { type Ordeal, PAUSED, type Trouble } from './model-ordeal-suite.ts';
import { makePlace, type Place } from './place.ts';

/** Where an ordeal takes place: a provider whose answers come from a script, and who says which requests were invalid. */
export interface OrdealWorld {
  open(script: Script<FakeApiRequest>): Promise<Place>;
  invalid(place: Place): string[];
}

/** Anthropic's own API. */
const MESSAGES: OrdealWorld = { open: makePlace, invalid: invalidRequests };

/** One session that lives through all troubles of an ordeal, in the given order, and then still answers. */
export async function liveThroughAll({ env, args = [], troubles }: Ordeal, world = MESSAGES): Promise<Place> {
  const queue: AnswerLike[] = [];
  const place = await world.open(() => queue.shift() ?? 'one request too many');
  const cli = startCli([...STREAM_BOTH, ...args], { place, ...(env && { env }) });
  for (const trouble of troubles) await liveThrough(trouble, { cli, place, queue });
  queue.push('Still here.');
  cli.say('are you there?');
  expect(await cli.nextResult()).toMatchObject({ subtype: 'success', is_error: false, result: 'Still here.' });
  cli.endInput();
  const { code, stderr } = await cli.finished;
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(world.invalid(place)).toEqual([]);
  return place;
}

async function liveThrough(
  { name, answers, result: expected, and }: Trouble,
  { cli, place, queue }: { cli: RunningCli; place: Place; queue: AnswerLike[] },
): Promise<void> {
  const [linesBefore, requestsBefore] = [cli.lines.length, place.api.requests.length];
  queue.push(...answers);
  cli.say(name);
  const result = await cli.nextResult();
  const lines = cli.lines.slice(linesBefore);
  const requests = place.api.requests.slice(requestsBefore);
  const said = result.result ?? (result.errors as string[] | undefined)?.[0] ?? '';
  expect(lines.filter(isResult).length, name).toBe(1);
  expect(requests.length, name).toBe(answers.length);
  if (typeof expected === 'string') expect(said, name).toBe(expected);
  else expect(said, name).toMatch(expected);
  and?.({ lines, requests, place });
}

/** What is wrong with any request of the run (trust M-15). */
export function invalidRequests({ api }: Place): string[] {
  return apiFaultsOf(api.requests, { pause: PAUSED });
}
