import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Aborted } from '../../../src/util/abort.ts';
import { createProcesses, type WatchedProcesses } from '../../../src/util/process/process.ts';

/** Writes a line every 20 ms, from a process of its group and from one that has left it. */
const WRITER =
  'setsid bash -c "while :; do echo out >> apart; sleep 0.02; done" & while :; do echo in >> lines; sleep 0.02; done';

function startWriter(processes: WatchedProcesses, cwd: string, signal: AbortSignal): Promise<unknown> {
  for (const name of ['lines', 'apart']) writeFileSync(join(cwd, name), '');
  const spec = { command: '/bin/bash', args: ['-c', WRITER], cwd, env: { PATH: process.env.PATH } };
  return processes.run(spec, signal).catch((error: unknown) => error);
}

const sizes = (cwd: string) => ['lines', 'apart'].map((name) => readFileSync(join(cwd, name)).length);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function grows(cwd: string): Promise<void> {
  const before = sizes(cwd);
  await expect.poll(() => sizes(cwd).every((size, at) => size > (before[at] ?? 0)), { timeout: 20_000 }).toBe(true);
}

/** Until two looks, some turns of the writers apart, see the same. */
async function stands(cwd: string): Promise<void> {
  for (let before = sizes(cwd); ; before = sizes(cwd)) {
    await pause(300);
    if (JSON.stringify(before) === JSON.stringify(sizes(cwd))) return;
  }
}

test('[H-9] tools are stopped when their process is silent, and go on when it is heard again', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'heddle-deadline-'));
  const processes = createProcesses({ log: () => {}, deadline: { stopAfterMs: 600, killAfterMs: 120_000 } });
  const stop = new AbortController();
  const ended = startWriter(processes, cwd, stop.signal);
  const ticks = setInterval(() => processes.tick(), 50);
  await grows(cwd);
  clearInterval(ticks);
  await stands(cwd);
  const again = setInterval(() => processes.tick(), 50);
  await grows(cwd);
  clearInterval(again);
  await stands(cwd);
  stop.abort(new Aborted('taken'));
  expect(await ended).toBeInstanceOf(Aborted);
  const last = sizes(cwd);
  processes.tick();
  await pause(300);
  expect(sizes(cwd)).toEqual(last);
  await processes.close();
});

test('[H-9] tools of a process that stays silent are killed', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'heddle-deadline-'));
  const processes = createProcesses({ log: () => {}, deadline: { stopAfterMs: 200, killAfterMs: 600 } });
  const ended = startWriter(processes, cwd, new AbortController().signal);
  expect(await ended).toMatchObject({ signal: 'SIGKILL' });
  const last = sizes(cwd);
  processes.tick();
  await pause(300);
  expect(sizes(cwd)).toEqual(last);
  await processes.close();
});
