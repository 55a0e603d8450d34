import { randomBytes } from 'node:crypto';
import { dropLease, takeLease } from '../../sessions/stores/lease-file.ts';
import { thisProcess } from '../../util/process/process-alive.ts';
import { identityOf } from '../../util/process/process-identity.ts';
import { worktreeError } from './worktree-error.ts';
import { leasePath } from './worktree-folder.ts';

/**
 * The right to use, make or remove a worktree. The lease file of a dead process stays, and others recognise that it is
 * dead.
 */
export interface WorktreeLease {
  release(): void;
}

/** Rejects with `in_use` when a live process has the lease. */
export async function leaseWorktree(folder: string, worktree: string): Promise<WorktreeLease> {
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
