import { afterAll, describe, expect, test } from 'vitest';
import { type AnswerLike, fail, hang, reply, text } from '../../src/testing/index.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { DOOR_FAULTS, type DoorFault, flakyDoor } from '../support/flaky-door.ts';
import { seededRandom } from '../support/fuzz.ts';
import { inLanes } from '../support/lanes.ts';
import { isResult } from '../support/lines.ts';
import { FINE, ORDEALS } from '../support/model-ordeal-suite.ts';
import { invalidRequests, liveThroughAll } from '../support/model-ordeals-run.ts';
import { makePlace } from '../support/place.ts';
import { conversationText } from '../support/requests.ts';
import { figure } from './figures.ts';
import { trustSize } from './size.ts';

const seed = trustSize('SEED', 1);
const limit = (headers: Record<string, string>) => fail(429, 'rate_limit_error', 'slow down', headers);
const SOON = { 'retry-after-ms': '1' };

/** All that the sessions of this file have sent, each looked at. */
let requests = 0;
let invalid = 0;
afterAll(() => figure('M-15', `${requests} requests, ${invalid} invalid`));

describe('each kind of trouble, in one session, in an order of its own', () => {
  test.each(ORDEALS.map((ordeal) => [ordeal.title, ordeal] as const))('%s', async (title, ordeal) => {
    const troubles = shuffled(ordeal.troubles, seededRandom(seed));
    const place = await liveThroughAll({ ...ordeal, troubles });
    const most = Math.max(...troubles.map(({ answers }) => answers.length));
    const id = /M-\d+/.exec(title)?.[0] ?? '';
    figure(id, `cases lived through: ${troubles.length}; requests a case: ${most} at most`);
    requests += place.api.requests.length;
  });
});

describe('what is tried again', () => {
  test('[M-1] connections that break before an answer begins', async () => {
    const faults = Object.keys(DOOR_FAULTS) as DoorFault[];
    const runs = await inLanes(faults, 2, async (fault) => {
      const place = await makePlace([FINE]);
      const door = await flakyDoor(place.api.url, [fault, fault]);
      const { code, stdout } = await runCli(['-p', 'go'], { place, env: { ANTHROPIC_BASE_URL: door.url } });
      return { fault, code, stdout, broken: door.broken(), requests: place.api.requests.length };
    });
    figure(
      'M-1',
      `${faults.length} kinds of broken connections, ${runs.filter(({ code }) => code === 0).length} recovered`,
    );
    expect(runs).toEqual(faults.map((fault) => ({ fault, code: 0, stdout: `${FINE}\n`, broken: 2, requests: 1 })));
  });

  test('[M-2] retry-after, in seconds, in milliseconds and as a date, is kept', async () => {
    const waits: [Record<string, string>, number][] = [
      [{ 'retry-after': '1' }, 1000],
      [{ 'retry-after': '2' }, 2000],
      [{ 'retry-after': '4' }, 4000],
      [{ 'retry-after-ms': '2500' }, 2500],
    ];
    const gaps = await inLanes(waits, waits.length, async ([headers, stated]) => {
      const place = await makePlace([limit(headers), FINE]);
      await runCli(['-p', 'go'], { place });
      return { stated, waited: gapsOf(place.api.requests)[0] ?? 0 };
    });
    const dated = await afterDate(3000);
    figure('M-2', [...gaps, dated].map(({ stated, waited }) => `${waited} of ${stated} ms`).join(', '));
    for (const { stated, waited } of [...gaps, dated]) expect(waited).toBeGreaterThanOrEqual(stated - 5);
  });
});

/** A retry-after that names the moment, so many milliseconds from now; HTTP dates have whole seconds. */
async function afterDate(ms: number): Promise<{ stated: number; waited: number }> {
  let moment = 0;
  const place = await makePlace((_request, at) => {
    if (at > 0) return FINE;
    moment = Math.floor((Date.now() + ms) / 1000) * 1000;
    return limit({ 'retry-after': new Date(moment).toUTCString() });
  });
  await runCli(['-p', 'go'], { place });
  const [first, second] = place.api.requests.map(({ time }) => time);
  return { stated: moment - (first ?? 0), waited: (second ?? 0) - (first ?? 0) };
}

describe('what is given up', () => {
  test('[M-3] a wait beyond the cap: at once, and aloud', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toUTCString();
    const waits = ['601', '3600', '86400', '99999999999', tomorrow];
    const times: number[] = [];
    for (const wait of waits) {
      const place = await makePlace([limit({ 'retry-after': wait })]);
      const cli = startCli(STREAM_BOTH, { place });
      cli.say('go');
      expect(await cli.nextResult()).toMatchObject({ is_error: true, result: expect.stringContaining('429') });
      times.push(Date.now() - (place.api.requests[0]?.time ?? 0));
      cli.endInput();
      expect((await cli.finished).code).toBe(1);
    }
    figure('M-3', `${waits.length} waits beyond the cap, given up after ${Math.max(...times)} ms at most`);
    expect(Math.max(...times)).toBeLessThan(1000);
  });

  test('[M-3] 429 for ever: eleven requests, or as many as CLAUDE_CODE_MAX_RETRIES says, on the schedule', async () => {
    const always = await makePlace(() => limit(SOON));
    expect((await runCli(['-p', 'go'], { place: always })).code).toBe(1);
    const own = await makePlace(() => limit({}));
    expect((await runCli(['-p', 'go'], { place: own, env: { CLAUDE_CODE_MAX_RETRIES: '4' } })).code).toBe(1);
    const gaps = gapsOf(own.api.requests);
    figure('M-3', `429 for ever: ${always.api.requests.length} requests; waits of ${gaps.join(', ')} ms`);
    expect(always.api.requests.length).toBe(11);
    expect(gaps.length).toBe(4);
    for (const [at, gap] of gaps.entries()) {
      expect(gap).toBeGreaterThanOrEqual(500 * 2 ** at - 5);
      expect(gap).toBeLessThan(500 * 2 ** at * 1.25 + 1000);
    }
  });

  test('[M-6] silence, at each of two attempts: within twice the limit for each', async () => {
    const timeout = 1500;
    const silent = (after: { events: number } | { block: number }, how: 'hang' | { pings: { everyMs: number } }) =>
      reply([text('half an', ' answer')], { fault: { after, how } });
    const silences: Record<string, AnswerLike> = {
      'before the head': hang(),
      'after the head': silent({ events: 0 }, 'hang'),
      'in a text': silent({ block: 0 }, 'hang'),
      'nothing but pings': silent({ block: 0 }, { pings: { everyMs: 50 } }),
    };
    const env = { API_TIMEOUT_MS: String(timeout), CLAUDE_CODE_MAX_RETRIES: '1' };
    const runs = await inLanes(Object.values(silences), 4, async (answer) => {
      const place = await makePlace(() => answer);
      const { code } = await runCli(['-p', 'go'], { place, env });
      return { code, tries: place.api.requests.length, ms: Date.now() - (place.api.requests[0]?.time ?? 0) };
    });
    figure(
      'M-6',
      `${runs.length} kinds of silence, ${Math.max(...runs.map(({ ms }) => ms))} ms at most for 2 tries of ${timeout} ms`,
    );
    for (const { code, tries, ms } of runs) {
      expect([code, tries]).toEqual([1, 2]);
      expect(ms).toBeLessThan(2 * timeout * tries);
    }
  });

  test('[M-7] slow but alive, for ten times the limit, is not', async () => {
    const pieces = Array.from({ length: 40 }, (_, at) => `${at} `);
    const place = await makePlace([reply([text(...pieces)], { deltaMs: 300 })]);
    const { code, stdout } = await runCli(['-p', 'go'], { place, env: { API_TIMEOUT_MS: '1200' } });
    figure('M-7', `12 s of 300 ms steps with a limit of 1.2 s: ${place.api.requests.length} request`);
    expect([code, stdout, place.api.requests.length]).toEqual([0, `${pieces.join('')}\n`, 1]);
  });
});

describe('any of it', () => {
  const everything = ORDEALS.flatMap(({ env, troubles }) => troubles.map((trouble) => ({ ...trouble, env })));

  test('[P-17] the exit code is an error exactly when the result is one, in each format', async () => {
    const runs = await inLanes(everything, 3, async ({ name, answers, env }) => {
      const run = async (...flags: string[]) => {
        const place = await makePlace(answers);
        return runCli([...flags, 'go', '--allowedTools', 'Bash'], { place, env: { ...env } });
      };
      const streamed = await run(...STREAM_OUT);
      const json = await run('-p', '--output-format', 'json');
      const text = await run('-p');
      const said = JSON.parse(json.stdout) as { is_error: boolean };
      // A text does not say what it is: there the result of the same trouble in another format counts.
      const isError = [streamed.lines.findLast(isResult)?.is_error, said.is_error, said.is_error];
      return {
        name,
        isError,
        failed: [streamed, json, text].map(({ code }) => code !== 0),
        isSilent: text.stdout === '',
      };
    });
    const wrong = runs.filter((run) => run.isSilent || run.isError.join() !== run.failed.join());
    const errors = runs.filter(({ isError }) => isError[0]).length;
    figure(
      'P-17',
      `${runs.length} endings in 3 formats, ${errors} of them errors, ${wrong.length} with a wrong exit code`,
    );
    expect(wrong).toEqual([]);
    expect(errors).toBeGreaterThan(15);
  });

  test.each([0, 1])(
    `[M-15, P-14] 80 troubles at random in one session, seed ${seed} + %i: requests stay valid, also after a resume`,
    async (more) => {
      const random = seededRandom(seed + more);
      let queue: AnswerLike[] = [];
      const place = await makePlace(() => queue.shift() ?? FINE);
      const env = { API_TIMEOUT_MS: '400', CLAUDE_CODE_MAX_RETRIES: '2' };
      const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash'], { place, env });
      for (let turn = 0; turn < 80; turn++) {
        const trouble = everything[Math.floor(random() * everything.length)];
        queue = [...(trouble?.answers ?? [])];
        cli.say(`turn ${turn}`);
        await cli.nextResult();
      }
      cli.endInput();
      const { lines } = await cli.finished;
      queue = [];
      const resumed = await runCli([...STREAM_OUT, 'once more', '--resume', String(lines.at(-1)?.session_id)], {
        place,
      });
      const faults = invalidRequests(place);
      requests += place.api.requests.length;
      invalid += faults.length;
      expect(faults).toEqual([]);
      expect(lines.filter(isResult).length).toBe(80);
      expect(resumed.lines.at(-1)).toMatchObject({ result: FINE });
      expect(conversationText(place.api.requests.at(-1))).toMatch(/turn 0\b[\s\S]*turn 79\b[\s\S]*once more/);
    },
  );
});

function gapsOf(requests: readonly { time: number }[]): number[] {
  return requests.slice(1).map(({ time }, at) => time - (requests[at]?.time ?? 0));
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
