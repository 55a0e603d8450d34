import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Place } from './place.ts';
import { descendantsOf, eventually, isAlive } from './processes.ts';
import { ROOT } from './root.ts';

export interface RunningHost {
  child: ChildProcess;
  pid: number;
  /** What it has printed so far: `ready` when its agent has answered, `result` after each turn. */
  said(): string;
}

/** Starts a host program whose agent runs in the place. */
export function startHost(place: Place, prompt: string): RunningHost {
  const child = spawn(process.execPath, [join(ROOT, 'test/support/host-program.mjs')], {
    cwd: place.cwd,
    env: { ...place.env, HOST_PROMPT: prompt },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, pid: child.pid ?? 0, said: () => said };
}

/** Kills the host; resolves when all it had started is gone, and rejects when that takes longer. */
export async function killHost({ child, pid }: RunningHost, signal: NodeJS.Signals, ms: number): Promise<void> {
  const all = descendantsOf(pid);
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
  await eventually(() => !all.some(isAlive), ms);
}
