import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hang, toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { cast, lastText, task } from '../../support/cast.ts';
import { eventually } from '../../support/processes.ts';
import { type Client, createHouse, kindOf, resultsOf } from '../support.ts';

const BYPASS = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A gate that lines of a script wait for. */
function gate(): { open(): void; opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

function dataOf(client: Client, id: string): JsonObject {
  const line = client.of('user').find((each) => resultsOf([each])[0]?.tool_use_id === id);
  return (line?.tool_use_result ?? {}) as JsonObject;
}

describe('an agent in the background', () => {
  test('[SUB-04, BG-02, SEQ-10] is started at once, its end begins a turn of its own, and both results are there', async () => {
    const { open, opened } = gate();
    const house = createHouse(
      cast({
        MAIN: [
          task('CHILD go', { run_in_background: true }, 't'),
          'I go on.',
          (request) => (lastText(request).includes('<result>Child answer.</result>') ? 'I saw it.' : 'I saw nothing.'),
        ],
        CHILD: [
          async () => {
            await opened;
            return 'Child answer.';
          },
        ],
      }),
    );
    const client = house.connect();
    const first = await client.ask('MAIN go');
    const { agentId, outputFile, ...data } = dataOf(client, 't');
    expect(data).toEqual({ isAsync: true, status: 'async_launched', description: 'some work', prompt: 'CHILD go' });
    expect(outputFile).toMatch(new RegExp(`/tasks/${agentId}\\.output$`));
    const pending = [{ task_id: agentId, task_type: 'local_agent', description: 'some work' }];
    expect(first).toMatchObject({ result: 'I go on.', pending_tasks: pending });
    open();
    expect(await client.result(1)).toMatchObject({ result: 'I saw it.', pending_tasks: [], num_turns: 1 });
    const after = client.lines.slice(client.lines.findIndex(({ type }) => type === 'result') + 1).map(kindOf);
    expect(after).toEqual([
      ...['system/background_tasks_changed', 'system/task_updated', 'system/task_notification'],
      ...['system/init', 'assistant', 'result'],
    ]);
    expect(client.of('system/task_notification')).toEqual([
      expect.objectContaining({ task_id: agentId, status: 'completed', summary: 'Agent "some work" completed' }),
    ]);
    expect(readFileSync(String(outputFile), 'utf8')).toBe('Child answer.');
  });

  test('several that end together are told together', async () => {
    const { open, opened } = gate();
    const child = async () => {
      await opened;
      return 'done';
    };
    const start = (name: string) => task(`${name} go`, { run_in_background: true });
    let told = '';
    const house = createHouse(
      cast({
        MAIN: [
          [start('ONE'), start('TWO'), start('THREE')],
          async () => {
            open(); // they end while this turn still runs
            await eventually(() => ended() === 3);
            return 'I go on.';
          },
          (request) => {
            told = lastText(request);
            return 'All three.';
          },
        ],
        ONE: [child],
        TWO: [child],
        THREE: [child],
      }),
    );
    const client = house.connect();
    const ended = () =>
      client.of('system/task_updated').filter(({ patch }) => (patch as JsonObject).status === 'completed').length;
    await client.ask('MAIN go');
    await client.result(1);
    expect(told.match(/<task-notification>/g)).toHaveLength(3);
    await client.end();
    expect(client.results).toHaveLength(2);
  });

  test('[K25] the end of the input waits for it and for the turn that hears of it', async () => {
    const child = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return 'done';
    };
    const house = createHouse(
      cast({ MAIN: [task('CHILD', { run_in_background: true }), 'on', 'heard'], CHILD: [child] }),
    );
    const client = house.connect();
    client.say('MAIN go');
    await client.end();
    expect(client.results.map(({ result }) => result)).toEqual(['on', 'heard']);
  });

  test('[K25] the time of turns is no time of waiting: what outlives a long one is still waited for', async () => {
    const { open, opened } = gate();
    const house = createHouse(
      cast({
        MAIN: [
          [task('QUICK', { run_in_background: true }), task('SLOW', { run_in_background: true })],
          'on',
          async () => {
            await pause(1300);
            setTimeout(open, 300);
            return 'heard of one';
          },
          'heard of both',
        ],
        QUICK: [
          async () => {
            await pause(200);
            return 'done';
          },
        ],
        SLOW: [
          async () => {
            await opened;
            return 'done';
          },
        ],
      }),
    );
    const client = house.connect({ backgroundWait: 1 });
    client.say('MAIN go');
    await client.end();
    expect(client.results.map(({ result }) => result)).toEqual(['on', 'heard of one', 'heard of both']);
  });

  test.each([
    ['--on-end stop', { onEnd: 'stop' }],
    ['--background-wait', { backgroundWait: 0.1 }],
  ] as const)('[K25] %s: what is left is stopped, and the last result says so', async (_name, config) => {
    const command = 'echo so far so good; exec sleep 60';
    const house = createHouse(
      cast({
        MAIN: [
          [task('CHILD', { run_in_background: true }), toolUse('Bash', { command, run_in_background: true })],
          'on',
        ],
        CHILD: [hang()],
      }),
    );
    const client = house.connect({ ...BYPASS, ...config });
    await client.ask('MAIN go');
    const [shell] = client.of('system/task_started').filter(({ task_type }) => task_type === 'local_bash');
    const [path = ''] = new RegExp(`/[^"\\s]*/${shell?.task_id}\\.output`).exec(JSON.stringify(client.lines)) ?? [];
    await eventually(() => existsSync(path) && readFileSync(path, 'utf8').includes('so far'));
    const exit = await client.end();
    expect(exit.code).toBe(1);
    expect(client.results).toHaveLength(2);
    expect(client.results[1]).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'background_stopped',
      pending_tasks: [],
    });
    expect((client.results[1] as unknown as { errors: string[] }).errors).toEqual([
      expect.stringMatching(/^The background task a\w{6} \(some work\) was stopped/),
      expect.stringMatching(/^The background task b\w{6} .* was stopped\. Its last output: so far so good$/),
    ]);
    const stopped = client.of('system/task_notification').map(({ status }) => status);
    expect(stopped).toEqual(['stopped', 'stopped']);
  });

  test('[B-061] an interrupt ends it, unless the host can stop each task by itself', async () => {
    for (const perTaskStopAffordance of [false, true]) {
      const house = createHouse(
        cast({ MAIN: [task('CHILD', { run_in_background: true }), 'on', hang()], CHILD: [hang()] }),
      );
      const client = house.connect({ onEnd: 'stop' });
      await client.control({ subtype: 'initialize', perTaskStopAffordance });
      await client.ask('MAIN go');
      client.say('and?');
      await client.until(() => client.of('system/init').length === 2);
      await client.control({ subtype: 'interrupt' });
      await client.result(1);
      const count = () => client.of('system/task_notification').length;
      if (!perTaskStopAffordance) await client.until(() => count() === 1);
      expect(count()).toBe(perTaskStopAffordance ? 0 : 1);
      await client.close();
    }
  });
});

describe('promotion', () => {
  test('[SUB-03, B-083] an agent that is waited for is let go of, and its end is told', async () => {
    const { open, opened } = gate();
    const house = createHouse(
      cast({
        MAIN: [
          task('CHILD go', {}, 't'),
          'I go on.',
          (request) => (lastText(request).includes('Late answer.') ? 'Heard.' : 'Lost.'),
        ],
        CHILD: [
          async () => {
            await opened;
            return 'Late answer.';
          },
        ],
      }),
    );
    const client = house.connect();
    client.say('MAIN go');
    await client.until(() => client.of('system/task_started').length > 0);
    const answer = await client.control({ subtype: 'background_tasks' });
    expect(answer.response).toEqual({ backgrounded: ['t'] });
    expect(await client.result(0)).toMatchObject({ result: 'I go on.' });
    expect(dataOf(client, 't')).toMatchObject({ status: 'async_launched' });
    open();
    expect(await client.result(1)).toMatchObject({ result: 'Heard.' });
  });

  test('what takes longer than HEDDLE_BACKGROUND_AFTER_MS is let go of by itself', async () => {
    const command = 'echo begun; sleep 1; echo ended';
    const house = createHouse(
      cast({ MAIN: [toolUse('Bash', { command }, 't'), 'I go on.', (request) => lastText(request)] }),
      { env: { PATH: process.env.PATH, HEDDLE_BACKGROUND_AFTER_MS: '200' } },
    );
    const client = house.connect(BYPASS);
    const first = await client.ask('MAIN go');
    expect(first).toMatchObject({ result: 'I go on.' });
    expect(dataOf(client, 't')).toMatchObject({ backgroundTaskId: expect.stringMatching(/^b/) });
    const second = await client.result(1);
    expect((second as { result: string }).result).toContain('<status>completed</status>');
    const { output_file } = client.of('system/task_notification')[0] ?? {};
    expect(readFileSync(String(output_file), 'utf8')).toContain('begun\nended\n');
  });
});

describe('TaskOutput and TaskStop', () => {
  test('[B-222] a task is waited for and shown; one that is stopped wakes nobody', async () => {
    const idOf = (name: string) => (request: { messages: unknown }) =>
      new RegExp(`${name}[^]*?runs in the background, ID: (b\\w{6})`).exec(JSON.stringify(request.messages))?.[1] ?? '';
    const start = (command: string) => toolUse('Bash', { command, run_in_background: true });
    const house = createHouse(
      cast({
        MAIN: [
          start('sleep 0.2; echo finished; : FIRST'),
          (request) => toolUse('TaskOutput', { task_id: idOf('FIRST')(request), block: true, timeout: 5000 }, 'o1'),
          start('sleep 60; : SECOND'),
          (request) => toolUse('TaskOutput', { task_id: idOf('SECOND')(request), block: false, timeout: 0 }, 'o2'),
          (request) => toolUse('TaskStop', { task_id: idOf('SECOND')(request) }, 's'),
          'stopped',
          'heard of the first',
        ],
      }),
    );
    const client = house.connect(BYPASS);
    client.say('MAIN go');
    await client.end();
    const texts = Object.fromEntries(
      resultsOf(client.of('user')).map(({ tool_use_id, content }) => [String(tool_use_id), String(content)]),
    );
    expect(texts.o1).toMatch(/<retrieval_status>success<.*<status>completed<.*<exit_code>0<.*finished\n<\/output>/s);
    expect(texts.o2).toMatch(/<retrieval_status>not_ready<.*<status>running</s);
    expect(JSON.parse(texts.s ?? '')).toMatchObject({ task_type: 'local_bash' });
    expect(client.results.map(({ result }) => result)).toEqual(['stopped', 'heard of the first']);
    const told = client.of('system').filter(({ subtype }) => subtype === 'task_notification');
    expect(told.map(({ status }) => status).sort()).toEqual(['completed', 'stopped']);
  });

  test.each(['TaskOutput', 'TaskStop'])('%s of an unknown id says which there are', async (name) => {
    const call = toolUse(name, { task_id: 'b123456', block: false, timeout: 1 }, 't');
    const stop = toolUse(name, { task_id: 'b123456' }, 't');
    const client = createHouse(cast({ MAIN: [name === 'TaskStop' ? stop : call, 'ok'] })).connect();
    await client.ask('MAIN go');
    expect(String(resultsOf(client.of('user'))[0]?.content)).toMatch(/No task has the id b123456\. None was started/);
  });
});
