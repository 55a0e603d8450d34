import { join } from 'node:path';
import { identityOf } from '../../util/process/process-identity.ts';
import type { Logger } from '../../util/runtime.ts';
import { homeUnwritable, sessionBusy } from '../storage-errors.ts';
import type { Lease, LeaseHolder } from '../store.ts';
import { dropLease, holdsLease, type LeaseRecord, takeLease, touchLease } from './lease-file.ts';

/** How often held leases are touched, to show that the holder is alive. */
const HEARTBEAT_MS = 30_000;

export interface Leases {
  /** Rejects with `session_busy`, or with `storage_failed` where no file can be created. */
  take(sessionId: string, holder: LeaseHolder): Promise<Lease>;
  /** Releases all held leases. */
  close(): void;
}

/** The leases that a store holds: files in `<home>/locks`, and one timer for all of them while there are any. */
export function createLeases({ home, log }: { home: string; log: Logger }): Leases {
  const held = new Map<string, string>();
  let heartbeat: ReturnType<typeof setInterval> | undefined;

  return {
    async take(sessionId, holder) {
      const path = join(home, 'locks', `${sessionId}.json`);
      // Loaded here, because a list of sessions comes past this file, too, and would pay for it.
      const { randomBytes } = await import('node:crypto');
      const token = randomBytes(12).toString('hex');
      const since = new Date().toISOString();
      const other = await taken(home, path, { ...identityOf(holder), since, token });
      if (other !== null) throw sessionBusy(sessionId, other);
      held.set(token, path);
      heartbeat ??= setInterval(beat, HEARTBEAT_MS).unref();
      return { release: async () => letGo(token) };
    },
    close() {
      for (const token of [...held.keys()]) letGo(token);
    },
  };

  function letGo(token: string): void {
    const path = held.get(token);
    if (path === undefined) return;
    forget(token);
    quietly(path, () => dropLease(path, token));
  }

  function forget(token: string): void {
    held.delete(token);
    if (held.size > 0) return;
    clearInterval(heartbeat);
    heartbeat = undefined;
  }

  function beat(): void {
    for (const [token, path] of [...held]) {
      quietly(path, () => {
        if (holdsLease(path, token)) return touchLease(path);
        forget(token);
        log('warn', `The lease ${path} is gone or was taken over: another process may write to the same session.`);
      });
    }
  }

  /** A lease that cannot be renewed or released does not stop the session: others eventually treat it as abandoned. */
  function quietly(path: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      log('debug', `The lease ${path} could not be updated.`, { error: String(error) });
    }
  }
}

/** The current holder of the lease, or null. */
async function taken(home: string, path: string, record: LeaseRecord): Promise<LeaseRecord | null> {
  try {
    return await takeLease(path, record);
  } catch (error) {
    throw homeUnwritable(home, error);
  }
}
