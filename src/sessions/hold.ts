import { thisProcess } from '../util/process-alive.ts';
import type { Logger } from '../util/runtime.ts';
import { createLeases } from './leases.ts';

/** Does something to a stored session that nobody else writes to meanwhile. Rejects with `session_busy`. */
export async function holding<T>(
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
