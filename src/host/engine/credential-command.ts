import type { Processes } from '../../util/process/process.ts';
import { type Env, toolEnv } from './environment.ts';

const TIMEOUT_MS = 180_000;
const MAX_OUTPUT = 64 * 1024;

export interface CredentialCommandOptions {
  processes: Pick<Processes, 'run'> | undefined;
  cwd: string;
  env: Env;
}

/**
 * Runs commands of the user and of cloud programs that bring credentials: a sign-in may wait for a person at a browser.
 * They get none of the runtime's own credentials. Their output is used only in requests.
 */
export function createCredentialCommand({ processes, cwd, env }: CredentialCommandOptions) {
  return async (command: string): Promise<string> => {
    if (!processes) throw new Error('commands cannot be run here');
    let output = '';
    const onOutput = (stream: 'stdout' | 'stderr', data: Buffer) => {
      if (stream === 'stdout' && output.length < MAX_OUTPUT) output += data.toString('utf8');
    };
    const spec = { command: '/bin/sh', args: ['-c', command], cwd, env: toolEnv(env), timeoutMs: TIMEOUT_MS, onOutput };
    const { exitCode, timedOut } = await processes.run(spec, new AbortController().signal);
    const [name = ''] = command.trim().split(/\s+/);
    if (timedOut) throw new Error(`the command ${name} took longer than ${TIMEOUT_MS / 1000} s`);
    if (exitCode !== 0) throw new Error(`the command ${name} ended with exit code ${exitCode}`);
    return output;
  };
}
