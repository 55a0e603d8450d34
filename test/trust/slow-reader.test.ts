import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { reply, text } from '../../src/testing/index.ts';
import { STREAM_OUT, startCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';

test.each([
  ['text', ['-p', 'go']],
  ['stream-json', [...STREAM_OUT, 'go', '--include-partial-messages']],
])('[P-16, P-19, M-12] %s: an answer of 20 MB through a reader that stalls for 12 s', async (format, args) => {
  const pieces = Array.from({ length: 2000 }, (_, at) => `${at} ${'warp and weft, '.repeat(680)}`);
  const place = await makePlace([reply([text(...pieces)])]);
  const cli = startCli(args, { place });
  cli.endInput();
  cli.child.stdout?.pause();
  await sleep(12_000);
  cli.child.stdout?.resume();
  const { code, stdout, lines } = await cli.finished;
  const answer = format === 'text' ? stdout.slice(0, -1) : lines.at(-1)?.result;
  expect([code, answer === pieces.join('')]).toEqual([0, true]);
});
