import { createHash } from 'node:crypto';
import type { Clock, Ids } from './runtime.ts';
import { systemClock } from './system-runtime.ts';

const START = Date.UTC(2026, 0, 1);

/**
 * Ids and a clock that are the same in every run with the same seed, for tests and replays. Each read of the clock
 * advances it by one millisecond; waiting takes real time and does not. The ids can be guessed.
 */
export function seededRuntime(seed: string): { clock: Clock; ids: Ids } {
  let time = START;
  let count = 0;
  return {
    clock: { now: () => time++, sleep: systemClock().sleep },
    ids: { uuid: () => uuidFrom(`${seed}\n${count++}`) },
  };
}

function uuidFrom(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
