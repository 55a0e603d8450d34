import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { blocksOf, textsOf } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { bodyOf } from '../support/requests.ts';
import { batches, trustSize } from './size.ts';

const rounds = trustSize('ROUNDS', 100);
const COMMANDS = 8;

let busy: ChildProcess[] = [];
beforeAll(() => {
  busy = [1, 2].map(() => spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }));
});
afterAll(() => {
  for (const each of busy) each.kill('SIGKILL');
});

test.each(batches(rounds, 25))(
  '[K36] eight commands of 0.5 s together on a busy machine give all eight outputs, rounds $from to $to',
  async ({ from, to }) => {
    let round = from;
    const place = await makePlace((request) => {
      const isAnswered = blocksOf(bodyOf(request).messages.at(-1)).some(({ type }) => type === 'tool_result');
      return isAnswered ? 'Done.' : Array.from({ length: COMMANDS }, (_, n) => call(`${round}-${n}`));
    });
    const cli = startCli(STREAM_BOTH, { place });
    for (; round < to; round++) {
      cli.forget();
      const started = Date.now();
      cli.say('go');
      await cli.nextResult();
      const outputs = cli.lines.filter(({ type }) => type === 'user').flatMap(({ message }) => textsOf(message));
      const expected = Array.from({ length: COMMANDS }, (_, n) => `out ${round}-${n}`);
      expect(outputs.sort(), `round ${round}`).toEqual(expected);
      expect(Date.now() - started, `round ${round}: one after the other would take 4 s`).toBeLessThan(3500);
      place.api.requests.length = 0; // each holds the whole conversation
    }
  },
);

function call(name: string) {
  return toolUse('Bash', { command: `sleep 0.5 && echo out ${name}` });
}
