import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Aborted } from '../../../src/util/abort.ts';
import {
  createProcesses,
  type Processes,
  type ProcessOutcome,
  type ProcessSpec,
} from '../../../src/util/process/process.ts';
import { MARK_BY_LIMIT } from '../../../src/util/process/process-mark.ts';
import { REPORT_FD } from '../../../src/util/process/process-output.ts';

let dir: string;
let processes: Processes;
const never = new AbortController().signal;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'heddle-process-'));
  processes = createProcesses({ log: () => {}, graceMs: 200 });
});

afterEach(async () => {
  await processes.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Each way of leaving the command behind; all write their pid to $DIR/pid. */
const loads = {
  foreground: 'echo $$ > pid; exec sleep 600',
  background: '(echo $BASHPID > pid; exec sleep 600) & wait',
  'TERM-ignoring': `trap '' TERM INT HUP; echo $$ > pid; while :; do sleep 600; done`,
  nohup: `nohup sh -c 'echo $$ > pid; exec sleep 600' > /dev/null 2>&1 & sleep 600`,
  setsid: `setsid sh -c 'echo $$ > pid; exec sleep 600' > /dev/null 2>&1 & sleep 600`,
  'double fork': `(setsid sh -c '(trap "" TERM; echo $$ > pid; sleep 600; :) & exit' > /dev/null 2>&1 &); sleep 600`,
  'setsid, scrubbed child': `setsid sh -c 'env -i sh -c "echo \\$\\$ > pid; exec sleep 600" & wait' > /dev/null 2>&1`,
  'scrubbed environment': `env -i sh -c 'echo $$ > pid; exec sleep 600' & wait`,
  'scrubbed environment, setsid': `${MARK_BY_LIMIT}; env -i setsid sh -c 'echo $$ > pid; exec sleep 600' & sleep 600`,
  'scrubbed environment, double fork': `${MARK_BY_LIMIT}; (env -i setsid sh -c 'trap "" TERM; echo $$ > pid; sleep 600; :' &); sleep 600`,
};

describe('running', () => {
  test('gives output and exit code', async () => {
    const { outcome, stdout, stderr } = await collect('echo out; echo err >&2; exit 3');
    expect(outcome).toEqual({ exitCode: 3, signal: null, timedOut: false, stillRunning: false });
    expect([stdout, stderr]).toEqual(['out\n', 'err\n']);
  });

  test('names the signal that ended it', async () => {
    const { outcome } = await collect('kill -9 $$');
    expect(outcome).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  });

  test('loses no output of parallel commands', async () => {
    const runs = await Promise.all([...Array(8).keys()].map((n) => collect(`seq 1 20000; echo end-${n}`)));
    for (const [n, run] of runs.entries()) expect(run.stdout.endsWith(`20000\nend-${n}\n`)).toBe(true);
  });

  test('[H-6] a command that reads stdin gets end-of-file', async () => {
    const { outcome, stdout } = await collect('cat; echo done', { timeoutMs: 3000 });
    expect(outcome.timedOut).toBe(false);
    expect(stdout).toBe('done\n');
  });

  test('says clearly why a program cannot be started', async () => {
    const spec = { command: '/nonexistent/tool', args: [], cwd: dir, env: {} };
    await expect(processes.run(spec, never)).rejects.toMatchObject({
      name: 'SpawnError',
      code: 'ENOENT',
      message: 'Cannot start /nonexistent/tool: no such program',
    });
    await expect(processes.run({ ...spec, command: '/bin/sh', cwd: join(dir, 'gone') }, never)).rejects.toThrow(
      /working directory .*gone does not exist/,
    );
    await expect(processes.run({ ...spec, command: dir }, never)).rejects.toThrow(/permission denied/);
    const huge = { ...spec, command: '/bin/sh', args: ['-c', ':', 'x'.repeat(3_000_000)] };
    await expect(processes.run(huge, never)).rejects.toThrow(/too long/);
  });

  test('[H-7] a daemon that holds the output open does not hold the command', async () => {
    const { outcome, stdout } = await collect('echo hello; sleep 600 & echo $! > pid; exit 0');
    expect(outcome).toMatchObject({ exitCode: 0, stillRunning: true });
    expect(stdout).toBe('hello\n');
    expect(alive(readPid())).toBe(true);
  });

  test('what was left behind can be asked whether it lives, also when it has left its group', async () => {
    const { outcome } = await collect('setsid sleep 600 & echo $! > pid; exit 0');
    expect(await outcome.livesOn?.()).toBe(true);
    process.kill(readPid(), 'SIGKILL');
    await expect.poll(() => outcome.livesOn?.()).toBe(false);
    expect((await collect('true')).outcome).not.toHaveProperty('livesOn');
  });

  test('[H-7] nor does one that keeps writing', async () => {
    const { outcome } = await collect('(while :; do echo tick; sleep 0.2; done) & exit 0');
    expect(outcome.stillRunning).toBe(true);
  });

  test('a report comes beside the output, however long that is', async () => {
    const script = `seq 1 20000; echo told >&${REPORT_FD}; exit 4`;
    const { outcome, stdout } = await collect(script, { reports: true });
    expect(outcome).toMatchObject({ exitCode: 4, report: 'told\n' });
    expect(stdout.endsWith('20000\n')).toBe(true);
    expect((await collect(`echo told 2>/dev/null >&${REPORT_FD}`)).outcome).not.toHaveProperty('report');
  });

  test('a report is not waited for: what runs on in the background may hold it open', async () => {
    const script = `sleep 600 > /dev/null 2>&1 & echo $! > pid; echo told >&${REPORT_FD}`;
    expect((await collect(script, { reports: true })).outcome).toMatchObject({ report: 'told\n', stillRunning: false });
    expect(alive(readPid())).toBe(true);
  });

  test('a report is bounded, and does not hold who writes too much of it', async () => {
    const { outcome } = await collect(`head -c 3000000 /dev/zero >&${REPORT_FD}; exit 3`, { reports: true });
    expect(outcome.exitCode).toBe(3);
    expect(outcome.report?.length).toBeLessThan(100_000);
  });

  test('reports of parallel commands arrive, each with its own', async () => {
    const reports = await Promise.all(
      [...Array(8).keys()].map((n) => collect(`echo ${n} >&${REPORT_FD}`, { reports: true })),
    );
    expect(reports.map(({ outcome }) => outcome.report)).toEqual([...Array(8).keys()].map((n) => `${n}\n`));
  });

  test('[H-5] leaves no zombies', async () => {
    for (let n = 0; n < 20; n++) await collect('true');
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
    const states = children.filter(Boolean).map((pid) => stateOf(Number(pid)));
    expect(states).not.toContain('Z');
  });
});

describe('ending', () => {
  test.each(Object.entries(loads))('[H-1] abort ends a tree: %s', async (_name, script) => {
    const abort = new AbortController();
    const run = processes.run(shell(script), abort.signal);
    const pid = await pidWhenStarted();
    abort.abort(new Aborted('interrupt'));
    await expect(run).rejects.toMatchObject({ name: 'AbortError', kind: 'interrupt' });
    expect(alive(pid)).toBe(false);
  });

  test('an aborted signal starts nothing', async () => {
    await expect(collect('touch started', {}, AbortSignal.abort(new Aborted('timeout')))).rejects.toThrow(/timeout/);
    expect(() => readFileSync(join(dir, 'started'))).toThrow();
  });

  test('[H-4] a time-out ends the whole tree and keeps the output so far', async () => {
    const { outcome, stdout } = await collect(`echo early; ${loads.setsid}`, { timeoutMs: 400 });
    expect(outcome).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGTERM', stillRunning: false });
    expect(stdout).toBe('early\n');
    expect(alive(readPid())).toBe(false);
  });

  test('lets a process end in its own way within the grace', async () => {
    const script = `trap 'echo cleaned; exit 7' TERM; echo $$ > pid; while :; do sleep 0.01; done`;
    const { outcome, stdout } = await collect(script, { timeoutMs: 200 });
    expect(stdout).toBe('cleaned\n');
    expect(outcome).toMatchObject({ timedOut: true, exitCode: 7 });
  });

  test('aborting one command leaves what another one had started', async () => {
    await collect(`setsid sh -c 'echo $$ > pid; exec sleep 600' > /dev/null 2>&1 &`);
    const pid = await pidWhenStarted();
    for (let n = 0; n < 9; n++) await collect('true'); // the next is number 11: its mark begins like that of number 1
    await collect('sleep 600', { timeoutMs: 100 });
    expect(alive(pid)).toBe(true);
  });
});

describe('close', () => {
  test.each(Object.entries(loads))('[H-3] ends what still runs: %s', async (_name, script) => {
    const run = processes.run(shell(script), never);
    const rejected = expect(run).rejects.toMatchObject({ kind: 'shutdown' });
    const pid = await pidWhenStarted();
    await processes.close();
    await rejected;
    expect(alive(pid)).toBe(false);
  });

  test('[H-3] ends what finished commands had left in the background', async () => {
    await collect(`nohup setsid sh -c 'echo $$ > pid; exec sleep 600' > /dev/null 2>&1 &`);
    const pid = await pidWhenStarted();
    await processes.close();
    expect(alive(pid)).toBe(false);
  });

  test('dismisses the supervisor, and nothing runs afterwards', async () => {
    await collect('true');
    const supervisors = supervisorsOf(process.pid);
    expect(supervisors).toHaveLength(1);
    await processes.close();
    await expect(collect('true')).rejects.toMatchObject({ kind: 'shutdown' });
    await eventually(() => supervisors.every((pid) => !alive(pid)));
  });
});

describe('a run within a run', () => {
  test('[H-1] the outer finds what the inner has started', async () => {
    const inner = createProcesses({ log: () => {}, graceMs: 200 });
    // The environment of a command of `processes` is where `inner` would be started.
    const { stdout } = await collect('echo $HEDDLE_PROCESS_TAG');
    const env = { PATH: process.env.PATH, HEDDLE_PROCESS_TAG: stdout.trim() };
    const run = inner.run({ ...shell(loads.setsid), env }, never).catch(() => 'ended');
    const pid = await pidWhenStarted();
    await processes.close();
    await eventually(() => !alive(pid));
    await inner.close();
    expect(await run).toBeDefined();
  });
});

describe('supervisor', () => {
  let bundleDir: string;
  let bundle: string;

  beforeAll(async () => {
    bundleDir = mkdtempSync(join(tmpdir(), 'heddle-bundle-'));
    bundle = join(bundleDir, 'process.mjs');
    const entryPoints = [new URL('../../../src/util/process/process.ts', import.meta.url).pathname];
    await build({ entryPoints, bundle: true, platform: 'node', format: 'esm', outfile: bundle, logLevel: 'error' });
  });

  afterAll(() => rmSync(bundleDir, { recursive: true, force: true }));

  test.each(Object.entries(loads))('[H-2] SIGKILL of the host ends the tree: %s', async (_name, script) => {
    const host = startHost(`await processes.run(${JSON.stringify(shell(script))}, new AbortController().signal);`);
    const pid = await pidWhenStarted();
    const supervisors = supervisorsOf(host.pid!);
    expect(supervisors).toHaveLength(1);
    host.kill('SIGKILL');
    await eventually(() => !alive(pid));
    await eventually(() => supervisors.every((supervisor) => !alive(supervisor)));
  });

  test('ignores the signals that end us', async () => {
    const host = startHost(
      `await processes.run(${JSON.stringify(shell(loads.setsid))}, new AbortController().signal);`,
    );
    const pid = await pidWhenStarted();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(supervisorsOf(host.pid!)[0]!, signal);
    await sleep(50);
    host.kill('SIGKILL');
    await eventually(() => !alive(pid));
  });

  test('does not keep the host alive', async () => {
    const host = startHost(`await processes.run(${JSON.stringify(shell('true'))}, new AbortController().signal);`);
    await expect(new Promise((resolve) => host.once('exit', resolve))).resolves.toBe(0);
  });

  test('is started again when it was killed', async () => {
    await collect('true');
    const [first] = supervisorsOf(process.pid);
    process.kill(first!, 'SIGKILL');
    await eventually(() => stateOf(first!) === null); // not even a zombie: Node has seen it
    await collect('true');
    expect(supervisorsOf(process.pid)).toHaveLength(1);
  });

  function startHost(body: string): ChildProcess {
    const code = `
      import { createProcesses } from ${JSON.stringify(bundle)};
      const processes = createProcesses({ log: () => {} });
      ${body}`;
    return spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
  }
});

function shell(script: string): ProcessSpec {
  return { command: '/bin/bash', args: ['-c', script], cwd: dir, env: { PATH: process.env.PATH } };
}

interface Collected {
  outcome: ProcessOutcome;
  stdout: string;
  stderr: string;
}

async function collect(script: string, extra: Partial<ProcessSpec> = {}, signal = never): Promise<Collected> {
  const text = { stdout: '', stderr: '' };
  const onOutput = (stream: 'stdout' | 'stderr', data: Buffer) => {
    text[stream] += data.toString();
  };
  const outcome = await processes.run({ ...shell(script), ...extra, onOutput }, signal);
  return { outcome, ...text };
}

function readPid(): number {
  return Number(readFileSync(join(dir, 'pid'), 'utf8'));
}

async function pidWhenStarted(): Promise<number> {
  await eventually(() => {
    try {
      return readPid() > 0;
    } catch {
      return false;
    }
  });
  return readPid();
}

function stateOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.charAt(stat.lastIndexOf(')') + 2);
  } catch {
    return null;
  }
}

function alive(pid: number): boolean {
  return !['Z', 'X', null].includes(stateOf(pid));
}

function supervisorsOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
    .filter((child) => alive(child) && readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('heddle-supervisor'));
}

async function eventually(check: () => boolean, ms = 5000): Promise<void> {
  const deadline = Date.now() + ms;
  while (!check()) {
    if (Date.now() > deadline) throw new Error('It did not happen in time');
    await sleep(10);
  }
}
