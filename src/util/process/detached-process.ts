import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { thisProcess } from './process-alive.ts';
import { identityOf, type ProcessIdentity } from './process-identity.ts';
import { SpawnError } from './spawn-error.ts';

export interface DetachedSpec {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The descriptor that gets stdout and stderr. */
  output: number;
}

/**
 * A process that outlives this one. It leads its own session and group, so that the end of another process does not end
 * it.
 */
export interface DetachedProcess {
  identity: ProcessIdentity;
  /**
   * Writes a line to its stdin and closes it. The process can wait for that: it reads end-of-file if this process dies
   * first.
   */
  release(): void;
  /** Settles when it ends, as long as this process lives. */
  ended: Promise<{ exitCode: number | null }>;
}

/** Rejects with a SpawnError when it cannot be started. */
export async function startDetached({ command, args, cwd, env, output }: DetachedSpec): Promise<DetachedProcess> {
  const child = spawn(command, args, { cwd, env, stdio: ['pipe', output, output], detached: true });
  const { pid, stdin } = child;
  if (pid === undefined) {
    const [error] = await once(child, 'error').catch((thrown) => [thrown]);
    throw new SpawnError(`Cannot start ${command}: ${(error as Error).message}`, error);
  }
  child.unref();
  stdin?.on('error', () => {}); // it is gone; `ended` reports it
  return {
    identity: identityOf({ pid, host: thisProcess().host }),
    release: () => void stdin?.end('go\n'),
    ended: new Promise((resolve) => {
      child.once('exit', (exitCode) => resolve({ exitCode }));
    }),
  };
}
