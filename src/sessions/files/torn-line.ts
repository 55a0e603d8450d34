import { readSync } from 'node:fs';

/** Whether a file of this size does not end in a newline. */
export function isTorn(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}
