/** Why work was cancelled. `signal.reason` is always one of these inside the engine, so that callers can tell. */
export type AbortKind = 'interrupt' | 'timeout' | 'shutdown' | 'superseded';

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

/** Aborts the controller with the signal, for the same reason, until what it returns is called. */
export function followAbort(signal: AbortSignal, controller: AbortController): () => void {
  const onAbort = () => controller.abort(abortReason(signal));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}

/** Rejects with the signal's reason as soon as it aborts; otherwise settles as `work` does. */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    work.catch(() => {}); // nobody waits for it any more, and it may well fail of the same abort
    return Promise.reject(abortReason(signal));
  }
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(abortReason(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
