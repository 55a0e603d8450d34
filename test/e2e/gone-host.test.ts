import { expect, test } from 'vitest';
import { reply, text } from '../../src/testing/index.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';

test('[P-15] [H-3] an agent whose host went away in the middle of a large answer ends', async () => {
  const place = await makePlace(() => reply([text('x'.repeat(3_000_000))]));
  const cli = startCli(STREAM_BOTH, { place });
  cli.child.stdout?.pause();
  cli.say('go');
  await new Promise((resolve) => setTimeout(resolve, 700));
  cli.child.stdout?.destroy();
  cli.child.stdin?.destroy();
  const ended = new Promise<boolean>((resolve) => {
    cli.child.once('exit', () => resolve(true));
    setTimeout(() => resolve(false), 5000);
  });
  expect(await ended).toBe(true);
});
