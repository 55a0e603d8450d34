import { randomBytes } from 'node:crypto';
import { dropLease, takeLease } from '../../sessions/lease-file.ts';
import { thisProcess } from '../../util/process-alive.ts';
import { identityOf } from '../../util/process-identity.ts';
import { worktreeError } from './worktree-error.ts';
import { leasePath } from './worktree-folder.ts';

/** The right to work in a worktree, or to make or remove it. A process that dies leaves it behind, where others see it. */
export interface Hold {
  release(): void;
}

/** Rejects with `in_use` when somebody has it who is alive. */
export async function holdWorktree(folder: string, worktree: string): Promise<Hold> {
  const path = leasePath(folder, worktree);
  const token = randomBytes(12).toString('hex');
  const other = await takeLease(path, { ...identityOf(thisProcess()), since: new Date().toISOString(), token });
  if (other !== null) {
    const { pid, host, since } = other;
    throw worktreeError('in_use', `The worktree ${worktree} is in use by process ${pid} on ${host} since ${since}`, {
      facts: { worktree, pid, host, since },
    });
  }
  return { release: () => dropLease(path, token) };
}
