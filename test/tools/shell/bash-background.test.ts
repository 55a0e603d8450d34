import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backgroundPort } from '../../../src/tools/background/background-port.ts';
import {
  type BackgroundTask,
  type BackgroundTasks,
  createBackgroundTasks,
} from '../../../src/tools/background/background-tasks.ts';
import { type BackgroundShells, createBackgroundShells } from '../../../src/tools/shell/background-shells.ts';
import { createBashTool } from '../../../src/tools/shell/bash.ts';
import { shellPort } from '../../../src/tools/shell/shell-port.ts';
import { Aborted } from '../../../src/util/abort.ts';
import { eventually, isAlive } from '../../support/processes.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;
let shells: BackgroundShells;
let tasks: BackgroundTasks;
const bash = createBashTool({ isReadOnly: (command) => command.startsWith('ls') });

beforeEach(() => {
  bench = createBench();
  shells = bench.context.service(shellPort).background;
  tasks = bench.context.service(backgroundPort).tasks;
});

afterEach(() => bench.dispose());

async function start(command: string, more: object = {}): Promise<BackgroundTask> {
  const { data } = await bench.run(bash, { command, run_in_background: true, ...more });
  const shell = tasks.get((data as { backgroundTaskId: string }).backgroundTaskId);
  if (!shell) throw new Error('it was not started');
  return shell;
}

const ended = (shell: BackgroundTask) => eventually(() => shell.status !== 'running');
const output = (shell: BackgroundTask) => readFileSync(shell.outputFile, 'utf8');

test('[TOOL-02] run_in_background returns at once and names the id and the file', async () => {
  const { content, isError, data } = await bench.run(bash, {
    command: 'echo begun; sleep 60',
    description: 'Wait',
    run_in_background: true,
  });
  const [shell] = tasks.list();
  expect(shell).toMatchObject({ status: 'running', exitCode: null, description: 'Wait', toolUseId: 'toolu_1' });
  expect(shell?.id).toMatch(/^b[0-9a-f]{6}$/);
  expect(content).toContain(`ID: ${shell?.id}.`);
  expect(content).toContain(`to ${shell?.outputFile};`);
  expect(isError).toBe(false);
  expect(JSON.stringify(data)).toBe(
    `{"stdout":"","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"backgroundTaskId":"${shell?.id}"}`,
  );
});

test('[G8] the output goes to a private file while it runs, stdout and stderr in their order', async () => {
  const shell = await start('echo one; sleep 0.1; echo two >&2; sleep 0.1; echo three; sleep 60');
  await eventually(() => output(shell) === 'one\ntwo\nthree\n');
  expect(shell.status).toBe('running');
  expect(shell.outputFile).toBe(join(bench.context.spillDir, 'tasks', `${shell.id}.output`));
  expect(statSync(shell.outputFile).mode & 0o777).toBe(0o600);
  expect(statSync(join(bench.context.spillDir, 'tasks')).mode & 0o777).toBe(0o700);
});

describe('the status is that of the real process', () => {
  test.each([
    ['echo fine', { status: 'completed', exitCode: 0 }, 'fine\n'],
    ['echo bad >&2; exit 3', { status: 'failed', exitCode: 3 }, 'bad\n'],
    ['kill -9 $$', { status: 'killed', exitCode: null }, ''],
    ['echo (', { status: 'failed', exitCode: 2 }, /syntax error/],
  ])('%s', async (command, end, text) => {
    const shell = await start(command);
    await ended(shell);
    expect(shell).toMatchObject(end);
    expect(output(shell)).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
  });

  test('one that cannot be started has failed, and its file says why', async () => {
    const spec = { command: 'true', toolUseId: 'a', cwd: bench.path('gone'), env: {} };
    const shell = shells.start(spec);
    await ended(shell);
    expect(shell).toMatchObject({ status: 'failed', exitCode: null });
    expect(output(shell)).toMatch(/working directory .*gone does not exist/);
  });

  test('one that leaves a process behind is over, and its file says so', async () => {
    const shell = await start('echo begun; sleep 60 &');
    await ended(shell);
    expect(shell).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(output(shell)).toMatch(/^begun\n\n\[A process .* still running/);
  });
});

test('neither its timeout nor an interrupt of the turn ends it', async () => {
  const turn = new AbortController();
  await bench.run(
    bash,
    { command: 'echo $$ > pid; exec sleep 60', run_in_background: true, timeout: 50 },
    { signal: turn.signal },
  );
  const pid = await pidIn('pid');
  turn.abort(new Aborted('interrupt'));
  await sleep(300);
  expect(isAlive(pid)).toBe(true);
});

test('stop ends it with all it has started', async () => {
  const shell = await start(`env -i setsid sh -c 'echo $$ > pid; exec sleep 60' & sleep 60`);
  const pid = await pidIn('pid');
  expect(await tasks.stop(shell.id, 'model')).toBe(true);
  expect(shell).toMatchObject({ status: 'killed', exitCode: null });
  expect(isAlive(pid)).toBe(false);
  expect(await tasks.stop(shell.id, 'model')).toBe(false);
  expect(await tasks.stop('b000000', 'model')).toBe(false);
});

test('close ends all of them and waits for that', async () => {
  const all = [await start('echo $$ > one; exec sleep 60'), await start(`trap '' TERM; echo $$ > two; sleep 60; :`)];
  const pids = [await pidIn('one'), await pidIn('two')];
  await tasks.close();
  expect(pids.map(isAlive)).toEqual([false, false]);
  expect(all.map(({ status }) => status)).toEqual(['killed', 'killed']);
});

test('listeners are told of each end once, when the output is complete', async () => {
  const told: string[] = [];
  const off = tasks.onChange(({ kind, task }) => {
    if (kind === 'ended') told.push(`${task.id} ${task.status} ${output(task).length}`);
  });
  const first = await start('seq 1 1000');
  await ended(first);
  expect(told).toEqual([`${first.id} completed 3893`]);
  off();
  await ended(await start('true'));
  expect(told).toHaveLength(1);
  expect(tasks.list().map(({ status }) => status)).toEqual(['completed', 'completed']);
});

test('a listener that throws keeps nobody from the end, and is logged', async () => {
  const log: string[] = [];
  const { workspace, runtime, env } = bench.context;
  const ownTasks = createBackgroundTasks({ ...runtime, log: (level, message) => log.push(`${level}: ${message}`) });
  const own = createBackgroundShells({ workspace, tasks: ownTasks, outputDir: bench.path('outputs') });
  const told: string[] = [];
  ownTasks.onChange(({ kind }) => {
    if (kind === 'ended') throw new Error('no listener');
  });
  ownTasks.onChange(({ kind, task }) => {
    if (kind === 'ended') told.push(task.status);
  });
  const { id } = own.start({ command: 'sleep 60', toolUseId: 'a', cwd: bench.dir, env });
  expect(await ownTasks.stop(id, 'model')).toBe(true);
  own.start({ command: 'sleep 60', toolUseId: 'b', cwd: bench.dir, env });
  await ownTasks.close();
  expect(told).toEqual(['killed', 'killed']);
  expect(log).toEqual([expect.stringMatching(/^error: .*no listener$/), expect.stringMatching(/no listener$/)]);
});

test('a command whose output cannot be kept is not started, and the error says why', async () => {
  mkdirSync(bench.context.spillDir, { recursive: true });
  writeFileSync(join(bench.context.spillDir, 'tasks'), 'a file where a directory should be');
  const call = bench.run(bash, { command: 'touch started', run_in_background: true });
  await expect(call).rejects.toMatchObject({
    name: 'ToolError',
    message: expect.stringMatching(/was not started, because its output cannot be kept: .*tasks/),
  });
  expect(tasks.list()).toEqual([]);
  await tasks.close();
  expect(existsSync(bench.path('started'))).toBe(false);
});

test('[M-12] the file is bounded, says so, and does not hold the command', async () => {
  const small = createBackgroundShells({
    workspace: bench.context.workspace,
    tasks,
    outputDir: bench.path('outputs'),
    maxOutputBytes: 1000,
  });
  const { env } = bench.context;
  const shell = small.start({ command: 'seq 1 100000; echo x > done', toolUseId: 'a', cwd: bench.dir, env });
  await ended(shell);
  expect(shell.status).toBe('completed');
  expect(existsSync(bench.path('done'))).toBe(true);
  expect(output(shell)).toMatch(/^1\n2\n[\s\S]*\n\[… the rest is left out: no more than 1000 bytes are kept …\]\n$/);
  expect(statSync(shell.outputFile).size).toBeLessThan(1100);
});

test('starts where the last command has ended, and changes nothing about that', async () => {
  await bench.run(bash, { command: 'mkdir sub; cd sub' });
  const shell = await start('pwd; cd ..');
  await ended(shell);
  expect(output(shell)).toBe(`${bench.path('sub')}\n`);
  expect(bench.context.service(shellPort).directory.current()).toBe(bench.path('sub'));
});

test('[K36] starting one beside others is safe only when it only reads', () => {
  expect(bash.isConcurrencySafe({ command: 'ls', run_in_background: true })).toBe(true);
  expect(bash.isConcurrencySafe({ command: 'make', run_in_background: true })).toBe(false);
});

async function pidIn(name: string): Promise<number> {
  const read = () => Number(existsSync(bench.path(name)) && readFileSync(bench.path(name), 'utf8'));
  await eventually(() => read() > 0);
  return read();
}
