import type { SessionStore } from '../../sessions/store.ts';
import { HeddleError } from '../../wire/errors.ts';

const WRITING: ReadonlySet<string | symbol> = new Set(['append', 'mark']);

/** The store of a run that has to stop at some moment: from then on it refuses to write, so that the next run begins there. */
export function fencedStore(store: SessionStore, sessionId: string, isLost: () => boolean): SessionStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const bound = value.bind(target) as (...given: unknown[]) => unknown;
      if (!WRITING.has(name)) return bound;
      return async (...given: unknown[]) => {
        if (isLost()) throw taken(sessionId);
        return bound(...given);
      };
    },
  });
}

export function taken(sessionId: string): HeddleError {
  const message = `Another run has session ${sessionId}: this one stops and writes nothing more`;
  return new HeddleError('session_taken', message, { facts: { sessionId } });
}
