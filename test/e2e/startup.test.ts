import { expect, test } from 'vitest';
import type { SDKMessage } from '../../src/sdk/index.ts';
import { sdk } from '../support/built.ts';
import { CLI } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';

test('[B-109] the first message of a real agent comes sooner than from a cold one', async () => {
  const place = await makePlace(() => 'fine');
  const options = { cwd: place.cwd, env: place.env, pathToHeddleExecutable: CLI };
  const firstMessage = async (run: AsyncIterator<SDKMessage>): Promise<number> => {
    const start = performance.now();
    await run.next();
    const took = performance.now() - start;
    await run.return?.();
    return took;
  };
  const times = { cold: Number.POSITIVE_INFINITY, warm: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 3; round++) {
    const warm = await sdk.startup({ options });
    const run = warm.query('hello');
    expect(() => process.kill(run.pid ?? -1, 0)).not.toThrow();
    times.warm = Math.min(times.warm, await firstMessage(run));
    times.cold = Math.min(times.cold, await firstMessage(sdk.query({ prompt: 'hello', options })));
  }
  expect(times.warm, `${times.cold} ms cold`).toBeLessThan(times.cold);
});
