import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../util/message-of.ts';
import type { ProcessOutcome, ProcessSpec } from '../../util/process/process.ts';
import { thisProcess } from '../../util/process/process-alive.ts';
import type { GuardedSpec } from '../shell-sandbox.ts';
import { mountsFor, type WallMount } from './walls.ts';

const TIMEOUT_MS = 10_000;
const SECRET = 'canary';
/** Reads a file and one in a directory, also through this process; writes another; prints what it could read. */
const TRY =
  'cat a "/proc/$1/root$2/a" d/b 2>/dev/null; (echo changed > c) 2>/dev/null; rm -f a c 2>/dev/null; echo tried';

/**
 * Starts a process that tries to read and to write what it must not. Resolves with the problem, or null. Judges by
 * files, and by a text that only the files hold.
 */
export async function testGuard(
  guard: (spec: ProcessSpec, mounts: readonly WallMount[]) => GuardedSpec,
  run: (spec: ProcessSpec) => Promise<ProcessOutcome>,
): Promise<string | null> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-guard-')));
  const [a, c, d] = ['a', 'c', 'd'].map((name) => join(directory, name)) as [string, string, string];
  let output = '';
  try {
    mkdirSync(d);
    for (const path of [a, c, join(d, 'b')]) writeFileSync(path, SECRET);
    const args = ['-c', TRY, 'sh', String(thisProcess().pid), directory];
    const spec: ProcessSpec = { command: '/bin/sh', args, cwd: directory, env: { PATH: '/usr/bin:/bin' } };
    const guarded = guard(spec, mountsFor({ masked: [a, d], readOnly: [c], replaced: [] }));
    const onOutput = (_stream: string, data: Buffer) => {
      output += data.toString();
    };
    const { exitCode, timedOut } = await run({ ...spec, ...guarded, timeoutMs: TIMEOUT_MS, onOutput });
    if (output.includes(SECRET)) return 'a process in it could read what it must not';
    if (readFileSync(c, 'utf8') !== SECRET || readFileSync(a, 'utf8') !== SECRET)
      return 'a process in it could change what it must not';
    if (exitCode === 0 && output.includes('tried')) return null;
    return timedOut ? 'it does not start' : output.trim() || `it ends with the exit code ${exitCode}`;
  } catch (error) {
    return messageOf(error);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
