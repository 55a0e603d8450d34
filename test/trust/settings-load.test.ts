import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { trustSize } from './size.ts';

const WRITERS = 20;
const rounds = trustSize('ROUNDS', 50);

test(`[R-18, S-24] ${WRITERS} processes that change settings ${rounds} times at once lose nothing, and nobody sees half a file`, async () => {
  const place = await makePlace();
  const file = join(place.home, 'settings.json');
  let isOver = false;
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let round = 0; round < rounds; round++) {
      const { code, stderr } = await runCli(['config', 'set', `env.W${writer}_${round}`, 'x'], { place });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
  });
  const written = Promise.all(writers).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (existsSync(file)) JSON.parse(readFileSync(file, 'utf8'));
  }
  await written;
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).env)).toHaveLength(WRITERS * rounds);
});
