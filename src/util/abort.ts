/**
 * Why work was cancelled. Inside of the engine `signal.reason` always has one of these kinds, so that callers can tell
 * them apart.
 */
export type AbortKind =
  | 'interrupt'
  | 'timeout'
  | 'shutdown'
  | 'superseded'
  /** The session is another process's now: what still runs for it ends at once, without a grace time. */
  | 'taken';

export class Aborted extends Error {
  override readonly name = 'AbortError';
  readonly kind: AbortKind;
  constructor(kind: AbortKind, message = `Aborted: ${kind}`) {
    super(message);
    this.kind = kind;
  }
}

/** The typed reason of an aborted signal; a foreign reason counts as an interrupt. */
export function abortReason(signal: AbortSignal): Aborted {
  return signal.reason instanceof Aborted
    ? signal.reason
    : new Aborted('interrupt', String(signal.reason ?? 'aborted'));
}

/** Aborts the controller with the signal, for the same reason, until the returned function is called. */
export function followAbort(signal: AbortSignal, controller: AbortController): () => void {
  const onAbort = () => controller.abort(abortReason(signal));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}

/** Rejects with the signal's reason as soon as it aborts; otherwise settles as `work` does. */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    work.catch(() => {}); // no caller waits for the work any more, and the same abort may make it fail
    return Promise.reject(abortReason(signal));
  }
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(abortReason(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
