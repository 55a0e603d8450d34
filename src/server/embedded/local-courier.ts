import type { JsonObject } from '../../util/json.ts';
import { startTimer } from '../../util/timer.ts';
import type { Courier, Parcel } from '../ports/courier.ts';

interface Waiting {
  parcel: Parcel;
  settle: (isTaken: boolean) => void;
}

/** The courier within one process. */
export function localCourier(): Courier {
  const runs = new Map<string, (parcel: Parcel) => void>();
  const waiting = new Map<string, Waiting[]>();
  const connections = new Map<string, (line: JsonObject) => void>();

  return {
    send(sessionId, parcel, waitMs) {
      const run = runs.get(sessionId);
      if (run) {
        run(parcel);
        return Promise.resolve(true);
      }
      if (waitMs <= 0) return Promise.resolve(false);
      return new Promise((resolve) => {
        const settle = (isTaken: boolean) => {
          clearTimeout(timer);
          resolve(isTaken);
        };
        const entry = { parcel, settle };
        const timer = startTimer(waitMs, () => {
          const rest = (waiting.get(sessionId) ?? []).filter((each) => each !== entry);
          if (rest.length > 0) waiting.set(sessionId, rest);
          else waiting.delete(sessionId);
          settle(false);
        });
        waiting.set(sessionId, [...(waiting.get(sessionId) ?? []), entry]);
      });
    },
    receive(sessionId, listener) {
      runs.set(sessionId, listener);
      const those = waiting.get(sessionId) ?? [];
      waiting.delete(sessionId);
      for (const { parcel, settle } of those) {
        listener(parcel);
        settle(true);
      }
      return () => {
        if (runs.get(sessionId) === listener) runs.delete(sessionId);
      };
    },
    reply(connection, line) {
      connections.get(connection)?.(line);
    },
    connect(connection, listener) {
      connections.set(connection, listener);
      return () => {
        connections.delete(connection);
      };
    },
    isConnected: (connection) => connections.has(connection),
  };
}
