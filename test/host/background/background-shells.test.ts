import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import { eventually, isAlive } from '../../support/processes.ts';
import { createHouse } from '../support.ts';

test('[H-3] background commands end with their session, those of other sessions go on', async () => {
  const wait = (name: string) =>
    toolUse('Bash', { command: `echo $$ > ${name}; exec sleep 60`, run_in_background: true });
  const house = createHouse([wait('first'), 'started', wait('second'), 'started']);
  const pidIn = async (name: string) => {
    const read = () => Number(existsSync(join(house.dir, name)) && readFileSync(join(house.dir, name), 'utf8'));
    await eventually(() => read() > 0);
    return read();
  };
  const config = { allowedTools: ['Bash'], onEnd: 'stop' as const };
  const [first, second] = [house.connect(config), house.connect(config)];
  await first.ask('go');
  await second.ask('go');
  const pids = [await pidIn('first'), await pidIn('second')];
  expect(pids.map(isAlive)).toEqual([true, true]);
  await first.end();
  expect(pids.map(isAlive)).toEqual([false, true]);
});
