import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { SpawnError } from './process.ts';
import { thisProcess } from './process-alive.ts';
import { identityOf, type ProcessIdentity } from './process-identity.ts';

export interface DetachedSpec {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The descriptor that gets stdout and stderr. */
  output: number;
}

/** A process that outlives us. It leads a session and a group of its own, and nobody's end ends it. */
export interface DetachedProcess {
  identity: ProcessIdentity;
  /** Writes a line to its stdin and closes it. Until then it can wait: should we die before, it reads end-of-file. */
  release(): void;
  /** Settles when it ends, as long as we are there to see it. */
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
  stdin?.on('error', () => {}); // it is gone; its end tells
  return {
    identity: identityOf({ pid, host: thisProcess().host }),
    release: () => void stdin?.end('go\n'),
    ended: new Promise((resolve) => {
      child.once('exit', (exitCode) => resolve({ exitCode }));
    }),
  };
}
