import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hang, toolUse } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { thisProcess } from '../../src/util/process/process-alive.ts';
import { identityOf } from '../../src/util/process/process-identity.ts';
import { changeRecord, recordsOf, tasks, timesTold } from '../support/background.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { kindOf, textsOf } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { eventually, isAlive } from '../support/processes.ts';
import { bodyOf, conversationText } from '../support/requests.ts';
import { sessions } from '../support/session-commands.ts';

const ALLOWED = ['--allowedTools', 'Bash'];
const inBackground = (command: string, more: object = {}) =>
  toolUse('Bash', { command, run_in_background: true, description: `runs ${command}`, ...more });
const agent = (prompt: string) =>
  toolUse('Task', { description: 'some work', prompt, subagent_type: 'general-purpose', run_in_background: true });
const pidOf = (record: { process?: unknown }) => (record.process as { pid: number }).pid;

/** A session with one task that runs, and a host that has not ended its input. */
async function atWork(call: ReturnType<typeof toolUse>, answerTo: (text: string) => unknown = () => 'heard') {
  const place = await makePlace((request) => {
    const said = conversationText(request);
    if (said.includes('work for ever')) return said.startsWith('work') ? hang() : (answerTo(said) as string);
    return bodyOf(request).messages.length === 1 ? call : (answerTo(said) as string);
  });
  const sessionId = randomUUID();
  const cli = startCli([...STREAM_BOTH, ...ALLOWED, '--session-id', sessionId], { place });
  cli.say('go');
  await cli.nextResult();
  const isThere = ({ status, task_type, process }: JsonObject) =>
    status === 'running' && (task_type === 'local_agent' || process !== null);
  await eventually(() => recordsOf(place, sessionId).some(isThere));
  const [record = {}] = recordsOf(place, sessionId);
  return { place, cli, sessionId, record, taskId: String(record.task_id) };
}

describe('help and mistakes', () => {
  test('without a word, and everywhere with --help', async () => {
    const place = await makePlace();
    const help = await tasks(place);
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Usage: heddle tasks COMMAND') });
    for (const name of ['list', 'show', 'stop']) {
      const { code, stdout } = await tasks(place, name, '--help');
      expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringContaining(`Usage: heddle tasks ${name}`)]);
      expect(stdout).toContain('Examples:');
      expect(stdout.split('\n').filter((line) => line.length > 120)).toEqual([]);
    }
    expect(existsSync(place.home)).toBe(false);
  });

  test.each([
    [['frobnicate'], /unknown command 'tasks frobnicate': use one of list, show, stop/],
    [['list', 'x'], /unexpected argument 'x'/],
    [['show'], /TASK is missing/],
    [['show', 'b000000'], /No task has the id 'b000000' in /],
    [['stop'], /TASK is missing/],
    [['stop', 'b000000'], /No task has the id 'b000000'/],
    [['stop', 'x', '--wait', 'long'], /'--wait' needs a whole number/],
    [['list', '--session', randomUUID()], /No conversation found/],
    [['list', '--home', '/nowhere/at/all'], /--home is not a directory/],
  ])('%j says what to do', async (args, message) => {
    const place = await makePlace();
    expect(await tasks(place, ...args)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
  });
});

test('[BG-04] list and show: what runs comes first, its state is that of the process', async () => {
  const { place, cli, sessionId, taskId } = await atWork(inBackground('echo first words; sleep 600'));
  const listed = JSON.parse((await tasks(place, 'list', '--json')).stdout);
  expect(listed).toEqual([
    expect.objectContaining({
      task_id: taskId,
      state: 'running',
      session_id: sessionId,
      cwd: place.cwd,
      exit_code: null,
    }),
  ]);
  const { stdout } = await tasks(place, 'list');
  expect(stdout).toMatch(new RegExp(`^${taskId}  running    .*  command           ${sessionId}  runs echo first`));
  await eventually(() => existsSync(listed[0].output_file));
  const shown = await tasks(place, 'show', taskId.slice(0, 4));
  expect(shown.stdout).toMatch(/state +running\n[\s\S]*\n\nfirst words\n$/);
  cli.kill('SIGKILL');
  await cli.finished;
  expect(JSON.parse((await tasks(place, 'show', taskId, '--json')).stdout)).toMatchObject({
    state: 'lost',
    status: 'running',
    output: 'first words\n',
  });
});

describe('stop', () => {
  test('a command of a living session: it ends, the model hears of it, the owner writes it down', async () => {
    const { place, cli, sessionId, record, taskId } = await atWork(inBackground('sleep 600'));
    expect(await tasks(place, 'stop', taskId)).toMatchObject({
      code: 0,
      stdout: `${taskId} was stopped\n`,
      stderr: '',
    });
    expect(isAlive(pidOf(record))).toBe(false);
    await cli.nextResult();
    expect(timesTold(place.api.requests.at(-1), taskId)).toBe(1);
    await eventually(() => recordsOf(place, sessionId)[0]?.told === true);
    expect(recordsOf(place, sessionId)[0]).toMatchObject({ status: 'killed', stopped_by: 'outside' });
    expect(readdirSync(join(place.home, 'background', sessionId))).toEqual([`${taskId}.json`]);
    expect(await tasks(place, 'stop', taskId)).toMatchObject({
      code: 0,
      stdout: `${taskId} does not run: its state is killed\n`,
    });
  });

  test('an agent of a living session', async () => {
    const { place, cli, sessionId, record, taskId } = await atWork(agent('work for ever'));
    expect(record).toMatchObject({ task_type: 'local_agent', subagent_type: 'general-purpose', process: null });
    expect(JSON.parse((await tasks(place, 'stop', taskId, '--json')).stdout)).toEqual([
      { task_id: taskId, outcome: 'stopped' },
    ]);
    await cli.nextResult();
    expect(timesTold(place.api.requests.at(-1), taskId)).toBe(1);
    expect(recordsOf(place, sessionId)[0]).toMatchObject({ status: 'killed' });
  });

  test('an owner that does not answer: said clearly, and nothing else is touched', async () => {
    const { place, cli, record, taskId } = await atWork(agent('work for ever'));
    cli.kill('SIGSTOP');
    const { code, stdout, stderr } = await tasks(place, 'stop', taskId, '--wait', '1');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      new RegExp(`${taskId} was not stopped: the process ${cli.pid} .* has not answered within 1 s`),
    );
    expect(record).toMatchObject({ owner: { pid: cli.pid } });
  });

  test('the command of an owner that does not answer is ended from outside', async () => {
    const { place, cli, record, taskId } = await atWork(inBackground('sleep 600'));
    cli.kill('SIGSTOP');
    expect(await tasks(place, 'stop', taskId, '--wait', '1')).toMatchObject({
      code: 0,
      stdout: `${taskId} was stopped\n`,
    });
    expect(isAlive(pidOf(record))).toBe(false);
    cli.kill('SIGCONT');
    await cli.nextResult();
    expect(timesTold(place.api.requests.at(-1), taskId)).toBe(1);
  });

  test('a process that has got the number of another is never touched', async () => {
    const { place, cli, record, taskId } = await atWork(inBackground('sleep 600'));
    cli.kill('SIGKILL');
    await cli.finished;
    const bystander = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void bystander.kill('SIGKILL'));
    const { started: _, ...other } = identityOf({ ...thisProcess(), pid: bystander.pid ?? 0 });
    changeRecord(place, record, { detached: true, process: { ...other, started: '1' } });
    expect(await tasks(place, 'stop', taskId)).toMatchObject({
      code: 0,
      stdout: `${taskId} does not run: its state is lost\n`,
    });
    expect(isAlive(bystander.pid ?? 0)).toBe(true);
  });
});

describe('detach', () => {
  const detached = (command: string) => inBackground(command, { detach: true });
  const FLAGS = [...ALLOWED, '--allow-detach'];

  /** A run that has started a detached command and is over. */
  async function left(command: string) {
    const place = await makePlace((_request, index) => (index === 0 ? detached(command) : 'seen'));
    const run = await runCli([...STREAM_OUT, 'go', ...FLAGS], { place });
    const sessionId = String(run.lines.at(-1)?.session_id);
    const [record = {}] = recordsOf(place, sessionId);
    onTestFinished(async () => {
      await tasks(place, 'stop', String(record.task_id));
    });
    return { place, run, sessionId, record, taskId: String(record.task_id) };
  }

  test('outlives the run, which does not wait for it; found and stopped by its id', async () => {
    const { place, run, record, taskId, sessionId } = await left(
      'echo on; (setsid sleep 600 & echo $! > far); sleep 600',
    );
    expect(run.lines.at(-1)).toMatchObject({ subtype: 'success', pending_tasks: [] });
    expect(isAlive(pidOf(record))).toBe(true);
    expect(JSON.parse((await tasks(place, 'show', taskId, '--json')).stdout)).toMatchObject({
      state: 'running',
      detached: true,
      output: 'on\n',
    });
    expect(await sessions(place, 'delete', '--yes', sessionId)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(`Tasks of the session still run: ${taskId}`),
    });
    expect(await tasks(place, 'stop', taskId)).toMatchObject({ code: 0, stdout: `${taskId} was stopped\n` });
    const far = Number(readFileSync(join(place.cwd, 'far'), 'utf8'));
    expect([pidOf(record), far].map(isAlive)).toEqual([false, false]);
    expect(recordsOf(place, sessionId)[0]).toMatchObject({ status: 'killed', stopped_by: 'outside', told: false });
    await runCli([...STREAM_OUT, 'and now?', ...FLAGS, '--resume', sessionId], { place });
    expect(timesTold(place.api.requests.at(-1), taskId)).toBe(1);
  });

  test('its end is seen later, with the exit code that it left, and told on resume', async () => {
    const { place, sessionId, taskId } = await left('sleep 0.5; exec bash -c "exit 7"');
    const stateOf = async () => JSON.parse((await tasks(place, 'show', taskId, '--json')).stdout).state;
    expect(await stateOf()).toBe('running');
    await eventually(() => existsSync(join(place.home, 'background', sessionId, `${taskId}.exit`)));
    await runCli([...STREAM_OUT, 'and now?', ...FLAGS, '--resume', sessionId], { place });
    expect(conversationText(place.api.requests.at(-1))).toMatch(/failed with exit code 7/);
    expect(timesTold(place.api.requests.at(-1), taskId)).toBe(1);
  });

  test('outlives even a process that is killed', async () => {
    const place = await makePlace((_request, index) => (index === 0 ? detached('sleep 600') : 'seen'));
    const sessionId = randomUUID();
    const cli = startCli([...STREAM_BOTH, ...FLAGS, '--session-id', sessionId], { place });
    cli.say('go');
    await cli.nextResult();
    const [record = {}] = recordsOf(place, sessionId);
    cli.kill('SIGKILL');
    await cli.finished;
    await sleep(500); // what ends the other commands of a killed process is done by then
    expect(isAlive(pidOf(record))).toBe(true);
    expect(await tasks(place, 'stop', String(record.task_id))).toMatchObject({ code: 0 });
    expect(isAlive(pidOf(record))).toBe(false);
  });

  test('a session that lives tells its end by itself', async () => {
    const place = await makePlace((_request, index) => (index === 0 ? detached('sleep 0.2') : 'seen'));
    const cli = startCli([...STREAM_BOTH, ...FLAGS], { place });
    cli.say('go');
    await cli.nextResult();
    await cli.nextResult();
    expect(cli.lines.map(kindOf)).toContain('system/task_notification');
    expect(conversationText(place.api.requests.at(-1))).toMatch(/completed \(exit code 0\)/);
  });

  test('is no choice without --allow-detach: the model does not see it, and a call with it is refused', async () => {
    const place = await makePlace((_request, index) => (index === 0 ? detached('touch ran') : 'seen'));
    const { lines } = await runCli([...STREAM_OUT, 'go', ...ALLOWED], { place });
    const [said] = lines.filter(({ type }) => type === 'user').flatMap(({ message }) => textsOf(message));
    expect(said).toMatch(/detach/);
    const bash = bodyOf(place.api.requests[0]).tools?.find(({ name }) => name === 'Bash');
    expect(JSON.stringify(bash)).not.toContain('detach');
    expect(existsSync(join(place.cwd, 'ran'))).toBe(false);
  });

  test('is an execution like any other: without a rule nobody starts it', async () => {
    const place = await makePlace((_request, index) => (index === 0 ? detached('touch ran') : 'seen'));
    const { lines } = await runCli([...STREAM_OUT, 'go', '--allow-detach'], { place });
    expect(lines.at(-1)).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
    expect(existsSync(join(place.home, 'background'))).toBe(false);
    expect(existsSync(join(place.cwd, 'ran'))).toBe(false);
  });

  test('a session that is not kept has none', async () => {
    const place = await makePlace((_request, index) => (index === 0 ? detached('touch ran') : 'seen'));
    const { lines } = await runCli([...STREAM_OUT, 'go', ...FLAGS, '--no-session-persistence'], { place });
    const [said] = lines.filter(({ type }) => type === 'user').flatMap(({ message }) => textsOf(message));
    expect(said).toMatch(/not kept, so a detached command could not be found again/);
    expect(existsSync(join(place.cwd, 'ran'))).toBe(false);
  });
});

test('[G9] a deleted session takes the records and outputs of its tasks along', async () => {
  const place = await makePlace((_request, index) => (index === 0 ? inBackground('echo words') : 'seen'));
  const { lines } = await runCli([...STREAM_OUT, 'go', ...ALLOWED], { place });
  const sessionId = String(lines.at(-1)?.session_id);
  const { stdout } = await sessions(place, 'delete', '--yes', sessionId);
  const trash = stdout.trim().split(': ')[1] ?? '';
  expect(readdirSync(trash).sort()).toEqual([`${sessionId}.jsonl`, 'background', 'origin.json', 'task-outputs'].sort());
  expect(existsSync(join(place.home, 'background', sessionId))).toBe(false);
  expect(await tasks(place, 'list')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('no tasks'),
  });
});
