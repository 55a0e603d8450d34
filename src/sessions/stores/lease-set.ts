import { join } from 'node:path';
import { identityOf } from '../../util/process/process-identity.ts';
import type { Logger } from '../../util/runtime.ts';
import { homeUnwritable, sessionBusy, sessionTaken } from '../storage-errors.ts';
import type { Lease, LeaseHolder } from '../store.ts';
import { dropLease, holdsLease, type LeaseRecord, takeLease, touchLease } from './lease-file.ts';

/** How often held leases are touched, to show that the holder is alive. */
const HEARTBEAT_MS = 30_000;
/** A process that could not touch its leases for so long may have been taken for dead: it looks before it writes. */
const DOUBT_MS = 60_000;

interface HeldLease {
  sessionId: string;
  path: string;
  lost: AbortController;
}

export interface Leases {
  /** Rejects with `session_busy`, or with `storage_failed` where no file can be created. */
  take(sessionId: string, holder: LeaseHolder): Promise<Lease & { readonly lost: AbortSignal }>;
  /** Throws `session_taken` when this process had the lease of the session, and another one took it. */
  check(sessionId: string): void;
  /** Releases all held leases. */
  close(): void;
}

/** The leases that a store holds: files in `<home>/locks`, and one timer for all of them while there are any. */
export function createLeases({ home, log }: { home: string; log: Logger }): Leases {
  const held = new Map<string, HeldLease>();
  let beatAt = 0;
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
      const lost = new AbortController();
      for (const [old, each] of held) if (each.sessionId === sessionId) held.delete(old); // lost, and now regained
      if (held.size === 0) beatAt = monotonicMs();
      held.set(token, { sessionId, path, lost });
      heartbeat ??= setInterval(beat, HEARTBEAT_MS).unref();
      return { lost: lost.signal, release: async () => letGo(token) };
    },
    check(sessionId) {
      if (held.size > 0 && monotonicMs() - beatAt > DOUBT_MS) beat();
      for (const each of held.values()) {
        if (each.sessionId === sessionId && each.lost.signal.aborted) throw sessionTaken(sessionId);
      }
    },
    close() {
      for (const token of [...held.keys()]) letGo(token);
    },
  };

  function letGo(token: string): void {
    const lease = held.get(token);
    if (lease === undefined) return;
    held.delete(token);
    quietly(lease.path, () => dropLease(lease.path, token));
    if (held.size > 0) return;
    clearInterval(heartbeat);
    heartbeat = undefined;
  }

  function beat(): void {
    beatAt = monotonicMs();
    for (const [token, { path, sessionId, lost }] of held) {
      if (lost.signal.aborted) continue;
      quietly(path, () => {
        if (holdsLease(path, token)) return touchLease(path);
        lost.abort(sessionTaken(sessionId));
        log('warn', `The lease ${path} is gone or was taken over: nothing more is written to the session here.`);
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

/** Not the time of day, which may jump. */
function monotonicMs(): number {
  return performance.now();
}

/** The current holder of the lease, or null. */
async function taken(home: string, path: string, record: LeaseRecord): Promise<LeaseRecord | null> {
  try {
    return await takeLease(path, record);
  } catch (error) {
    throw homeUnwritable(home, error);
  }
}
