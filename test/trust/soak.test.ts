import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { blocksOf } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { descendantsOf, residentMegabytes, stateOf } from '../support/processes.ts';
import { bodyOf } from '../support/requests.ts';
import { figure } from './figures.ts';
import { trustSize } from './size.ts';

const turns = trustSize('TURNS', 300);

test(`[H-5] ${turns} turns in one process: memory stays bounded, nothing piles up`, async () => {
  const place = await makePlace((request) => {
    const isAnswered = blocksOf(bodyOf(request).messages.at(-1)).some(({ type }) => type === 'tool_result');
    return isAnswered ? 'Counted.' : toolUse('Bash', { command: 'seq 1 20' });
  });
  const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash'], { place });
  const memory: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    cli.say(`turn ${turn}`);
    expect(await cli.nextResult()).toMatchObject({ result: 'Counted.' });
    memory.push(residentMegabytes(cli.pid));
    place.api.requests.length = 0; // each holds the whole conversation, and this process has to stay small, too
  }
  const zombies = descendantsOf(cli.pid).filter((pid) => stateOf(pid) === 'Z').length;
  figure('H-5', `${zombies} zombies after ${turns} turns with a command each`);
  // Not yet the 10 % of L-2: requests are built whole, and the heap grows with the largest of them.
  expect(Math.max(...memory), `it began with ${memory[20]} MB`).toBeLessThan(150);
  expect(zombies).toBe(0);
  expect(descendantsOf(cli.pid).length).toBeLessThan(5);
  cli.endInput();
  expect((await cli.finished).code).toBe(0);
});
