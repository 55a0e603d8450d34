import type { Lease, SessionKey, SessionStore } from '../sessions/store.ts';
import { thisProcess } from '../util/process-alive.ts';
import type { Runtime } from '../util/runtime.ts';
import { HeddleError } from '../wire/errors.ts';

export interface HoldOptions {
  /** `refuse`, `wait` or `fork`; undefined is `refuse`. */
  onBusy: string | undefined;
  runtime: Runtime;
  signal: AbortSignal;
}

/** A run that has printed its result lets go of its session within this time; who resumes at once need not notice. */
const GRACE_MS = 3000;
const LONGEST_PAUSE_MS = 500;

/**
 * Takes the right to write to a session; a store without leases lets everybody. `taken` when another process has it and
 * the caller would rather have a fork. Rejects with `session_busy`, or while it waits with the signal's reason.
 */
export async function holdSession(
  store: SessionStore,
  key: SessionKey,
  { onBusy = 'refuse', runtime, signal }: HoldOptions,
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
