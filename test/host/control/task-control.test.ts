import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { reply, toolUse } from '../../../src/testing/script.ts';
import { stringField } from '../../../src/util/json.ts';
import type { TaskOutput } from '../../../src/wire/control/index.ts';
import { eventually, isAlive } from '../../support/processes.ts';
import { type Client, createHouse, type House, resultsOf } from '../support.ts';

async function pidIn(house: House): Promise<number> {
  const read = () => Number(existsSync(join(house.dir, 'pid')) && readFileSync(join(house.dir, 'pid'), 'utf8'));
  await eventually(() => read() > 0);
  return read();
}

const bash = (command: string, more = {}) => toolUse('Bash', { command, description: 'Wait', ...more });

/** The id that the result of the first call names. */
function taskIn(client: Client): string {
  const line = client.lines.find(({ tool_use_result }) => tool_use_result !== undefined);
  return stringField(line?.tool_use_result, 'backgroundTaskId') ?? '';
}

describe('stop_task and get_task_output', () => {
  const call = bash('echo $$ > pid; echo begun; exec sleep 60', { run_in_background: true });

  test('[B-012, B-162] a background command is read, stopped with all it has started, and read again', async () => {
    const house = createHouse([call, 'started']);
    const client = house.connect({ allowedTools: ['Bash'] });
    await client.ask('go');
    const [pid, task_id] = [await pidIn(house), taskIn(client)];
    const output = async () => (await client.control({ subtype: 'get_task_output', task_id })).response as TaskOutput;
    await eventually(() => existsSync(join(house.dir, 'pid')));
    expect((await output()).task).toMatchObject({
      task_id,
      task_type: 'local_bash',
      status: 'running',
      exitCode: null,
    });
    expect(isAlive(pid)).toBe(true);
    expect(await client.control({ subtype: 'stop_task', task_id })).toMatchObject({ subtype: 'success', response: {} });
    expect(isAlive(pid)).toBe(false);
    expect((await output()).task).toMatchObject({ status: 'killed', description: 'Wait', output: 'begun\n' });
    expect(await client.control({ subtype: 'stop_task', task_id })).toMatchObject({ subtype: 'success' });
  });

  test('of a long output the end', async () => {
    const house = createHouse([bash('seq 1 50000', { run_in_background: true }), 'started']);
    const client = house.connect({ allowedTools: ['Bash'] });
    await client.ask('go');
    const task_id = taskIn(client);
    const read = async () => (await client.control({ subtype: 'get_task_output', task_id })).response as TaskOutput;
    let found = await read();
    while (found.task.status === 'running') found = await read();
    expect(found).toMatchObject({ truncated: true, task: { status: 'completed', exitCode: 0 } });
    expect(found.task.output).toHaveLength(100_000);
    expect(found.task.output.endsWith('\n50000\n')).toBe(true);
    expect(readFileSync(found.output_file, 'utf8').startsWith('1\n2\n')).toBe(true);
  });

  test.each(['stop_task', 'get_task_output'])('%s: an unknown task is an error', async (subtype) => {
    const client = createHouse([]).connect();
    expect(await client.control({ subtype, task_id: 'nope' })).toMatchObject({ error_code: 'unknown_task' });
    expect(await client.control({ subtype })).toMatchObject({ error_code: 'invalid_request' });
  });
});

describe('background_tasks', () => {
  const call = bash('echo $$ > pid; echo early; while [ ! -e go ]; do sleep 0.05; done; echo late; exec sleep 60');

  test('[B-083, B-162] the turn goes on, the command too, and its output is kept from the beginning', async () => {
    const house = createHouse([call, 'went on', 'next']);
    const client = house.connect({ allowedTools: ['Bash'] });
    client.say('go');
    const pid = await pidIn(house);
    const { response } = await client.control({ subtype: 'background_tasks' });
    expect(response).toMatchObject({ backgrounded: [expect.any(String)] });
    expect(await client.result(0)).toMatchObject({ result: 'went on' });
    const task_id = taskIn(client);
    const [result] = resultsOf(client.lines);
    expect(result?.content).toContain(task_id);
    expect(client.lines.find(({ tool_use_result }) => tool_use_result)?.tool_use_result).toMatchObject({
      backgroundedByUser: true,
    });
    expect(isAlive(pid)).toBe(true);
    house.file('go', '');
    const output = async () => (await client.control({ subtype: 'get_task_output', task_id })).response as TaskOutput;
    let { task } = await output();
    while (!task.output.includes('late')) task = (await output()).task;
    expect(task).toMatchObject({ output: 'early\nlate\n', status: 'running' });
    // An interrupt ends the turn, not what goes on beside it.
    await client.control({ subtype: 'interrupt' });
    expect(isAlive(pid)).toBe(true);
    await client.control({ subtype: 'stop_task', task_id });
    expect(isAlive(pid)).toBe(false);
  });

  test('neither its time-out nor the interrupt of its turn ends it any more, the end of the session does', async () => {
    const house = createHouse([bash('echo $$ > pid; exec sleep 60', { timeout: 2000 }), 'went on']);
    const client = house.connect({ allowedTools: ['Bash'], onEnd: 'stop' });
    client.say('go');
    const pid = await pidIn(house);
    await client.control({ subtype: 'background_tasks' });
    await client.control({ subtype: 'interrupt' });
    await client.result(0);
    await sleep(2200);
    expect(isAlive(pid)).toBe(true);
    await client.end();
    expect(isAlive(pid)).toBe(false);
  });

  test('one call of several; a call that is not there changes nothing', async () => {
    const wait = (id: string) => toolUse('Bash', { command: 'sleep 30' }, id);
    const house = createHouse([reply([wait('toolu_a'), wait('toolu_b')]), 'done']);
    const client = house.connect({ allowedTools: ['Bash'] });
    client.say('go');
    const move = async (tool_use_id: string) =>
      (await client.control({ subtype: 'background_tasks', tool_use_id })).response as { backgrounded: string[] };
    expect(await move('toolu_none')).toEqual({ backgrounded: [] });
    while ((await move('toolu_b')).backgrounded.length === 0) await sleep(20);
    await client.until(() => resultsOf(client.lines).length === 1);
    expect(resultsOf(client.lines)[0]).toMatchObject({ tool_use_id: 'toolu_b' });
    expect(await move('toolu_b')).toEqual({ backgrounded: [] });
    expect(await move('toolu_a')).toEqual({ backgrounded: ['toolu_a'] });
    expect(await client.result(0)).toMatchObject({ result: 'done' });
  });
});
