import { Aborted, abortReason } from '../../util/abort.ts';
import { startTimer } from '../../util/timer.ts';

/** Limits the silence of the server, and passes the caller's abort on. */
export interface SilenceLimit {
  /** Fires with the caller's reason, or with kind `timeout`. */
  signal: AbortSignal;
  /**
   * Waits. Only waiting counts as silence, not the time that a slow consumer takes. `goesOn`: only a keep-alive came
   * before this wait, so the time before it still counts.
   */
  wait<T>(work: Promise<T>, options?: { goesOn: boolean }): Promise<T>;
  end(): void;
}

export function limitSilence(outer: AbortSignal, timeoutMs: number): SilenceLimit {
  const controller = new AbortController();
  let isWaiting = false;
  let silentSince = 0;
  let timer: NodeJS.Timeout;
  // Checked only when the timer fires: setting a timer for each piece of a stream would cost more than reading it.
  const onTimer = () => {
    const left = isWaiting ? silentSince + timeoutMs - performance.now() : timeoutMs;
    if (left > 0) setTimer(left);
    else controller.abort(new Aborted('timeout', `The API sent nothing for ${timeoutMs / 1000} seconds.`));
  };
  const setTimer = (ms: number) => {
    timer = startTimer(ms, onTimer);
  };
  setTimer(timeoutMs);
  const onAbort = () => controller.abort(abortReason(outer));
  outer.addEventListener('abort', onAbort, { once: true });
  if (outer.aborted) onAbort();
  return {
    signal: controller.signal,
    async wait(work, options) {
      if (!options?.goesOn) silentSince = performance.now();
      isWaiting = true;
      try {
        return await work;
      } finally {
        isWaiting = false;
      }
    },
    end() {
      clearTimeout(timer);
      outer.removeEventListener('abort', onAbort);
    },
  };
}
