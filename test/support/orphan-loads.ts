import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './processes.ts';

/**
 * Ways in which a command could leave something behind (trust H-1): each is a command line that goes on for minutes and
 * writes the pid of what stays to a file of its name. `untagged` clears even the environment by which we know our own.
 */
export const ORPHAN_LOADS = {
  foreground: `sh -c 'echo $$ > foreground; exec sleep 600'`,
  background: `sh -c 'echo $$ > background; exec sleep 600' & sleep 600`,
  nohup: `nohup sh -c 'echo $$ > nohup; exec sleep 600' > /dev/null 2>&1 & sleep 600`,
  setsid: `setsid sh -c 'echo $$ > setsid; exec sleep 600' > /dev/null 2>&1 & sleep 600`,
  deaf: `sh -c 'trap "" TERM INT HUP; echo $$ > deaf; while :; do sleep 600; done'`,
  daemon: `(setsid sh -c '(trap "" TERM HUP; cd /; exec > /dev/null 2>&1; sleep 600; :) & echo $! > daemon' &); sleep 600`,
  untagged: `(env -i setsid sh -c 'echo $$ > untagged; exec sleep 600' > /dev/null 2>&1 &); sleep 600`,
} as const;

export type OrphanLoad = keyof typeof ORPHAN_LOADS;

/** The pid that a load has written, once it has. */
export async function pidOfLoad(cwd: string, name: OrphanLoad): Promise<number> {
  const read = () => Number(existsSync(join(cwd, name)) && readFileSync(join(cwd, name), 'utf8'));
  await eventually(() => read() > 0);
  return read();
}
