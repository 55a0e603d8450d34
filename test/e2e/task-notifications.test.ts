import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import { cast, lastText } from '../support/cast.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { kindOf } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { eventually } from '../support/processes.ts';

test.each([
  ['completed', 'echo all is well'],
  ['failed', 'echo all is lost; exit 3'],
  ['stopped', 'echo all is well; sleep 600'],
])(
  '[MSG-02, FLD-31] a command in the background that has %s is told, with its file and a summary',
  async (status, command) => {
    const call = toolUse('Bash', { command, run_in_background: true, description: 'some work' });
    const place = await makePlace(cast<FakeApiRequest>({ MAIN: [call, 'I go on.', 'I heard of it.'] }));
    const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash'], { place });
    cli.say('MAIN go');
    await cli.nextResult();
    const task_id = cli.lines.find((line) => kindOf(line) === 'system/task_started')?.task_id;
    const output = /\S+\.output/.exec(lastText(place.api.requests[1] as FakeApiRequest))?.[0] ?? '';
    await eventually(() => readFileSync(output, 'utf8') !== '');
    if (status === 'stopped') await cli.control({ subtype: 'stop_task', task_id });
    const told = () => cli.lines.find((line) => kindOf(line) === 'system/task_notification');
    await eventually(() => told() !== undefined);
    const summary = expect.stringContaining('some work');
    expect(told()).toMatchObject({ task_id, status, summary, output_file: output });
    expect(readFileSync(output, 'utf8')).toMatch(/^all is (well|lost)\n/);
  },
);

test('[B-114, B-116, B-117] what goes on in the background is told from its start to its end, and as a whole list', async () => {
  const call = toolUse('Bash', { command: 'sleep 0.2', run_in_background: true, description: 'some work' }, 'toolu_1');
  const place = await makePlace(cast<FakeApiRequest>({ MAIN: [call, 'I go on.', 'I heard of it.'] }));
  const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash'], { place });
  cli.say('MAIN go');
  await cli.nextResult();
  const linesOf = (subtype: string) => cli.lines.filter((line) => line.subtype === subtype);
  await eventually(() => linesOf('task_notification').length === 1);
  const [started] = linesOf('task_started');
  const task = { task_id: started?.task_id, run_id: started?.run_id };
  const facts = { task_type: 'local_bash', description: 'some work' };
  expect(started).toMatchObject({ ...facts, tool_use_id: 'toolu_1', is_backgrounded: true });
  expect(linesOf('task_updated')).toMatchObject([{ ...task, patch: { status: 'completed' } }]);
  expect(linesOf('background_tasks_changed').map(({ tasks }) => tasks)).toEqual([
    [expect.objectContaining({ ...task, ...facts })],
    [],
  ]);
});
