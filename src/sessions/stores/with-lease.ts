import { thisProcess } from '../../util/process/process-alive.ts';
import type { Logger } from '../../util/runtime.ts';
import { createLeases } from './lease-set.ts';

/**
 * Runs work on a stored session under its lease, so that no other process writes to it meanwhile. Rejects with
 * `session_busy`.
 */
export async function withLease<T>(
  sessionId: string,
  { home, log }: { home: string; log: Logger },
  work: () => Promise<T>,
): Promise<T> {
  const leases = createLeases({ home, log });
  const lease = await leases.take(sessionId, thisProcess());
  try {
    return await work();
  } finally {
    await lease.release();
    leases.close();
  }
}
