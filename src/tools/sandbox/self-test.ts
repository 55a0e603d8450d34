import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessOutcome, ProcessSpec } from '../../util/process/process.ts';

const TIMEOUT_MS = 10_000;

/**
 * Starts a process in a sandbox without writable paths, and lets it try to write where Heddle itself can. Resolves with
 * the problem, or null.
 */
export async function testSandbox(
  inside: (spec: ProcessSpec) => Promise<ProcessOutcome>,
  directory: string,
): Promise<string | null> {
  const canary = join(directory, `.heddle-sandbox-${randomBytes(6).toString('hex')}`);
  let stderr = '';
  const spec: ProcessSpec = {
    command: '/bin/sh',
    args: ['-c', '(true > "$1") 2>/dev/null; echo tried', 'sh', canary],
    cwd: '/',
    env: {},
    timeoutMs: TIMEOUT_MS,
    onOutput: (_stream, data) => {
      stderr += data.toString();
    },
  };
  try {
    const { exitCode, timedOut } = await inside(spec);
    if (existsSync(canary)) return 'a process in it could write outside of it';
    if (exitCode === 0 && stderr.includes('tried')) return null;
    return timedOut ? 'it does not start' : stderr.trim() || `it ends with the exit code ${exitCode}`;
  } catch (error) {
    return (error as Error).message;
  } finally {
    rmSync(canary, { force: true });
  }
}
