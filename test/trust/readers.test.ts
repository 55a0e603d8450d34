import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { reply, text, toolUse } from '../../src/testing/index.ts';
import { STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { inLanes } from '../support/lanes.ts';
import { ORPHAN_LOADS, pidOfLoad } from '../support/orphan-loads.ts';
import { makePlace } from '../support/place.ts';
import { eventually, isAlive, peakMegabytes } from '../support/processes.ts';
import { leaveReader } from '../support/reader-gone.ts';
import { figure } from './figures.ts';

const STALL_MS = 12_000;

describe('a slow reader', () => {
  const MOST_MEGABYTES = 400;
  const PARTIAL = '--include-partial-messages';
  const pieces = (count: number) => Array.from({ length: count }, (_, at) => `${at} ${'warp and weft, '.repeat(680)}`);
  const FACES: { face: string; args: string[]; megabytes: number }[] = [
    { face: 'print', args: [...STREAM_OUT, 'go', PARTIAL], megabytes: 2 },
    { face: 'protocol', args: [...STREAM_BOTH, PARTIAL], megabytes: 2 },
    { face: 'text', args: ['-p', 'go'], megabytes: 20 },
    { face: 'json', args: ['-p', 'go', '--output-format', 'json'], megabytes: 20 },
    { face: 'print', args: [...STREAM_OUT, 'go', PARTIAL], megabytes: 20 },
    { face: 'protocol', args: STREAM_BOTH, megabytes: 20 },
  ];

  test('[P-16, P-19, M-12] that stalls for 12 s gets every byte of 2 and of 20 MB, and memory stays bounded', async () => {
    const runs = await inLanes(FACES, FACES.length, async ({ face, args, megabytes }) => {
      const answer = pieces(megabytes * 100);
      const place = await makePlace([reply([text(...answer)])]);
      const cli = startCli(args, { place });
      if (face === 'protocol') cli.say('go');
      cli.endInput();
      cli.child.stdout?.pause();
      await eventually(() => place.api.requests.length === 1);
      await sleep(STALL_MS);
      const peak = peakMegabytes(cli.pid);
      const isWaiting = isAlive(cli.pid);
      cli.child.stdout?.resume();
      const { code, stdout, lines } = await cli.finished;
      const got = face === 'text' ? stdout.slice(0, -1) : String(lines.at(-1)?.result);
      const lost = answer.join('').length - got.length;
      const isWhole = got === answer.join('');
      const deltas = lines.filter(({ event }) => event?.type === 'content_block_delta').length;
      return {
        face,
        megabytes,
        peak,
        isWaiting,
        code,
        isWhole,
        lost,
        missing: args.includes(PARTIAL) ? answer.length - deltas : 0,
      };
    });
    const small = runs.filter(({ megabytes }) => megabytes === 2);
    const peak = Math.round(Math.max(...small.map((run) => run.peak)));
    const lost = runs.map((run) => run.lost).reduce((sum, each) => sum + each, 0);
    figure('P-16', `${small.length} faces, 12 s stall, 2 MB, ${peak} MB at most`);
    figure('P-19', `${runs.length} faces, 20 MB answer, 12 s stall: ${lost} bytes lost`);
    for (const run of runs) {
      expect(run).toMatchObject({ isWaiting: true, code: 0, isWhole: true, missing: 0 });
    }
    expect(peak).toBeLessThan(MOST_MEGABYTES);
  });
});

describe('a reader that is gone', () => {
  const bash = (command: string) => toolUse('Bash', { command });
  /** What goes on when it leaves; only the runtime can end each of them. */
  const WORK = {
    'tool calls without an end': () => () => bash('true'),
    'a large answer': () => () => reply([text(...Array.from({ length: 400 }, () => 'x'.repeat(10_000)))]),
    'an answer that goes on and on': () => () =>
      reply([text(...Array.from({ length: 2000 }, () => 'x'))], { deltaMs: 20 }),
    'commands that stay': () => (_request: unknown, at: number) => (at === 0 ? bash(LEAVES) : bash('true')),
  };
  const LEAVES = `${ORPHAN_LOADS.setsid.replace(/& sleep 600$/, '&')} sleep 0.2`;
  const FACES = {
    print: [...STREAM_OUT, 'go'],
    protocol: STREAM_BOTH,
  };
  const cases = Object.keys(FACES).flatMap((face) => Object.keys(WORK).map((work) => ({ face, work })));

  test('[P-15] the run ends, leaves nothing, and asks for no more', async () => {
    const ends = await inLanes(cases, 2, async ({ face, work }) => {
      const place = await makePlace(WORK[work as keyof typeof WORK]());
      const args = FACES[face as keyof typeof FACES];
      const cli = startCli([...args, '--include-partial-messages', '--allowedTools', 'Bash'], { place });
      if (face === 'protocol') cli.say('go');
      await eventually(() => place.api.requests.length >= (work.includes('answer') ? 1 : 2));
      const stays = work === 'commands that stay' ? [await pidOfLoad(place.cwd, 'setsid')] : [];
      const { left, ...end } = await leaveReader(cli, place);
      return { face, work, ...end, left: [...left, ...stays.filter(isAlive)], stderr: cli.stderr };
    });
    const most = (of: (end: (typeof ends)[number]) => number) => Math.max(...ends.map(of));
    const left = ends.flatMap((end) => end.left).length;
    figure(
      'P-15',
      `${ends.length} runs, ${most(({ ms }) => ms)} ms and ${most((end) => end.requests)} requests at most, ${left} left`,
    );
    for (const end of ends) {
      expect(end.ms, JSON.stringify(end)).toBeLessThan(5000);
      expect(end.requests, JSON.stringify(end)).toBeLessThanOrEqual(5);
      expect([end.code, end.left, end.stderr], JSON.stringify(end)).toEqual([expect.any(Number), [], '']);
      expect(end.code).not.toBe(0);
    }
  });

  test.each(['text', 'json', 'stream-json'])(
    '[P-15, P-19] %s: an answer that nobody took is no success',
    async (format) => {
      const place = await makePlace([reply([text('unheard')], { waitMs: 100 })]);
      const cli = startCli(['-p', 'go', '--output-format', format, '--verbose'], { place });
      cli.endInput();
      await eventually(() => place.api.requests.length === 1);
      expect(await leaveReader(cli, place)).toMatchObject({ code: 1, requests: 0, left: [] });
    },
  );
});
