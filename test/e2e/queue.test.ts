import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { eventually } from '../support/processes.ts';
import { readEntries, sessionFile } from '../support/session-files.ts';

test('[K26, S-5] what is queued when a signal ends everything is on disk and called cancelled', async () => {
  const place = await makePlace([toolUse('Bash', { command: 'touch started; sleep 600' })]);
  const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash'], { place });
  cli.say('go');
  await eventually(() => existsSync(join(place.cwd, 'started')));
  const uuid = 'aaaaaaaa-0000-4000-8000-000000000001';
  cli.send({ type: 'user', uuid, message: { role: 'user', content: 'and then the other thing' } });
  await cli.next((line) => line.type === 'command_lifecycle');
  cli.kill('SIGTERM');
  expect((await cli.finished).code).toBe(143);
  const lifecycle = cli.lines.filter(({ type }) => type === 'command_lifecycle');
  expect(lifecycle).toMatchObject([
    { command_uuid: uuid, state: 'queued' },
    { command_uuid: uuid, state: 'cancelled' },
  ]);
  const [result] = cli.lines.filter(({ type }) => type === 'result');
  const queue = readEntries(sessionFile(place, String(result?.session_id))).filter(
    ({ type }) => type === 'queue-operation',
  );
  expect(queue.slice(-2)).toMatchObject([
    { operation: 'enqueue', content: 'and then the other thing' },
    { operation: 'remove' },
  ]);
});
