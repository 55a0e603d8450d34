import type { Lease, SessionKey, SessionStore } from '../../sessions/store.ts';
import { thisProcess } from '../../util/process/process-alive.ts';
import type { Runtime } from '../../util/runtime.ts';
import { HeddleError } from '../../wire/errors.ts';

export interface LeaseOptions {
  /** `refuse`, `wait` or `fork`; undefined is `refuse`. */
  onBusy: string | undefined;
  runtime: Runtime;
  signal: AbortSignal;
}

/** A run that has printed its result releases its session within this time, so that an immediate resume succeeds. */
const GRACE_MS = 3000;
const LONGEST_PAUSE_MS = 500;

/**
 * Takes the lease of a session; a store without leases needs none. Resolves with `taken` when another process has it
 * and the caller prefers a fork. Rejects with `session_busy`, or with the signal's reason while it waits.
 */
export async function takeLease(
  store: SessionStore,
  key: SessionKey,
  { onBusy = 'refuse', runtime, signal }: LeaseOptions,
): Promise<Lease | 'taken'> {
  let waited = 0;
  for (let pause = 10; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return (await store.lease?.(key, thisProcess())) ?? NO_LEASE;
    } catch (error) {
      if (!HeddleError.isInstance(error) || error.code !== 'session_busy') throw error;
      if (onBusy === 'fork') {
        runtime.log('warn', `${error.message} The conversation goes on in a fork.`);
        return 'taken';
      }
      if (onBusy === 'wait' && waited === 0) runtime.log('warn', `${error.message} Waiting for it.`);
      if (onBusy !== 'wait' && waited >= GRACE_MS) throw error;
    }
    await runtime.clock.sleep(pause, signal);
    waited += pause;
  }
}

const NO_LEASE: Lease = { release: async () => {} };
