import { randomUUID } from 'node:crypto';
import { abortReason } from './abort.ts';
import type { Clock, Ids, Logger } from './runtime.ts';
import { startTimer } from './timer.ts';

export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(abortReason(signal));
        const onAbort = () => {
          clearTimeout(timer);
          reject(abortReason(signal));
        };
        const timer = startTimer(ms, () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        });
        signal.addEventListener('abort', onAbort, { once: true });
      }),
  };
}

export function randomIds(): Ids {
  return { uuid: () => randomUUID() };
}

export const silentLogger: Logger = () => {};
