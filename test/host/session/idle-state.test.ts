import { expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/model/model.ts';
import { toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { cast, task } from '../../support/cast.ts';
import { type Client, createHouse, kindOf, tempDir } from '../support.ts';

const READS = { CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' };

const envIn = (dir: string, more: Record<string, string> = READS) => ({ HOME: dir, PATH: process.env.PATH, ...more });

/** States and results, in their order. */
function told(lines: readonly JsonObject[]): unknown[] {
  return lines.flatMap((line) => {
    const kind = kindOf(line);
    if (kind === 'system/session_state_changed') return [line.state];
    return kind === 'result' ? [kind] : [];
  });
}

const idle = (client: Client) => client.until(() => told(client.lines).at(-1) === 'idle');

/** A promise, and what resolves it. */
function door() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

test('[K49] a session is not idle while an agent works in the background, whose end begins a turn', async () => {
  const { open, opened } = door();
  const house = createHouse(
    cast<ModelRequest>({
      MAIN: [task('CHILD go', { run_in_background: true }), 'I go on.', 'I heard of it.'],
      CHILD: [
        async () => {
          await opened;
          return toolUse('Bash', { command: 'touch made' });
        },
        'Done.',
      ],
    }),
  );
  const client = house.connect(
    { permissionPromptTool: 'stdio' },
    { env: envIn(house.dir), answer: () => ({ behavior: 'allow' }) },
  );
  await client.ask('MAIN go');
  open();
  await idle(client);
  expect(told(client.lines)).toEqual(['running', 'result', 'requires_action', 'running', 'result', 'idle']);
});

test('[K49] nor while a command runs in the background; one that is stopped leaves it idle without a turn', async () => {
  const house = createHouse([toolUse('Bash', { command: 'sleep 60', run_in_background: true }), 'I go on.']);
  const client = house.connect({ allowedTools: ['Bash'] }, { env: envIn(house.dir) });
  await client.ask('go');
  const [{ task_id = '' } = {}] = client.of('system/task_started');
  expect(told(client.lines)).toEqual(['running', 'result']);
  await client.control({ subtype: 'stop_task', task_id });
  await idle(client);
  expect(told(client.lines)).toEqual(['running', 'result', 'idle']);
});

test('[K49] nor between two turns that were asked for already', async () => {
  const house = createHouse(['one', 'two']);
  const client = house.connect({}, { env: envIn(house.dir) });
  client.say('first', { priority: 'later' });
  client.say('second', { priority: 'later' });
  await client.result(1);
  await idle(client);
  expect(told(client.lines)).toEqual(['running', 'result', 'result', 'idle']);
});

test('[K49] nor while a teammate works; once all of them wait it is', async () => {
  const { open, opened } = door();
  const house = createHouse(
    cast<ModelRequest>({
      LEAD: [
        toolUse('TeamCreate', { team_name: 'crew', description: 'A test' }),
        task('MATE go', { team_name: 'crew', name: 'mate1' }),
        'Dispatched.',
        'Noted.',
      ],
      MATE: [
        async () => {
          await opened;
          return 'I wait.';
        },
      ],
    }),
    { home: tempDir() },
  );
  const client = house.connect({ teams: true }, { env: envIn(house.dir) });
  await client.ask('LEAD go');
  open();
  await idle(client);
  expect(told(client.lines)).toEqual(['running', 'result', 'result', 'idle']);
});

test('[K49] what is not waited for at the end of input does not keep it from being idle', async () => {
  const house = createHouse([toolUse('Bash', { command: 'sleep 60', run_in_background: true }), 'I go on.']);
  const client = house.connect({ allowedTools: ['Bash'], onEnd: 'stop' }, { env: envIn(house.dir) });
  await client.ask('go');
  await idle(client);
  await client.end();
  expect(told(client.lines)).toEqual(['running', 'result', 'idle', 'result']);
  expect(client.results.at(-1)).toMatchObject({ terminal_reason: 'background_stopped' });
});

test('[K49, K25] what has been waited for long enough does not, either, and is then stopped with the end of input', async () => {
  const house = createHouse([toolUse('Bash', { command: 'sleep 60', run_in_background: true }), 'I go on.']);
  const client = house.connect({ allowedTools: ['Bash'], backgroundWait: 0.05 }, { env: envIn(house.dir) });
  await client.ask('go');
  await idle(client);
  await client.end();
  expect(client.results.at(-1)).toMatchObject({ terminal_reason: 'background_stopped' });
});

test('[K49] a question that is open is told until all are answered', async () => {
  const waiting: (() => void)[] = [];
  const house = createHouse(
    cast<ModelRequest>({
      MAIN: [[task('LEFT go', {}, 'toolu_l'), task('RIGHT go', {}, 'toolu_r')], 'Done.'],
      LEFT: [toolUse('Bash', { command: 'touch left' }), 'Done.'],
      RIGHT: [toolUse('Bash', { command: 'touch right' }), 'Done.'],
    }),
  );
  const answer = () => new Promise((resolve) => waiting.push(() => resolve({ behavior: 'allow' })));
  const client = house.connect({ permissionPromptTool: 'stdio' }, { env: envIn(house.dir), answer });
  client.say('MAIN go');
  await client.until(() => waiting.length === 2);
  for (const each of waiting) each();
  await idle(client);
  expect(told(client.lines)).toEqual(['running', 'requires_action', 'running', 'result', 'idle']);
});

test('[K49] hosts that ask for the lines themselves get them unmarked', async () => {
  const house = createHouse(['hello']);
  const client = house.connect({}, { env: envIn(house.dir, { ...READS, CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1' }) });
  await client.ask('go');
  await idle(client);
  expect(client.of('system/session_state_changed').map(({ sdk_host_only }) => sdk_host_only)).toEqual([
    undefined,
    undefined,
  ]);
});
